import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import {
  createWebhookHandler,
  parseNotification,
  WebhookAuthenticationError,
  type WebhookHandlerOptions,
} from 'pix-automatic-sdk/webhooks';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { StoreError } from '../../src/errors';
import { CASE_TEXTS } from '../../src/orders/case-reasons';
import { storeCause } from '../../src/stores/store-cause';
import { WebhookReport } from '../../src/webhooks/report';
import { defaultReport } from '../../src/webhooks/report-log';
import { MESSAGES } from '../../src/webhooks/report-texts';
import { reportCodes } from '../helpers/report-codes';
import { fail, gate, hang, throwing } from './faults';
import { queries, salePayload } from './payloads';
import {
  authorization,
  basic,
  createListener,
  everythingPrintedOf,
  linesOf,
  notificationRequest,
  send,
} from './support';
import { WatchedStore } from './watched-store';

const personal = {
  ...salePayload(),
  referenceCode: 'PERSONAL-order',
  shopper: { firstName: 'PERSONAL-name', email: 'PERSONAL@example.com', account: 'PERSONAL-account' },
};
const secret = { apiKey: 'S3CRET-key', apiToken: 'S3CRET-token' };
const swapped = { apiKey: secret.apiToken, apiToken: secret.apiKey };
const headers = { authorization: basic(secret) };
const MARKS = /PERSONAL|S3CRET|UzNDUkV/;

const withBody = (body: ReadableStream, signed = headers) => {
  const init = { method: 'POST', headers: signed, body, duplex: 'half' };
  return new Request('https://merchant.example', init as RequestInit);
};
const failingAt = (step: 'claim' | 'complete', fault: () => unknown) => {
  const store = new WatchedStore();
  store.faults[step].push(fault);
  return { store };
};

interface Way {
  readonly code: string;
  readonly status: number;
  readonly options?: () => Partial<WebhookHandlerOptions>;
  readonly request?: () => Request;
  /** What `received` is, if it is anything. */
  readonly received?: unknown;
  /** Part of its message. */
  readonly says?: string;
}
const payment = expect.objectContaining({ kind: 'payment', payload: personal });
const unreadable = expect.objectContaining({ kind: 'unrecognized', raw: personal });
const put = () => new Request('https://merchant.example', { method: 'PUT', headers, body: 'PERSONAL' });
const endless = () => withBody(new ReadableStream());
const noJson = () => notificationRequest('PERSONAL', { headers });
const withFlag = () => notificationRequest(personal, { headers, query: queries.refund });
const damaged = () => notificationRequest(personal, { headers: { authorization: `${basic(secret)}S3CRET` } });
const mayBeCut = 'Its Authorization header is not well-formed Basic authentication. It may have been cut';
const noCallback =
  'There is no callback for this kind. It was acknowledged, so the service does not send it again. Add one';
const failing = (thrown: unknown) => ({ on: { payment: throwing(thrown) } });
const bug = () => failing(new Error('callback'));
const slow = () => ({ callbackTimeoutMs: 10, on: { payment: hang } });
const lost = () => failingAt('complete', async () => false);
const broken = () => ({ getAuthorization: throwing(new Error('broken')) });

/** One way to each report, through a listener whose credentials and body hold marked values. */
const ways: readonly Way[] = [
  { code: 'method_not_allowed', status: 405, request: put },
  { code: 'unauthorized', status: 401, request: damaged, says: mayBeCut },
  { code: 'body_too_large', status: 413, options: () => ({ maxBodyBytes: 5 }) },
  { code: 'body_timeout', status: 408, options: () => ({ bodyTimeoutMs: 10 }), request: endless },
  { code: 'invalid_body', status: 400, request: noJson, received: new TextEncoder().encode('PERSONAL') },
  { code: 'invalid_notification', status: 400, request: withFlag, received: unreadable },
  { code: 'unhandled', status: 200, options: () => ({ on: {} }), received: payment, says: noCallback },
  { code: 'callback_failed', status: 500, options: bug, received: payment },
  { code: 'callback_timeout', status: 500, options: slow, received: payment },
  { code: 'store_failed', status: 503, options: () => failingAt('claim', fail), received: payment },
  { code: 'lease_lost', status: 503, options: lost, received: payment },
  { code: 'internal', status: 500, options: broken },
];

const makeRequest = ({ request = () => notificationRequest(personal, { headers }) }: Way) => request();

describe('onReport', () => {
  it.each(ways)('gets $code, answered $status, with what was received printed by nothing', async (way) => {
    const { handler, reports } = createListener({ credentials: secret, ...way.options?.() });
    expect((await handler(makeRequest(way))).status).toBe(way.status);

    expect(reports).toHaveLength(1);
    const [report] = reports as [WebhookReport];
    expect(report).toMatchObject({ code: way.code, status: way.status });
    expect(report.message).toMatch(/^[A-Z].*\.$/);
    expect(report.message).toContain(way.says ?? '');
    expect(report.received).toEqual(way.received);
    const printed = [report, { ...report }, [report]].map(everythingPrintedOf);
    printed.push(inspect(report, { showHidden: true, depth: 9, getters: false }));
    expect(printed.join()).not.toMatch(MARKS);
  });

  it('gets a report for a busy subject and for a delivery while draining', async () => {
    const { wait, open } = gate();
    const { handler, reports } = createListener({ on: { payment: wait } });
    const running = send(handler);
    await sleep(20);
    await send(handler);
    const drained = handler.drain();
    await send(handler);
    open();
    await Promise.all([running, drained]);
    expect(linesOf(reports)).toEqual(['busy 503 payment:s-1:PAID', 'draining 503']);
    expect(reports.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^The same subject is being acted on now\. The service sends it again .* look for callbacks/,
      ),
      'The handler is draining: the process is about to end.',
    ]);
  });

  // A rejection that nothing handles fails the whole run.
  it.each<[string, () => unknown]>([
    ['throws', throwing(new Error('onReport failed'))],
    ['rejects', () => Promise.reject(new Error('onReport failed'))],
    ['never ends', hang],
    ['gives a thenable that throws', () => ({ ['then' as string]: throwing(new Error('onReport failed')) })],
  ])('that %s changes no answer', async (_, onReport) => {
    for (const way of ways) {
      const { handler } = createListener({ credentials: secret, ...way.options?.(), onReport });
      expect((await handler(makeRequest(way))).status).toBe(way.status);
    }
  });
});

describe('a report', () => {
  it('says what happened, and the way out where there is one', () => {
    const said = reportCodes.map(
      (code) => new WebhookReport(code, { status: 500 }, { texts: CASE_TEXTS }).message,
    );
    for (const message of said) expect(message).toMatch(/^[A-Z].*\.$/);
    expect(new Set(said).size).toBe(said.length);
    // The way out of the others is the service's next delivery, or in what their error or their reason adds.
    const withoutWayOut = [
      ...['method_not_allowed', 'unauthorized', 'body_interrupted', 'callback_failed', 'store_failed'],
      ...['dead_letters_failed', 'draining', 'maintain_failed'],
    ];
    expect(reportCodes.filter((code) => ({ ...MESSAGES, ...CASE_TEXTS })[code].length === 1)).toEqual(
      withoutWayOut,
    );
  });

  const ten = '0, 1, 2, 3, 4, 5, 6, 7, 8, 9';
  const paths = (count: number) => Array.from({ length: count }, (_, n) => [n]);
  it.each([
    [[['shopper', 'email'], []], 'shopper.email, the body'],
    [paths(10), ten],
    [paths(13), `${ten} and 3 more`],
  ])('names ten fields at most: %j', (paths, says) => {
    const issues = paths.map((path) => ({ path, message: 'expected text' }));
    const { message } = new WebhookReport('invalid_notification', { status: 400, issues });
    expect(message).toContain(`callback. Fields: ${says}. It may be`);
  });
});

it('a documented field of another type is reported once per kind and field, and the callback runs', async () => {
  const { handler, acted, reports } = createListener();
  const left = async (changes: object) => {
    const before = reports.length;
    expect(await send(handler, { ...salePayload(), saleToken: `s-${acted.length}`, ...changes })).toBe(200);
    const paths = ({ issues = [] }: WebhookReport) => issues.map(({ path }) => path.join('.')).join(' ');
    return reports.slice(before).map((report) => `${report.code} ${report.kind} ${paths(report)}`);
  };
  expect(await left({ amount: 'PERSONAL' })).toEqual(['field_left_out payment amount']);
  expect(reports[0]).toMatchObject({ status: 200, key: 'payment:s-0:PAID' });
  expect(reports[0]?.message).toContain('Fields: amount.');
  expect(everythingPrintedOf(reports[0])).not.toMatch(MARKS);
  expect(await left({ amount: true })).toEqual([]);
  // Only the field that is new, then the same field of another kind.
  expect(await left({ amount: [], currency: 7 })).toEqual(['field_left_out payment currency']);
  expect(await left({ amount: [], newStatus: 'REVERSAL' })).toEqual(['field_left_out saleStatus amount']);
  expect(acted).toHaveLength(4);
});

describe('the default onReport', () => {
  const error = vi.spyOn(console, 'error');
  beforeEach(() => void error.mockReset().mockImplementation(() => undefined));
  afterEach(() => void error.mockReset());

  async function logged(options: Partial<WebhookHandlerOptions>, request = notificationRequest(personal)) {
    await createListener({ ...options, onReport: undefined }).handler(request);
    expect(error.mock.calls).toEqual([[expect.any(String)]]);
    return String(error.mock.calls[0]?.[0]);
  }

  it.each(ways)('logs $code in one line, with nothing of the request but kind and key', async (way) => {
    const line = await logged({ credentials: secret, ...way.options?.() }, makeRequest(way));
    expect(line).toMatch(new RegExp(`^pix-automatic-sdk: webhook ${way.code}[ :]`));
    expect(line).not.toMatch(MARKS);
    expect(line).not.toMatch(/[\n\r]/);
    const isKnown = /\(kind=payment key=payment:s-1:PAID( delivery=1)?\): /.test(line);
    expect(isKnown).toBe(way.received === payment);
  });

  it('logs what the callback threw, so that a missing table does not look like a dead database', async () => {
    const fields = { name: 'error', code: '42P01' };
    const thrown = Object.assign(new Error('relation "orders" does not exist'), fields);
    thrown.stack = '';
    expect(await logged(failing(thrown))).toBe(
      'pix-automatic-sdk: webhook callback_failed (kind=payment key=payment:s-1:PAID delivery=1): The callback threw. ' +
        'The service sends it again after about 60 s, six times in all (this process has seen 1 of its deliveries ' +
        'fail). [error 42P01: relation "orders" does not exist]',
    );
  });

  it('logs no state that the document does not name, which its sender may have made up', async () => {
    const forged = notificationRequest({ ...salePayload(), newStatus: 'Maria-12345678909' });
    const on = { saleStatus: throwing(new Error('no')) };
    expect(await logged({ on } as never, forged)).toMatch(/\(kind=saleStatus key=payment:s-1:… delivery=1\)/);
  });

  const useClock = () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    onTestFinished(() => void vi.useRealTimers());
  };

  it('counts equal reports within a minute and logs their number; an onReport of the merchant gets each', async () => {
    useClock();
    const silent = createListener({ ...failing(new Error('out of stock')), onReport: undefined });
    const told = createListener(failing(new Error('out of stock')));
    const deliver = async (n: number) => {
      for (const { handler } of [silent, told])
        await send(handler, { ...salePayload(), saleToken: `s-${n}` });
    };
    for (let n = 1; n <= 8; n += 1) await deliver(n);
    expect(told.reports).toHaveLength(8);
    expect(error.mock.calls).toEqual([[expect.stringContaining('key=payment:s-1:PAID')]]);

    await vi.advanceTimersByTimeAsync(60_000);
    const counted =
      'pix-automatic-sdk: webhook callback_failed: 7 more like it within a minute ' +
      '(payment:s-2:PAID payment:s-3:PAID payment:s-4:PAID payment:s-5:PAID payment:s-6:PAID …).';
    expect(error.mock.calls.slice(1)).toEqual([[counted]]);
    // Nothing more to say, and the next one is a line again.
    await vi.advanceTimersByTimeAsync(120_000);
    expect(error).toHaveBeenCalledTimes(2);
    await deliver(9);
    expect([error.mock.calls.length, told.reports.length]).toEqual([3, 9]);
  });

  const failedWith = (message: string) => new WebhookReport('internal', { status: 500, error: message });

  it('counts what has no key, too, and begins again after a minute in which no timer fired', () => {
    useClock();
    const report = defaultReport();
    for (let n = 0; n < 3; n += 1) report(failedWith('bug'));
    expect(error).toHaveBeenCalledTimes(1);
    // As on a platform that stops a process between two requests.
    vi.setSystemTime(Date.now() + 60_000);
    report(failedWith('bug'));
    expect(error.mock.calls.slice(1)).toEqual([
      ['pix-automatic-sdk: webhook internal: 2 more like it within a minute.'],
      [expect.stringContaining('[bug]')],
    ]);
  });

  it('remembers a thousand reports that differ in their error, and logs where a timer is only a number', () => {
    vi.stubGlobal('setTimeout', () => 1);
    onTestFinished(() => void vi.unstubAllGlobals());
    const report = defaultReport();
    for (let n = 0; n < 1_000; n += 1) report(failedWith(`bug ${n}`));
    report(failedWith('bug 0'));
    expect(error).toHaveBeenCalledTimes(1_000);
    report(failedWith('bug 1000'));
    report(failedWith('bug 0'));
    expect(error).toHaveBeenCalledTimes(1_002);
  });

  const failures = ['callback_failed', 'confirm_failed', 'store_failed', 'dead_letters_failed'] as const;
  it.each([...failures, 'maintain_failed', 'internal'] as const)('logs what was thrown for %s', (code) => {
    defaultReport()(new WebhookReport(code, { status: 500, error: new TypeError('bug') }));
    expect(error.mock.calls).toEqual([[expect.stringMatching(/ \[TypeError: bug(?: at \S+)?\]$/)]]);
  });

  const cause = Object.assign(new Error('no such table'), { code: 'ERR_SQLITE' });
  const wrapped = new StoreError('The claim failed.', { cause });
  const storeThrew = () => failingAt('claim', throwing(wrapped));
  const storeHangs = () => ({ ...failingAt('claim', hang), storeTimeoutMs: 10 });
  const headersThrew = () => ({ getAuthorization: throwing(new TypeError('no header bag')) });
  it.each<[string, () => Partial<WebhookHandlerOptions>, RegExp]>([
    [
      'a store threw',
      storeThrew,
      /\[StoreError store_failed: .*, caused by Error ERR_SQLITE: no such table\]$/,
    ],
    ['a slow store led to', storeHangs, /\[DeadlineExceeded: took longer than 10 ms\]$/],
    ['getAuthorization threw', headersThrew, /webhook internal: .* \[TypeError: no header bag at \S+\]$/],
  ])('logs what %s', async (_, options, end) => {
    expect(await logged(options())).toMatch(end);
  });

  it.each([
    ['a text', 'out of stock', '[out of stock]'],
    [
      'an error without a message',
      Object.assign(new Error(''), { code: 'EPIPE', stack: '' }),
      '[Error EPIPE]',
    ],
    ['an object that is no error', { code: 7, message: 'no error' }, '[7: no error]'],
    ['an object whose message is no text', { code: 7, message: 5 }, '[7]'],
    ['a text with line breaks in it and around it', '\r\nout\r\nof stock\n', '[out of stock]'],
    ['a text of 300 characters', 'x'.repeat(300), ` [${'x'.repeat(300)}]`],
    ['nothing', undefined, 'deliveries fail).'],
    ['a number', 7, 'deliveries fail).'],
  ])('logs %s that was thrown, as far as it says something', async (_, thrown, end) => {
    expect((await logged(failing(thrown))).endsWith(end)).toBe(true);
  });

  it('logs a message that quotes the sender in one short line', async () => {
    const thrown = new Error(`\r\npix-automatic-sdk: forged\u2028\u001b[2J\u202e${'x'.repeat(100_000)}`);
    const line = await logged(failing(thrown));
    expect(line).toMatch(/^[ -~]+… at [ -~]+\]$/);
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
    const headers = { authorization: value };
    expect(await logged({}, notificationRequest(personal, { headers }))).toBe(
      `pix-automatic-sdk: webhook unauthorized (reason=${reason}): The request did not prove that the service sent it. ${explanation}`,
    );
  });

  it.each([
    ['the first pair', [secret]],
    ['the second pair', [{ apiKey: 'other', apiToken: 'pair' }, secret]],
  ])(
    'asks whether key and token are swapped where they are, and shows neither: %s',
    async (_, credentials) => {
      const headers = { authorization: basic(swapped) };
      const line = await logged({ credentials }, notificationRequest(personal, { headers }));
      expect(line).toContain(
        'It has the token before the key: are `apiKey` and `apiToken` swapped in your credentials?',
      );
      expect(line).not.toMatch(MARKS);
      const { handler, reports } = createListener({ credentials });
      for (const other of [{ ...swapped, apiToken: 'x' }, { ...swapped, apiKey: 'x' }, swapped]) {
        await handler(notificationRequest(personal, { headers: { authorization: basic(other) } }));
      }
      expect(reports.map(({ message }) => message.includes('swapped'))).toEqual([false, false, true]);
    },
  );

  it('logs that a pair is swapped, also within a minute of another wrong pair', async () => {
    const handler = createWebhookHandler({ credentials: secret, on: {} });
    for (const other of [{ apiKey: 'x', apiToken: 'x' }, swapped]) {
      await handler(notificationRequest(personal, { headers: { authorization: basic(other) } }));
    }
    expect(error.mock.calls.map(([line]) => String(line).includes('swapped'))).toEqual([false, true]);
  });

  it('logs file and line of the first frame of a callback that is not ours', async () => {
    const line = await logged({ on: { payment: () => Promise.reject(new Error('no such table')) } });
    expect(line).toMatch(/\[Error: no such table at \S+test\/webhooks\/report\.test\.ts:\d+\]$/);
  });

  it.each([
    [
      'ours and the platform’s left out',
      'at f (/app/node_modules/pix-automatic-sdk/dist/x.js:1:2)\n    at node:internal/x:1:2\n    at async book (/app/book.js:7:9)',
      '/app/book.js:7',
    ],
    [
      'a driver’s below the merchant’s',
      'at q (/app/node_modules/pg/lib/client.js:5:1)\n    at file:///app/book.mjs:8:1',
      '/app/book.mjs:8',
    ],
    [
      'a driver’s where there is nothing else',
      'at q (/app/node_modules/pg/lib/client.js:5:1)',
      '/app/node_modules/pg/lib/client.js:5',
    ],
    ['of JavaScriptCore', 'book@/app/book.js:9:1', '/app/book.js:9'],
  ])('logs the place of a failure: %s', async (_, frames, place) => {
    const thrown = Object.assign(new Error('at x (/forged:1:1)\n at y (/forged:2:2)'), {});
    thrown.stack = `Error: ${thrown.message}\n    ${frames}`;
    const line = await logged({ on: { payment: () => Promise.reject(thrown) } });
    expect(line).toMatch(new RegExp(` at ${place}\\]$`));
  });

  it('prints no name that the documented kinds do not have, and keeps it in `issues`', async () => {
    const validate = () => ({ issues: [{ path: ['shopper', '52998224725', 0, 'email'], message: 'no' }] });
    const schema = { '~standard': { version: 1, vendor: 'test', validate } };
    const own = { kind: 'own', match: () => true, schema, subject: () => 'x' };
    const { handler, reports } = createListener({ kinds: [own] });
    await handler(notificationRequest(personal));
    const [report] = reports;
    expect(report?.message).toContain('Fields: shopper.*.0.email.');
    expect(report?.message).not.toContain('52998224725');
    expect(report?.issues?.[0]?.path).toContain('52998224725');
    const parse = () => parseNotification({ body: personal, kinds: [own as never] });
    expect(parse).toThrow('shopper.*.0.email: refused by the schema of your kind own');
  });

  it('logs no word of what the platform threw while the body arrived', async () => {
    const body = new ReadableStream({ pull: (to) => to.error(new Error('PERSONAL platform')) });
    const line = await logged({}, withBody(body, { authorization }));
    expect(line).toMatch(/webhook body_interrupted: The connection was lost before the body had arrived\.$/);
  });
});

describe('the report of', () => {
  it.each([
    ['transaction is not a function', true],
    ['transaction.query is not a function', true],
    ['context.transaction(...).insert is not a function', true],
    ['p.needsPerson is not a function', true],
    ["Cannot read properties of undefined (reading 'query')", true],
    ['res.json is not a function', false],
  ])('a callback that threw “%s” says what the context is: %s', (thrown, says) => {
    const report = new WebhookReport('callback_failed', { status: 500, error: new TypeError(thrown) });
    expect(report.message.includes('misread its second argument, `{ transaction, needsPerson }`')).toBe(says);
  });

  const mayBeChanged = 'No field is of the document: has a parser or gateway changed it?';
  it.each([
    ['the body of another parser', { [JSON.stringify(personal)]: '' }, true],
    ['a wrapped body', { data: personal }, true],
    ['a body within an event', { body: JSON.stringify(personal) }, true],
    ['a body with a documented field', { saleToken: 'PERSONAL' }, false],
  ])('a body of no known kind asks whether something has changed it: %s', async (_, body, says) => {
    const { handler, reports } = createListener({ credentials: secret });
    expect((await handler(notificationRequest(body, { headers }))).status).toBe(200);
    expect(reports).toMatchObject([{ code: 'unhandled', kind: 'unrecognized' }]);
    expect(reports[0]?.message.includes(mayBeChanged)).toBe(says);
    expect(reports[0]?.message).not.toMatch(MARKS);
  });

  it('a request by another method says where to mount the handler', async () => {
    const { handler, reports } = createListener();
    await handler(put());
    expect(reports[0]?.message).toContain('Mount it by `app.post(path, handler)`.');
  });

  it.each([
    [
      'no_order',
      'Was `open` called with another store or `namespace`, or before a restart that a `MemoryStore` does not survive?',
    ],
    ['transaction_ended', 'MySQL commits at CREATE, ALTER, DROP and TRUNCATE.'],
  ] as const)('%s names the likely mistake', (code, says) => {
    expect(new WebhookReport(code, { status: 200 }, { texts: CASE_TEXTS }).message).toContain(says);
  });
});

describe('the report of a store that failed', () => {
  const error = (message: string, fields: object = {}) => Object.assign(new Error(message), fields);
  const code = (value: string, more: object = {}) => error('', { code: value, ...more });
  const name = (value: string) => error('', { name: value });

  // As the drivers throw them: their codes, their messages, and what else they, pools and ORMs make of it.
  it.each<[says: string, codes: string, messages: readonly string[], others?: readonly unknown[]]>([
    [
      'Its table does not exist. Run `createTable()`',
      '42P01 ER_NO_SUCH_TABLE',
      ['no such table: x'],
      // mysql2 with a number only, Prisma, TypeORM.
      [{ errno: 1146 }, { code: 'P2010', meta: { code: '42P01' } }, { driverError: { code: '42P01' } }],
    ],
    [
      'The role has no right to it. Check the credentials, and grant',
      '42501 28P01 ER_TABLEACCESS_DENIED_ERROR',
      ["NOPERM User default has no permissions to run the 'get' command", 'NOAUTH Authentication required.'],
      [new StoreError('failed', { cause: code('42501') })],
    ],
    [
      'The server is read-only: probably a replica, or a failover is under way. Connect to the primary.',
      '25006 ER_OPTION_PREVENTS_STATEMENT',
      ['attempt to write a readonly database', "READONLY You can't write against a read only replica."],
    ],
    [
      'No connection was free. Look for callbacks that are slow',
      '53300 ER_CON_COUNT_ERROR',
      [
        ...['timeout exceeded when trying to connect', 'sorry, too many clients already'],
        ...['Too many connections', 'Queue limit reached.', 'no connection available'],
        ...['no connection is available', 'no connections are available'],
      ],
    ],
    [
      'Its client is closed: something has called `end`, `destroy`, `quit` or `close` on it, or has never opened it.',
      '',
      [
        ...['Cannot use a pool after calling end on the pool', 'Client was closed and is not queryable'],
        ...['Pool is closed.', 'driver has already been destroyed'],
        ...['ConnectionManager.getConnection was called after the connection manager was closed!'],
        ...['Driver not Connected', 'The database connection is not open', 'database is not open'],
      ],
      [name('ClientClosedError')],
    ],
    [
      'Knex has no connections: it was destroyed, or was made without `connection`.',
      '',
      ['Unable to acquire a connection'],
    ],
    [
      'What listens at its address speaks another language: check the port',
      '',
      ['Received unexpected copyData message from backend.', 'Unexpected packet during handshake'],
    ],
    [
      'Its database cannot be reached. Check that it is running',
      '57P01 08006 PROTOCOL_CONNECTION_LOST',
      [
        ...['Connection terminated unexpectedly', 'LOADING Redis is loading the dataset in memory'],
        'unable to open database file',
      ],
      [
        ...[new AggregateError([code('ECONNREFUSED')]), code('08006', { cause: null })],
        ...[name('MaxRetriesPerRequestError')],
        error('failed', { parent: { code: 'ECONNREFUSED' } }),
      ],
    ],
    [
      'The callback caught an SQL error, or ended the transaction itself, so nothing of it was committed. Let SQL errors',
      '25P02 ER_SP_DOES_NOT_EXIST',
      ['current transaction is aborted'],
    ],
    [
      'Another connection holds a lock on it. If that continues, look for',
      'ER_LOCK_WAIT_TIMEOUT 40P01',
      ['database is locked'],
    ],
    ['It did not answer in time: it is overloaded', '', [], [name('DeadlineExceeded')]],
  ])('says: %s', (says, codes, messages, others = []) => {
    const byCode = codes
      .split(' ')
      .filter(Boolean)
      .map((each) => code(each, { name: 'error' }));
    for (const thrown of [...byCode, ...messages.map((each) => error(each)), ...others]) {
      expect([inspect(thrown), storeCause(thrown)]).toEqual([inspect(thrown), expect.stringContaining(says)]);
    }
  });

  it('looks at twenty errors at most', () => {
    const wrapped = (times: number): Error =>
      times === 0 ? code('42P01') : error('failed', { cause: wrapped(times - 1) });
    expect(storeCause(wrapped(19))).toContain('Its table does not exist');
    expect(storeCause(wrapped(20))).toBeUndefined();
  });

  it('is that the error must be looked at where it says nothing, also of a loop of causes', () => {
    const loop: Error & { cause?: unknown } = error('loop');
    loop.cause = loop;
    const told = Object.assign(error('loop'), { meta: { code: '42P01' } });
    expect(storeCause(Object.assign(told, { cause: told }))).toContain('Its table does not exist');
    // Redis begins its errors with the word.
    const quoting = ['NOAUTH', 'READONLY', 'LOADING'].map((word) => error(`the text ${word} was refused`));
    for (const thrown of [undefined, 'ECONNREFUSED', error('S3CRET'), loop, ...quoting]) {
      expect(storeCause(thrown)).toBeUndefined();
    }
  });
});
