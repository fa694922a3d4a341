import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError, StoreError } from '../../src/errors';
import { storeWithin, type TransactionAccess } from '../../src/stores';
import type { TransactionOptions } from '../../src/stores/transaction-access';
import { withSteps } from '../helpers/store-of';

const NOW = 1_000_000;
const EMPTY = '{"format":2,"token":"empty","done":[]}';
const DONE = `{"format":2,"token":"other","done":[{"state":"PAID","token":"other","at":1}],"until":${NOW + 1}}`;
const request = { subject: 'payment:1', state: 'PAID', retentionMs: 60_000, timeoutMs: 1_000 };

type Step = 'read' | 'lock' | 'insert' | 'update' | 'check' | 'savepoint' | 'release' | 'create';
type Answers = Partial<Record<Step, (tx: string | undefined) => unknown>>;
type Transaction = TransactionAccess<string>['transaction'];

function stepOf(text: string): Step {
  if (text.includes('FOR UPDATE')) return 'lock';
  if (text.startsWith('SELECT record')) return 'read';
  if (text.includes(' AS found')) return 'check';
  return text.split(' ')[0]?.toLowerCase() as Step;
}

/** An access to a database that answers each statement as if nobody else wrote, or as it is told. */
function accessTo(answers: Answers = {}, transaction: Transaction = async (work) => work('tx')) {
  const sent: [string | undefined, Step, string, unknown[]][] = [];
  let written: unknown;
  const usual: Answers = {
    // Drivers give 64 bits as text, too, and some ORMs leave out what is null.
    read: () => [{ ...(written !== undefined && { record: written, version: '7' }), now: String(NOW) }],
    lock: () => [{ record: EMPTY, version: NOW, now: NOW, transaction: '77' }],
    insert: () => ({ rows: [{ written: 1 }] }),
    update: () => [[{ written: 1 }], 'fields'],
    check: () => [{ found: 'held' }],
  };
  const access: TransactionAccess<string> = {
    transaction: vi.fn(transaction),
    query: async (tx, text, values) => {
      const step = stepOf(text);
      sent.push([tx, step, text, values]);
      if (step === 'insert') written = values[1];
      if (step === 'update') written = values[0];
      return ({ ...usual, ...answers }[step]?.(tx) ?? []) as unknown[];
    },
  };
  return { access, sent, steps: () => sent.map(([, step]) => step) };
}

async function neverRun(): Promise<void> {
  throw new Error('must not run');
}

/** Runs a callback of 50.5 ms. Gives each statement as a line: `tx` or not, its text without what is random, its values. */
async function statementsWithin(dialect: 'postgres' | 'mysql') {
  let clock = 100;
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
  const { access, sent } = accessTo();
  const store = withSteps(storeWithin(access, { dialect, table: 'a?', holdMs: 3_000, stepTimeoutMs: 2_000 }));
  const result = await store.transact(request, async (tx, claim) => {
    expect(tx).toBe('tx');
    expect(claim).toMatchObject({ fence: NOW + 1, handledStates: [] });
    clock += 50.5;
  });
  expect(result).toEqual({ status: 'completed' });
  expect(access.transaction).toHaveBeenCalledExactlyOnceWith(expect.any(Function), { timeoutMs: 8_000 });
  const lines = sent.map(([tx, , text, values]) => `${tx}: ${text} ${values.join(' | ')}`).join('\n');
  return lines.replaceAll(/"token":"[^"]*"/g, '"token":"random"');
}

afterEach(() => void vi.restoreAllMocks());

it('sends each statement in the transaction or outside, in PostgreSQL', async () => {
  expect(await statementsWithin('postgres')).toMatchInlineSnapshot(`
    "undefined: SELECT record, version, CAST(EXTRACT(EPOCH FROM pg_catalog.clock_timestamp()) OPERATOR(pg_catalog.*) 1000 AS bigint) AS now FROM (SELECT 1) AS one LEFT JOIN "public"."a?" ON id OPERATOR(pg_catalog.=) $1 default/seen:payment:1
    undefined: INSERT INTO "public"."a?" (id, record, version, expires_at) SELECT $1, $2, $3, $4 WHERE CAST(EXTRACT(EPOCH FROM pg_catalog.clock_timestamp()) OPERATOR(pg_catalog.*) 1000 AS bigint) OPERATOR(pg_catalog.<) $5 AND NOT EXISTS (SELECT 1 FROM "public"."a?" WHERE id OPERATOR(pg_catalog.=) $6) ON CONFLICT (id) DO NOTHING RETURNING 1 AS written default/seen:payment:1 | {"format":2,"token":"random","done":[]} | 1000000 | 86400000 | 9007199254740991 | default/seen:payment:1
    tx: SELECT record, version, CAST(EXTRACT(EPOCH FROM pg_catalog.clock_timestamp()) OPERATOR(pg_catalog.*) 1000 AS bigint) AS now, pg_catalog.txid_current() AS transaction, pg_catalog.set_config('idle_in_transaction_session_timeout', $1, true) AS idle,
    CASE WHEN pg_catalog.current_setting('statement_timeout') OPERATOR(pg_catalog.=) '0' THEN pg_catalog.set_config('statement_timeout', $2, true) END AS statement FROM "public"."a?" WHERE id OPERATOR(pg_catalog.=) $3 FOR UPDATE SKIP LOCKED 8000 | 8000 | default/seen:payment:1
    tx: SAVEPOINT pix_automatic 
    tx: UPDATE "public"."a?" SET record = $1, version = $2, expires_at = $3 WHERE id OPERATOR(pg_catalog.=) $4 AND version OPERATOR(pg_catalog.=) $5 AND CAST(EXTRACT(EPOCH FROM pg_catalog.clock_timestamp()) OPERATOR(pg_catalog.*) 1000 AS bigint) OPERATOR(pg_catalog.<) $6 RETURNING 1 AS written, CASE WHEN pg_catalog.current_setting('synchronous_commit') OPERATOR(pg_catalog.=) 'off'
    THEN pg_catalog.set_config('synchronous_commit', 'on', true) END AS durable {"format":2,"token":"random","done":[{"state":"PAID","token":"random","at":1000000}],"until":1060000} | 1000001 | 86400000 | default/seen:payment:1 | 1000000 | 9007199254740991
    tx: SELECT CASE WHEN pg_catalog.txid_current_if_assigned() OPERATOR(pg_catalog.=) $1 THEN CASE WHEN id IS NULL THEN 'changed' ELSE 'held' END ELSE 'ended' END AS found, CASE WHEN pg_catalog.current_setting('synchronous_commit') OPERATOR(pg_catalog.=) 'off'
    THEN pg_catalog.set_config('synchronous_commit', 'on', true) END AS durable FROM (SELECT 1) AS one LEFT JOIN "public"."a?" ON id OPERATOR(pg_catalog.=) $2 AND version OPERATOR(pg_catalog.=) $3 77 | default/seen:payment:1 | 1000001"
  `);
});

it('sends each statement in the transaction or outside, in MySQL, and reads what it wrote', async () => {
  expect(await statementsWithin('mysql')).toMatchInlineSnapshot(`
    "undefined: SELECT record, version, (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000) AS now FROM (SELECT 1) AS one LEFT JOIN \`a?\` ON id = ? default/seen:payment:1
    undefined: INSERT IGNORE INTO \`a?\` (id, record, version, expires_at) SELECT ?, ?, ?, ? FROM DUAL WHERE (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000) < ? default/seen:payment:1 | {"format":2,"token":"random","done":[]} | 1000000 | 86400000 | 9007199254740991
    undefined: SELECT record, version, (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000) AS now FROM (SELECT 1) AS one LEFT JOIN \`a?\` ON id = ? default/seen:payment:1
    tx: SET @pix_automatic_wait_timeout = COALESCE(@pix_automatic_wait_timeout, @@SESSION.wait_timeout), SESSION wait_timeout = LEAST(@@SESSION.wait_timeout, 8) 
    tx: SELECT record, version, (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000) AS now FROM \`a?\` WHERE id = ? FOR UPDATE SKIP LOCKED default/seen:payment:1
    tx: SAVEPOINT pix_automatic 
    tx: UPDATE \`a?\` SET record = ?, version = ?, expires_at = ? WHERE id = ? AND version = ? AND (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000) < ? {"format":2,"token":"random","done":[{"state":"PAID","token":"random","at":1000000}],"until":1060000} | 1000001 | 86400000 | default/seen:payment:1 | 1000000 | 9007199254740991
    tx: SELECT record, version, (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000) AS now FROM (SELECT 1) AS one LEFT JOIN \`a?\` ON id = ? default/seen:payment:1
    tx: RELEASE SAVEPOINT pix_automatic 
    tx: SELECT 'held' AS found FROM \`a?\` WHERE id = ? AND version = ? default/seen:payment:1 | 1000001
    tx: SET SESSION wait_timeout = CAST(@pix_automatic_wait_timeout AS UNSIGNED), @pix_automatic_wait_timeout = NULL "
  `);
});

describe.each([
  ['PostgreSQL', 'postgres'],
  ['MySQL', 'mysql'],
] as const)('a store within transactions of %s', (name, dialect) => {
  const within = (access: TransactionAccess<string>, options: TransactionOptions = {}) =>
    withSteps(storeWithin(access, { dialect, stepTimeoutMs: 2_000, ...options, table: 'a?' }));

  it.each([undefined, {}, { transaction: () => {} }, { query: () => {} }])('is refused with %j', (access) => {
    expect(() => within(access as never)).toThrow(
      new ConfigurationError(
        'Expected `{ transaction, query }` as the first argument: `transaction(work, limits)` runs `work` in a transaction of ' +
          'yours, `query(tx, text, values)` runs one statement.',
      ),
    );
  });

  it('creates its table, and says what that needs', async () => {
    const { access, sent } = accessTo();
    await within(access).createTable();
    const statements = sent.map(([tx, , text]) => `${tx}: ${text};\n`);
    expect(statements.pop()).toMatch(
      /^undefined: SELECT id, record, version, expires_at FROM .* LIMIT 0;\n$/,
    );
    expect(statements.join('')).toBe(
      within(access)
        .createTableSql()
        .replaceAll(/^CREATE/gm, 'undefined: CREATE'),
    );

    const cause = new Error('no rights');
    const failing = accessTo({ create: () => Promise.reject(cause) });
    const table = name === 'MySQL' ? '`a?`' : '"public"."a?"';
    await expect(within(failing.access).createTable()).rejects.toThrow(
      new StoreError(
        `The database did not create the table ${table} or its index; \`cause\` says why. The role must own the table ` +
          'if it exists, and may need more rights to create it: in PostgreSQL USAGE and CREATE on the schema, which must ' +
          'exist. To run with a role that owns nothing, put createTableSql() in a migration, grant it SELECT, INSERT, ' +
          'UPDATE and DELETE on the table, and leave createTable() out.',
        { cause },
      ),
    );
  });

  it.each<[string, Answers]>([
    ['cannot be written', { update: () => [], read: () => [{ now: NOW }] }],
    ['is no longer its own after the callback', { check: () => [] }],
  ])('rolls back where the record %s', async (_, answers) => {
    const { access } = accessTo(answers);
    await expect(within(access).transact(request, async () => undefined)).rejects.toThrow(
      new StoreError(
        'The record of the notification was changed while its callback held it, so the transaction is rolled back. ' +
          "Look for callbacks that end their transaction, or write to the store's table.",
      ),
    );
  });

  it('says that a transaction cannot be committed', async () => {
    const cause = new Error('aborted');
    const { access } = accessTo({ release: () => Promise.reject(cause), check: () => Promise.reject(cause) });
    await expect(within(access).transact(request, async () => undefined)).rejects.toThrow(
      new StoreError(
        'The callback returned, but its transaction cannot be committed. It probably caught an SQL error, which leaves ' +
          'the transaction failed, or ended the transaction itself. Let SQL errors be thrown, or use a savepoint (a ' +
          'nested transaction of your ORM).',
        { cause },
      ),
    );
  });

  it('says that an answer cannot be read', async () => {
    const { access } = accessTo({ read: () => 'OK' });
    await expect(within(access).transact(request, neverRun)).rejects.toThrow(
      "The store's client gave a reply to a statement that its command never gives, so its outcome is unknown. Pass " +
        'a plain client, without transformed replies, outside a pipeline or MULTI.',
    );
  });

  it.each([
    ['is done by now', 'done', { lock: () => [{ record: DONE, version: 7, now: NOW }] }, 1],
    [
      'is locked, and done',
      'done',
      {
        lock: () => [],
        read: (tx) => [{ record: tx === undefined ? EMPTY : DONE, version: 7, now: NOW }],
      },
      1,
    ],
    ['is locked', 'busy', { lock: () => [], read: () => [{ record: EMPTY, version: 7, now: NOW }] }, 1],
    ['is deleted each time', 'busy', { lock: () => [], read: () => [{ now: NOW }] }, 2],
  ] satisfies [string, string, Answers, number][])(
    'runs no callback where the record %s',
    async (_, status, answers, transactions) => {
      const { access } = accessTo(answers);
      expect(await within(access).transact(request, neverRun)).toMatchObject({ status });
      expect(access.transaction).toHaveBeenCalledTimes(transactions);
    },
  );

  it('throws what the callback threw, also where the ORM wraps it', async () => {
    const error = new Error('out of stock');
    const { access } = accessTo({}, (work) =>
      work('tx').catch((cause) => Promise.reject(new Error('wrapped', { cause }))),
    );
    await expect(within(access).transact(request, () => Promise.reject(error))).rejects.toBe(error);
  });

  it('throws what the ORM threw where no work has run', async () => {
    const error = new Error('no connection');
    const { access } = accessTo({}, () => Promise.reject(error));
    await expect(within(access).transact(request, neverRun)).rejects.toBe(error);
  });

  it('throws what the callback threw where the access swallows it', async () => {
    const error = new Error('out of stock');
    const { access } = accessTo({}, (work) => work('tx').catch(() => undefined));
    await expect(within(access).transact(request, () => Promise.reject(error))).rejects.toBe(error);
  });

  it.each([
    ['swallows what the store threw', (work) => work('tx').catch(() => undefined), new Error('no rights')],
    ['never runs its work', async () => undefined, undefined],
  ] satisfies [string, Transaction, Error | undefined][])('fails where the access %s', async (...given) => {
    const [, transaction, cause] = given;
    const { access } = accessTo({ lock: () => Promise.reject(cause) }, transaction);
    await expect(within(access).transact(request, neverRun)).rejects.toThrow(
      new StoreError(
        '`transaction` of the access resolved, but its work has failed or never ran. Return the promise of your ORM’s ' +
          'transaction, let what work throws reach your ORM, and roll nothing back in the callback.',
        { cause },
      ),
    );
  });

  it('refuses work that begins after its time', async () => {
    let late: Promise<void> | undefined;
    const { access, steps } = accessTo({}, (work) => {
      late = sleep(100).then(() => work('tx'));
      return late;
    });
    await expect(within(access, { stepTimeoutMs: 20 }).transact(request, neverRun)).rejects.toThrow(
      'The database did not answer within 20 ms.',
    );
    await expect(late).rejects.toThrow('The transaction took too long, and is rolled back.');
    expect(steps()).not.toContain('lock');
  });

  it('says how many transactions were open, and opens the next one when one has ended', async () => {
    const store = within(accessTo().access, { maxTransactions: 1, slotTimeoutMs: 20 });
    await store.transact(request, async () => {
      await expect(store.transact({ ...request, state: 'REFUNDED' }, neverRun)).rejects.toThrow(
        '1 transactions were open for 20 ms, which is the most that the store opens. ' +
          "Raise the pool's max and maxTransactions, or look for callbacks that take long.",
      );
    });
    const next = store.transact({ ...request, state: 'CANCELLED' }, async () => undefined);
    expect(await next).toEqual({ status: 'completed' });
  });
});
