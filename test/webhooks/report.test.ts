import { inspect } from 'node:util';
import {
  createWebhookHandler,
  WebhookAuthenticationError,
  type WebhookHandlerOptions,
  type WebhookReport,
} from 'pix-automatic-sdk/webhooks';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { StoreError } from '../../src/errors';
import { storeCause } from '../../src/webhooks/report';
import {
  authorization,
  basic,
  createListener,
  credentials,
  everythingPrintedOf,
  hang,
  notificationRequest,
  queries,
  salePayload,
  statusOf,
  WatchedStore,
} from './support';

const personal = {
  ...salePayload(),
  referenceCode: 'PERSONAL-order',
  shopper: { firstName: 'PERSONAL-name', email: 'PERSONAL@example.com', account: 'PERSONAL-account' },
};
const secret = { apiKey: 'S3CRET-key', apiToken: 'S3CRET-token' };
const headers = { authorization: basic(secret) };
const MARKS = /PERSONAL|S3CRET|UzNDUkV/;

/** One way to each report, through a listener whose credentials and body hold marked values. */
const ways: readonly {
  readonly code: string;
  readonly status: number;
  readonly options?: () => Partial<WebhookHandlerOptions>;
  readonly request?: () => Request;
  readonly received?: (received: never) => void;
  /** The likely cause or the way out in its message. */
  readonly says?: string;
}[] = [
  {
    code: 'method_not_allowed',
    status: 405,
    request: () => new Request('https://merchant.example', { method: 'PUT', headers, body: 'PERSONAL' }),
  },
  {
    code: 'unauthorized',
    status: 401,
    request: () => notificationRequest(personal, { headers: { authorization: `${basic(secret)}S3CRET` } }),
    says: 'Its Authorization header is not well-formed Basic authentication. It may have been cut',
  },
  {
    code: 'body_too_large',
    status: 413,
    options: () => ({ maxBodyBytes: 5 }),
    says: 'Find out who sends it. If it is the service, raise `maxBodyBytes`.',
  },
  {
    code: 'body_timeout',
    status: 408,
    options: () => ({ bodyTimeoutMs: 10 }),
    request: () => {
      const init = { method: 'POST', headers, body: new ReadableStream(), duplex: 'half' };
      return new Request('https://merchant.example', init as RequestInit);
    },
  },
  {
    code: 'invalid_body',
    status: 400,
    request: () => notificationRequest('PERSONAL', { headers }),
    received: (bytes) => expect(new TextDecoder().decode(bytes)).toBe('PERSONAL'),
  },
  {
    code: 'invalid_notification',
    status: 400,
    request: () => notificationRequest(personal, { headers, query: queries.refund }),
    received: (notification) => expect(notification).toMatchObject({ kind: 'unrecognized', raw: personal }),
  },
  {
    code: 'unhandled',
    status: 200,
    options: () => ({ on: {} }),
    received: (notification) => expect(notification).toMatchObject({ kind: 'payment', payload: personal }),
  },
  {
    code: 'callback_failed',
    status: 500,
    options: () => ({
      on: {
        payment() {
          throw new Error('callback');
        },
      },
    }),
    received: (notification) => expect(notification).toMatchObject({ kind: 'payment', payload: personal }),
  },
  {
    code: 'callback_timeout',
    status: 500,
    options: () => ({ callbackTimeoutMs: 10, on: { payment: hang } }),
    received: (notification) => expect(notification).toMatchObject({ kind: 'payment', payload: personal }),
    says: 'Raise `callbackTimeoutMs`, or write the work to a queue and return.',
  },
  {
    code: 'store_failed',
    status: 503,
    options: () => {
      const store = new WatchedStore();
      store.faults.claim.push(() => Promise.reject(new Error('store')));
      return { store };
    },
    received: (notification) => expect(notification).toMatchObject({ kind: 'payment', payload: personal }),
    says: 'See `error`.',
  },
  {
    code: 'lease_lost',
    status: 503,
    options: () => {
      const store = new WatchedStore();
      store.faults.complete.push(async () => false);
      return { store };
    },
    received: (notification) => expect(notification).toMatchObject({ kind: 'payment', payload: personal }),
    says: 'Its effect must be safe to repeat.',
  },
  {
    code: 'internal',
    status: 500,
    options: () => ({
      getAuthorization: () => {
        throw new Error('getAuthorization');
      },
    }),
    says: 'see `error`. It may come from `getAuthorization` or from a kind of your own.',
  },
];

const makeRequest = ({ request = () => notificationRequest(personal, { headers }) }) => request();

describe('onReport', () => {
  it.each(ways)(
    'gets $code, answered $status, with what was received readable and printed by nothing',
    async (way) => {
      const { handler, reports } = createListener({ credentials: secret, ...way.options?.() });
      expect(await statusOf(handler(makeRequest(way)))).toBe(way.status);

      expect(reports).toHaveLength(1);
      const [report] = reports as [WebhookReport];
      expect(report).toMatchObject({ code: way.code, status: way.status });
      expect(report.message).toMatch(/^[A-Z].*\.$/);
      expect(report.message).toContain(way.says ?? '');
      if (way.received === undefined) expect(report.received).toBeUndefined();
      else way.received(report.received as never);
      expect(everythingPrintedOf(report)).not.toMatch(MARKS);
      expect(JSON.stringify({ ...report })).not.toMatch(MARKS);
      expect(inspect({ report, list: [report] }, { showHidden: true, depth: 9, getters: false })).not.toMatch(
        MARKS,
      );
    },
  );

  it('gets a report for a busy subject and for a delivery while draining', async () => {
    let finish = () => {};
    const { handler, reports } = createListener({
      on: { payment: () => new Promise<void>((resolve) => (finish = resolve)) },
    });
    const running = handler(notificationRequest(personal));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await handler(notificationRequest(personal));
    const drained = handler.drain();
    await handler(notificationRequest(personal));
    finish();
    await Promise.all([running, drained]);
    expect(reports.map(({ code }) => code)).toEqual(['busy', 'draining']);
    expect(reports[0]).toMatchObject({ kind: 'payment', key: 'payment:s-1:PAID' });
    expect(reports.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^The same subject is being acted on now\. The service sends it again .* look for callbacks/,
      ),
      'The handler is draining: the process is about to end.',
    ]);
  });

  const harmless: readonly [string, () => unknown][] = [
    [
      'throws',
      () => {
        throw new Error('onReport failed');
      },
    ],
    ['rejects', () => Promise.reject(new Error('onReport failed'))],
    ['never ends', hang],
    [
      'gives a thenable that throws',
      () =>
        Object.defineProperty({}, 'then', {
          value: () => {
            throw new Error('onReport failed');
          },
        }),
    ],
  ];

  it.each(harmless)('that %s changes no answer, and leaves no unhandled rejection', async (_, onReport) => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', note);
    try {
      for (const way of ways) {
        const { handler } = createListener({ credentials: secret, ...way.options?.(), onReport });
        expect(await statusOf(handler(makeRequest(way)))).toBe(way.status);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', note);
    }
  });
});

describe('a documented field of another type', () => {
  it('is reported once per kind and field, and the callback runs', async () => {
    const { handler, acted, reports } = createListener();
    const payment = (saleToken: string, changes: object) =>
      statusOf(handler(notificationRequest({ ...salePayload(), saleToken, ...changes })));
    expect(await payment('s-1', { amount: 'PERSONAL' })).toBe(200);
    expect(await payment('s-2', { amount: true })).toBe(200);
    expect(reports).toHaveLength(1);
    expect(reports[0]).toMatchObject({
      code: 'field_left_out',
      status: 200,
      kind: 'payment',
      key: 'payment:s-1:PAID',
      issues: [{ path: ['amount'] }],
    });
    expect(reports[0]?.message).toContain('Fields: amount.');
    expect(everythingPrintedOf(reports[0])).not.toMatch(MARKS);

    // Only the field that is new, then the same field of another kind.
    expect(await payment('s-3', { amount: [], currency: 7 })).toBe(200);
    expect(await payment('s-4', { amount: [], newStatus: 'REVERSAL' })).toBe(200);
    expect(reports.slice(1)).toMatchObject([
      { code: 'field_left_out', kind: 'payment', issues: [{ path: ['currency'] }] },
      { code: 'field_left_out', kind: 'saleStatus', issues: [{ path: ['amount'] }] },
    ]);
    expect(reports).toHaveLength(3);
    expect(acted).toHaveLength(4);
  });
});

describe('the default onReport', () => {
  const error = vi.spyOn(console, 'error');
  beforeEach(() => void error.mockReset().mockImplementation(() => undefined));
  afterEach(() => void error.mockReset());

  it.each(ways)(
    'logs $code in one line of text, with nothing of the request but kind and key',
    async (way) => {
      const { handler } = createListener({ credentials: secret, ...way.options?.(), onReport: undefined });
      await handler(makeRequest(way));

      expect(error).toHaveBeenCalledTimes(1);
      const [line, ...more] = error.mock.calls[0] as string[];
      expect(more).toEqual([]);
      expect(line).toMatch(new RegExp(`^pix-automatic-sdk: webhook ${way.code}[ :]`));
      expect(line).not.toMatch(MARKS);
      expect(line).not.toMatch(/[\n\r]/);
      expect(/\(kind=payment key=payment:s-1:PAID( delivery=1)?\): /.test(line ?? '')).toBe(
        way.received !== undefined && !way.code.startsWith('invalid'),
      );
    },
  );

  async function logged(way: Partial<WebhookHandlerOptions>, request = notificationRequest(personal)) {
    await createListener({ ...way, onReport: undefined }).handler(request);
    expect(error).toHaveBeenCalledTimes(1);
    return String(error.mock.calls[0]?.[0]);
  }
  const throwing = (thrown: unknown) => ({
    on: {
      payment() {
        throw thrown;
      },
    },
  });

  it('logs name, code and message of what the callback threw, so that a missing table does not look like a dead database', async () => {
    const thrown = Object.assign(new Error('relation "orders" does not exist'), {
      name: 'error',
      code: '42P01',
    });
    expect(await logged(throwing(thrown))).toBe(
      'pix-automatic-sdk: webhook callback_failed (kind=payment key=payment:s-1:PAID delivery=1): The callback threw. ' +
        'The service sends it again after about 60 s, six times in all (this process has seen 1 of its deliveries ' +
        'fail). [error 42P01: relation "orders" does not exist]',
    );
  });

  it('counts equal reports within a minute and logs their number, while an onReport of the merchant’s gets each', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const failing = throwing(new Error('out of stock'));
    const silent = createListener({ ...failing, onReport: undefined });
    const told = createListener(failing);
    const send = async (from: number, to: number) => {
      for (let n = from; n <= to; n += 1) {
        const body = { ...salePayload(), saleToken: `s-${n}` };
        for (const { handler } of [silent, told]) await handler(notificationRequest(body));
      }
    };
    await send(1, 8);
    expect(told.reports.map(({ key }) => key)).toHaveLength(8);
    expect(error).toHaveBeenCalledTimes(1);
    expect(String(error.mock.calls[0]?.[0])).toContain('key=payment:s-1:PAID');

    await vi.advanceTimersByTimeAsync(60_000);
    expect(error).toHaveBeenCalledTimes(2);
    expect(error.mock.calls[1]).toEqual([
      'pix-automatic-sdk: webhook callback_failed: 7 more like it within a minute ' +
        '(payment:s-2:PAID payment:s-3:PAID payment:s-4:PAID payment:s-5:PAID payment:s-6:PAID …).',
    ]);
    // Nothing more to say, and the next one is a line again.
    await vi.advanceTimersByTimeAsync(120_000);
    expect(error).toHaveBeenCalledTimes(2);
    await send(9, 9);
    expect(error).toHaveBeenCalledTimes(3);
    expect(told.reports).toHaveLength(9);
  });

  it('does not count together what differs in its error', async () => {
    let thrown = 0;
    const { handler } = createListener({
      onReport: undefined,
      on: {
        payment() {
          thrown += 1;
          throw new Error(`number ${thrown}`);
        },
      },
    });
    for (let n = 1; n <= 3; n += 1) await handler(notificationRequest(salePayload()));
    expect(error).toHaveBeenCalledTimes(3);
  });

  it('logs what the store threw, and the error that it wraps', async () => {
    const store = new WatchedStore();
    const cause = Object.assign(new Error('no such table'), { code: 'ERR_SQLITE' });
    store.faults.claim.push(() => Promise.reject(new StoreError('The claim failed.', { cause })));
    expect(await logged({ store })).toMatch(
      /\[StoreError store_failed: The claim failed\..*, caused by Error ERR_SQLITE: no such table\]$/,
    );
  });

  it('logs a store that took too long differently from an error of the store', async () => {
    const store = new WatchedStore();
    store.faults.claim.push(hang);
    expect(await logged({ store, storeTimeoutMs: 10 })).toMatch(
      /\[DeadlineExceeded: took longer than 10 ms\]$/,
    );
  });

  it('logs what the merchant’s other functions threw', async () => {
    const getAuthorization = () => {
      throw new TypeError('no header bag');
    };
    expect(await logged({ getAuthorization })).toMatch(/webhook internal: .* \[TypeError: no header bag\]$/);
  });

  it.each([
    ['a text', 'out of stock', '[out of stock]'],
    [
      'an error without a message',
      Object.assign(new Error(''), { code: 'ECONNREFUSED' }),
      '[Error ECONNREFUSED]',
    ],
    ['an object that is no error', { code: 7, message: 'no error' }, '[7: no error]'],
    ['an object whose message is no text', { code: 7, message: 5 }, '[7]'],
    ['a text with line breaks in it and around it', '\r\nout\r\nof stock\n', '[out of stock]'],
    ['a text of 300 characters', 'x'.repeat(300), ` [${'x'.repeat(300)}]`],
    ['nothing', undefined, 'deliveries fail).'],
    ['a number', 7, 'deliveries fail).'],
  ])('logs %s that was thrown, as far as it says something', async (_, thrown, end) => {
    const line = await logged(throwing(thrown));
    expect(line.endsWith(end)).toBe(true);
  });

  it('logs a message that quotes the sender in one short line', async () => {
    const thrown = new Error(`\r\npix-automatic-sdk: forged\u2028\u001b[2J\u202e${'x'.repeat(100_000)}`);
    const line = await logged(throwing(thrown));
    expect(line).toMatch(/^[ -~]+…\]$/);
    expect(line.length).toBeLessThan(600);
  });

  it.each([
    ['missing', ''],
    ['wrong-scheme', 'Bearer S3CRET'],
    ['malformed', 'Basic S3CRET'],
    ['mismatch', basic(secret)],
  ] as const)('logs the reason of a 401, with the cause and the way out: %s', async (reason, value) => {
    const { message } = new WebhookAuthenticationError(reason);
    const explanation = /not accepted\. (.+) See docs/.exec(message)?.[1];
    expect(await logged({}, notificationRequest(personal, { headers: { authorization: value } }))).toBe(
      `pix-automatic-sdk: webhook unauthorized (reason=${reason}): The request did not prove that the service sent it. ${explanation}`,
    );
  });

  it('logs no word of what the platform threw while the body arrived', async () => {
    const body = new ReadableStream({
      pull: (controller) => controller.error(new Error('PERSONAL platform')),
    });
    const init = { method: 'POST', headers: { authorization }, body, duplex: 'half' } as RequestInit;
    const line = await logged({}, new Request('https://merchant.example', init));
    expect(line).toMatch(/webhook body_interrupted: The connection was lost before the body had arrived\.$/);
    expect(line).not.toMatch(MARKS);
  });
});

describe('the warning that there is no store', () => {
  const warn = vi.spyOn(console, 'warn');
  beforeEach(() => void warn.mockReset().mockImplementation(() => undefined));
  afterEach(() => {
    warn.mockReset();
    vi.unstubAllEnvs();
  });

  async function warningsIn(environment: string, options: Partial<WebhookHandlerOptions> = {}) {
    vi.stubEnv('NODE_ENV', environment);
    const acted: string[] = [];
    const handler = createWebhookHandler({
      credentials,
      on: { payment: ({ key }) => void acted.push(key) },
      ...options,
    });
    for (let time = 0; time < 2; time += 1) {
      expect(
        await statusOf(handler(notificationRequest(salePayload(), { headers: { authorization } }))),
      ).toBe(200);
    }
    expect(acted).toHaveLength(1);
    return warn.mock.calls;
  }

  it('comes once in production, and says that only this process notices duplicates', async () => {
    expect(await warningsIn('production')).toEqual([
      [expect.stringMatching(/no `store`.*this process only.*Pass a store of .* or `new MemoryStore\(\)`/)],
    ]);
  });

  it.each<[string, object | undefined]>([
    ['no process', undefined],
    ['a process without an environment', {}],
    [
      'an environment that may not be read',
      {
        get env(): never {
          throw new Error('permission denied');
        },
      },
    ],
  ])('does not come on a runtime with %s, where the handler works', async (_, process) => {
    const acted: string[] = [];
    const create = () => {
      vi.stubGlobal('process', process);
      try {
        return createWebhookHandler({ credentials, on: { payment: ({ key }) => void acted.push(key) } });
      } finally {
        vi.unstubAllGlobals();
      }
    };
    const handler = create();
    expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(200);
    expect([acted, warn.mock.calls]).toEqual([['payment:s-1:PAID'], []]);
  });

  it.each(['development', 'test', ''])('does not come outside production (%j)', async (environment) => {
    expect(await warningsIn(environment)).toEqual([]);
  });
});

const error = (message: string, fields: object = {}) => Object.assign(new Error(message), fields);

/** As the drivers throw them; the table says what each one means. */
const shapes: readonly (readonly [driver: string, thrown: unknown, cause: RegExp])[] = [
  [
    'pg: no table',
    error('relation "x" does not exist', { code: '42P01', name: 'error' }),
    /table does not exist/,
  ],
  ['pg: no right', error('permission denied for table x', { code: '42501' }), /has no right/],
  ['pg: wrong password', error('password authentication failed', { code: '28P01' }), /has no right/],
  [
    'pg: read-only',
    error('cannot execute INSERT in a read-only transaction', { code: '25006' }),
    /read-only/,
  ],
  ['pg: pool empty', error('timeout exceeded when trying to connect'), /No connection was free/],
  [
    'pg: too many clients',
    error('sorry, too many clients already', { code: '53300' }),
    /No connection was free/,
  ],
  ['pg: refused', new AggregateError([error('', { code: 'ECONNREFUSED' })]), /cannot be reached/],
  ['pg: shutting down', error('terminating connection', { code: '57P01' }), /cannot be reached/],
  ['pg: lost', error('Connection terminated unexpectedly'), /cannot be reached/],
  ['pg: swallowed', error('current transaction is aborted', { code: '25P02' }), /caught an SQL error/],
  [
    'mysql2: no table',
    error("Table 'a.x' doesn't exist", { code: 'ER_NO_SUCH_TABLE', errno: 1146 }),
    /table does not exist/,
  ],
  [
    'mysql2: no right',
    error('INSERT command denied', { code: 'ER_TABLEACCESS_DENIED_ERROR' }),
    /has no right/,
  ],
  ['mysql2: read-only', error('--read-only', { code: 'ER_OPTION_PREVENTS_STATEMENT' }), /read-only/],
  ['mysql2: pool empty', error('Queue limit reached.'), /No connection was free/],
  [
    'mysql2: too many',
    error('Too many connections', { code: 'ER_CON_COUNT_ERROR' }),
    /No connection was free/,
  ],
  ['mysql2: lost', error('Connection lost', { code: 'PROTOCOL_CONNECTION_LOST' }), /cannot be reached/],
  [
    'mysql2: savepoint lost',
    error('SAVEPOINT x does not exist', { code: 'ER_SP_DOES_NOT_EXIST' }),
    /caught an SQL error/,
  ],
  [
    'sqlite: no table',
    error('no such table: x', { code: 'ERR_SQLITE_ERROR', errcode: 1 }),
    /table does not exist/,
  ],
  [
    'sqlite: read-only',
    error('attempt to write a readonly database', { code: 'SQLITE_READONLY' }),
    /read-only/,
  ],
  ['sqlite: no file', error('unable to open database file'), /cannot be reached/],
  ['sqlite: locked', error('database is locked'), /holds a lock/],
  [
    'redis: no right',
    error("NOPERM User default has no permissions to run the 'get' command"),
    /has no right/,
  ],
  ['redis: no password', error('NOAUTH Authentication required.'), /has no right/],
  ['redis: read-only', error("READONLY You can't write against a read only replica."), /read-only/],
  ['ioredis: gone', error('', { name: 'MaxRetriesPerRequestError' }), /cannot be reached/],
  ['node-redis: gone', error('The client is closed', { name: 'ClientClosedError' }), /cannot be reached/],
  [
    'prisma: no table',
    error('raw query failed', { code: 'P2010', meta: { code: '42P01' } }),
    /table does not exist/,
  ],
  ['typeorm: no table', error('failed', { driverError: { code: '42P01' } }), /table does not exist/],
  ['sequelize: refused', error('failed', { parent: { code: 'ECONNREFUSED' } }), /cannot be reached/],
  ['ours, which wraps', new StoreError('failed', { cause: error('', { code: '42501' }) }), /has no right/],
  ['too slow', error('took longer than 5000 ms', { name: 'DeadlineExceeded' }), /did not answer in time/],
];

describe('the report of a store that failed', () => {
  it.each(shapes)('names the cause and the way out: %s', (_, thrown, cause) => {
    expect(storeCause(thrown)).toMatch(cause);
  });

  const loop = error('loop') as Error & { cause: unknown };
  loop.cause = loop;
  it.each([
    ['nothing', undefined],
    ['text', 'ECONNREFUSED'],
    ['an unknown error', error('S3CRET')],
    ['a loop', loop],
  ])('sends to the error for %s', (_, thrown) => {
    expect(storeCause(thrown)).toBe('See `error`.');
  });
});
