import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../src/errors';
import {
  type PostgresPool,
  type PostgresQuery,
  type PostgresStatement,
  PostgresStore,
  type PostgresTransaction,
} from '../../src/stores';

/** Runs the callback in a transaction of a server that accepts everything, and keeps what the callback sends. */
async function sentBy(callback: (transaction: PostgresTransaction) => Promise<unknown>) {
  const sent: PostgresQuery[] = [];
  const client = {
    query: async (query: string | PostgresQuery, values: unknown[] = []) => {
      if (typeof query !== 'string') sent.push(query);
      const text = typeof query === 'string' ? query : query.text;
      const token = /[\da-f]{8}-[\da-f-]{27}/.exec(JSON.stringify(values))?.[0];
      const start = { locked: true, table: 'public.records', role: 'none' };
      const claim = { status: 'claimed', token, fence: '1', states: '[]', transaction: '1' };
      return { rows: [{ ...start, ...claim }], rowCount: 1, command: text.split(' ')[0] ?? '' };
    },
    release: () => undefined,
    on: () => undefined,
    removeListener: () => undefined,
  };
  const pool: PostgresPool = {
    query: client.query,
    connect: (give) => give(undefined, client),
    totalCount: 1,
  };
  const store = new PostgresStore(pool, { transactional: true });
  const request = { subject: 'payment:1', state: 'PAID', timeoutMs: 5_000, retentionMs: 5_000 };
  const result = await store
    .transact(request, async (transaction) => void (await callback(transaction)))
    .catch((error: unknown) => error);
  return { sent, result };
}

const asText = (text: unknown) => text as string;

describe('A statement that begins or ends a transaction', () => {
  const endings = [
    'COMMIT',
    'commit;',
    ' \n\tCommit ',
    'COMMIT WORK',
    'COMMIT AND CHAIN',
    "COMMIT PREPARED 'x'",
    'END;',
    'END TRANSACTION',
    'ABORT',
    'ROLLBACK',
    'ROLLBACK AND CHAIN',
    "ROLLBACK PREPARED 'x'",
    'BEGIN',
    'START TRANSACTION',
    'START/**/TRANSACTION',
    "PREPARE TRANSACTION 'x'",
    "PREPARE TRANSACTION 'ROLLBACK TO x'",
    "PREPARE/**/TRANSACTION 'x'",
    "PREPARE--\nTRANSACTION 'x'",
    "PREPARE /* a /* b */ c */ TRANSACTION 'x'",
    '/* */ ; COMMIT',
    ';;COMMIT',
    '-- a\rCOMMIT',
    '/* a /* b */ */ -- c\n ;END',
    "/* it's */COMMIT",
    'SELECT 1; COMMIT',
    'SELECT 1; COMMIT; BEGIN',
    'SELECT 1; ROLLBACK; BEGIN; SELECT 1',
    "SELECT 'a''b'; COMMIT",
    "SELECT 'a\\'; COMMIT",
    "SELECT E'a\\'b'; COMMIT; --'",
    "SELECT e'\\\\'; COMMIT",
    'SELECT ";"; COMMIT',
    'SELECT $$;$$; COMMIT',
    'SELECT $a$ $$ $b$ $a$; COMMIT',
    'SELECT a$b$; COMMIT; SELECT c$b$',
    'SELECT $1; COMMIT',
    "INSERT INTO t VALUES ('x') -- '\n; COMMIT --'",
  ];

  it.each(endings)('is refused before it is sent, as text and in an object: %j', async (text) => {
    for (const statement of [text, { text }, { text, values: [] }, { text, name: 'named' }]) {
      const { sent, result } = await sentBy((transaction) => transaction.query(statement, []));
      expect(sent).toEqual([]);
      expect(result).toBeInstanceOf(ConfigurationError);
      expect(result).toMatchObject({
        message: expect.stringContaining('return to commit, throw to roll back'),
      });
    }
  });

  it('is refused for good, also when the callback catches the refusal', async () => {
    const { sent, result } = await sentBy((transaction) =>
      transaction.query('COMMIT').catch(() => undefined),
    );
    expect(sent).toEqual([]);
    expect(result).toBeInstanceOf(ConfigurationError);
  });
});

describe('Several statements in one text', () => {
  it.each(['SELECT 1; SELECT 2', 'SELECT 1;\nDELETE FROM t;', "SELECT $a$x$a$; SELECT 'y'"])(
    'are refused before they are sent, because pg before 8.12 would run them all: %j',
    async (text) => {
      const { sent, result } = await sentBy((transaction) => transaction.query(text));
      expect(sent).toEqual([]);
      expect(result).toBeInstanceOf(ConfigurationError);
      expect(result).toMatchObject({ message: expect.stringContaining('one SQL statement in a query') });
    },
  );
});

describe('A single statement', () => {
  it.each([
    'SELECT 1',
    'SELECT 1;',
    'SELECT 1; -- and no more',
    ';SELECT 1;;',
    "SELECT '; COMMIT'",
    "SELECT 'it''s; COMMIT'",
    "SELECT E'it\\'s; COMMIT'",
    'SELECT "; COMMIT"',
    'SELECT $$; COMMIT; $$',
    'SELECT $fn$ BEGIN; $$ COMMIT; $fn$',
    // An unclosed quote makes one string up to the end, which the server refuses.
    'SELECT $$; COMMIT',
    'SELECT $a$; COMMIT; $b$',
    "SELECT '; COMMIT",
    'SELECT 1 /* ; COMMIT',
    'SELECT 1 /* ; COMMIT */',
    'SELECT 1 /* /* */ ; COMMIT */',
    'SELECT 1 -- ; COMMIT',
    'SAVEPOINT attempt',
    'ROLLBACK TO attempt',
    ' \n ROLLBACK TO SAVEPOINT attempt',
    'ROLLBACK  TO attempt',
    'ROLLBACK WORK  TO attempt',
    'ROLLBACK/**/WORK TO attempt',
    'rollback transaction to savepoint attempt',
    'RELEASE SAVEPOINT attempt',
    'PREPARE transactions AS SELECT 1',
    'SELECT * FROM commits',
    'UPDATE orders SET commit = true',
    'DO $$ BEGIN PERFORM 1; END $$',
    '/* COMMIT */ SELECT 1',
  ])('is sent as it is: %j', async (text) => {
    const { sent, result } = await sentBy((transaction) => transaction.query(text));
    expect(result).toEqual({ status: 'completed' });
    expect(sent).toEqual([{ text, values: [], queryMode: 'extended' }]);
  });

  it('is sent as an object with the fields that pg knows, and no others', async () => {
    const types = { getTypeParser: () => String };
    const statement = {
      text: 'SELECT $1',
      values: ['a'],
      name: 'named',
      rowMode: 'array' as const,
      types,
      rows: 1,
      portal: 'x',
      binary: true,
      queryMode: 'simple',
      callback: () => undefined,
      submit: () => undefined,
    };
    const { sent } = await sentBy((transaction) => transaction.query(statement));
    expect(sent).toEqual([
      { text: 'SELECT $1', values: ['a'], name: 'named', rowMode: 'array', types, queryMode: 'extended' },
    ]);
  });

  it('is sent without an invalid name, row mode or types', async () => {
    for (const wrong of [{}, { name: 5, rowMode: 'object', types: 'text' }]) {
      const statement = { text: 'SELECT 1', ...wrong } as PostgresStatement;
      const { sent } = await sentBy((transaction) => transaction.query(statement));
      expect(sent).toStrictEqual([{ text: 'SELECT 1', values: [], queryMode: 'extended' }]);
    }
  });

  it('takes the values passed beside the object before those in it, as pg does', async () => {
    const { sent } = await sentBy((transaction) =>
      transaction.query({ text: 'SELECT $1', values: [1] }, [2]),
    );
    expect(sent).toMatchObject([{ values: [2] }]);
  });

  it('may be an object whose text is a getter, like that of a template tag', async () => {
    class Tagged {
      values = ['a'];
      get text() {
        return 'SELECT $1';
      }
    }
    const { sent } = await sentBy((transaction) => transaction.query(new Tagged()));
    expect(sent).toMatchObject([{ text: 'SELECT $1', values: ['a'] }]);
  });
});

describe('A statement that is no plain text', () => {
  const sly: [string, unknown][] = [
    ['an object with a toString', { toString: () => 'COMMIT' }],
    ['an object with a toString and a replace', { toString: () => 'COMMIT', replace: () => 'SELECT 1' }],
    ['a String', new String('COMMIT')],
    ['a list', ['COMMIT']],
    ['a function', () => 'COMMIT'],
    ['undefined', undefined],
    ['null', null],
    ['an empty text', ''],
  ];

  it.each([
    ...sly,
    ...sly.map(([name, text]): [string, unknown] => [`an object with ${name} as its text`, { text }]),
    ['an object with only a name', { name: 'prepared' }],
    ['an object with a name and an empty text', { name: 'prepared', text: '' }],
  ])('is refused before it is sent: %s', async (_, statement) => {
    const { sent, result } = await sentBy((transaction) => transaction.query(asText(statement)));
    expect(sent).toEqual([]);
    expect(result).toBeInstanceOf(ConfigurationError);
    expect(result).toMatchObject({ message: expect.stringContaining('plain string') });
  });

  it('is read once, so that the text that was checked is the text that is sent', async () => {
    let asked = 0;
    const statement = {
      get text() {
        asked += 1;
        return asked === 1 ? 'SELECT 1' : 'COMMIT';
      },
    };
    const { sent } = await sentBy((transaction) => transaction.query(statement));
    expect(sent).toMatchObject([{ text: 'SELECT 1' }]);
    expect(asked).toBe(1);
  });

  it.each(['a', 1, { length: 1 }])('is refused with the values %j', async (values) => {
    const statement = { text: 'SELECT $1', values } as unknown as PostgresStatement;
    const { sent, result } = await sentBy((transaction) => transaction.query(statement));
    expect(sent).toEqual([]);
    expect(result).toBeInstanceOf(ConfigurationError);
  });
});
