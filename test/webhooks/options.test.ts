import { ConfigurationError, createWebhookHandler, salePayloadSchema } from 'pix-automatic-sdk/webhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeTransact } from '../helpers/fake-transact';
import { storeOf } from '../helpers/store-of';
import { fail, hang, throwing } from './faults';
import { salePayload } from './payloads';
import { basic, codesOf, createListener, credentials, notificationRequest, send, statusOf } from './support';
import { committing, WatchedStore } from './watched-store';

/** The message of the ConfigurationError, or what else happened. */
function refusalOf(options: object): string {
  try {
    createListener(options);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return (error as ConfigurationError).message;
  }
  return 'nothing was thrown';
}

const own = { kind: 'own', match: () => true, schema: salePayloadSchema, subject: () => 'x' };
const noNumber = [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '5000'];

describe('createWebhookHandler refuses', () => {
  it.each([undefined, null, 'key-1:token:1'])('%j as options, and says what to write', (options) => {
    expect(() => createWebhookHandler(options as never)).toThrow(
      /`createWebhookHandler\(\{ credentials, on: .*`credentialsFromEnv\(\)` reads the credentials/,
    );
  });

  const noStore = { claim: fail, complete: fail, release: fail };
  const longKept = { retentionMs: 400 * 24 * 60 * 60 * 1000 };
  const confirm = { client: { getTransaction: hang }, acceptRefunded: 'yes' };
  const keptTooLong =
    '`deadLetters.retentionMs` (30 days if it is left out) to be at least an hour less than `retentionMs`';
  const noClient = '`confirm` with `getTransaction`: `PaymentsClient.fromEnv()`, for example.';
  const noStoreHint = '`store` to be a store: `new PostgresStore(pool)`, for example.';
  const headers = "`getAuthorization` to be a function: `({ headers }) => headers.get('x-auth')`";
  const noFunction = [{ payment: true }, { payment: 'ignored' }, { payment: null }];
  const undefinedCallback =
    '`on.refund` is undefined, so such notifications would be answered 200 without a callback. If you want that, ' +
    "leave the kind out, or say 'ignore'.";
  const slowStore =
    'at most 7500: a lease lasts 15 s longer than its callback, and a slow claim and a slow record could outlast it, ' +
    'with two callbacks at a time. Make the store faster.';

  it.each<[string, readonly unknown[], string]>([
    ['getAuthorization', ['x'], headers],
    ['onReport', ['x'], '`onReport` to be a function: `(report) => void`'],
    ['onDone', [1], '`onDone` to be a function: `({ kind, isRepeat }) => void`'],
    ['kinds', [{}, 'charge'], '`kinds` to be a list'],
    ['kinds', [[{ kind: 'own' }]], '`schema` to be a Standard Schema'],
    ['kinds', [[own, own]], 'each definition in `kinds` to have a `kind` of its own'],
    ['store', [{}, noStore], noStoreHint],
    ['store', ['redis://localhost'], 'got text. It takes your client of the database, not its address. '],
    ['deadLetters', ['all', 30, null], '`deadLetters` to be `true`, `false` or `{ retentionMs }`'],
    ['deadLetters', [{ retentionMs: 0 }, { retentionMs: '1' }], '`deadLetters.retentionMs`'],
    ['deadLetters', [longKept], keptTooLong],
    ['confirm', ['client', null, { get: fail }], noClient],
    ['confirm', [confirm], '`confirm.acceptRefunded`'],
    ['on', [undefined, null, 'ignore'], 'Expected `on` to be an object'],
    ['on', [{ paymentt: fail }, { toString: fail }], 'The kinds are payment, saleStatus, reversal, refund, '],
    [
      'on',
      [{ paid: fail }],
      '`paid`, `returned` and `foreign` are callbacks of `createOrders`. The kinds are',
    ],
    ['on', [[], fail], 'Expected `on` to be an object'],
    ['on', noFunction, '`on.payment` to be a function or'],
    ['on', [{ refund: undefined }], undefinedCallback],
    ['maxBodyBytes', [...noNumber, 2 ** 53], '`maxBodyBytes`'],
    ['bodyTimeoutMs', [...noNumber, 2 ** 31], '`bodyTimeoutMs`'],
    ['callbackTimeoutMs', noNumber, '`callbackTimeoutMs`'],
    ['callbackTimeoutMs', [40_001], 'at most 40000: the service tries again after about 60 s, and the lease'],
    ['storeTimeoutMs', noNumber, '`storeTimeoutMs`'],
    ['storeTimeoutMs', [7_501], slowStore],
    ['retentionMs', noNumber, '`retentionMs`'],
  ])('a wrong %s: %j', (name, values, message) => {
    for (const value of values) expect(refusalOf({ [name]: value })).toContain(message);
  });

  it.each([
    [
      { deadletters: true },
      '`createWebhookHandler` has no option `deadletters`. Did you mean `deadLetters`?',
    ],
    [{ timeout: 5 }, 'Did you mean `bodyTimeoutMs` or `callbackTimeoutMs` or `storeTimeoutMs`?'],
    [
      { deadLetters: { retention: 5 } },
      '`deadLetters` has no option `retention`. Did you mean `retentionMs`?',
    ],
    [{ confirm: { client: { getTransaction: hang }, acceptRefund: true } }, 'Did you mean `acceptRefunded`?'],
  ])('a name that it does not read: %j', (options, message) => {
    expect(refusalOf(options)).toContain(message);
  });

  it('an undefined callback for a kind of the merchant too', () => {
    expect(refusalOf({ kinds: [own], on: { own: undefined } })).toContain('`on.own` is undefined');
  });
});

describe('createWebhookHandler takes', () => {
  it.each([
    // 4 GiB is more than a timer takes, but no time.
    { maxBodyBytes: 4 * 2 ** 30 },
    { bodyTimeoutMs: 2 ** 31 - 1 },
    { callbackTimeoutMs: 40_000 },
    { retentionMs: 365 * 24 * 60 * 60 * 1000 },
    { confirm: false, deadLetters: false },
    { getAuthorization: undefined, onReport: undefined, kinds: undefined, store: undefined },
  ])('%o', async (options) => {
    const { handler, acted } = createListener(options);
    expect(await send(handler)).toBe(200);
    expect(acted).toHaveLength(1);
  });

  it('a storeTimeoutMs whose slowest claim and record fit into the lease beside the longest callback', async () => {
    const store = new WatchedStore();
    const { handler } = createListener({ store, storeTimeoutMs: 7_500 });
    expect(await send(handler)).toBe(200);
    expect(store.leases[0]).toBe(7_500 + 25_000 + 7_500);
  });

  it('a store that works only in transactions', async () => {
    const { handler, acted } = createListener({
      store: storeOf({ transact: fakeTransact(committing) } as never),
    });
    expect(await send(handler)).toBe(200);
    expect(acted).toHaveLength(1);
  });

  it('a kind that a conditional spread leaves out', async () => {
    const wanted = String(process.env['NO_SUCH_VARIABLE']) === 'yes';
    const { handler, reports } = createListener({ on: { ...(wanted ? { payment: () => undefined } : {}) } });
    expect(await send(handler)).toBe(200);
    expect(codesOf(reports)).toEqual(['unhandled']);
  });
});

describe('a polluted Object.prototype', () => {
  const polluted = new Set<string>();
  const pollute = (name: string, value: unknown) => {
    Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true });
    polluted.add(name);
  };
  afterEach(() => {
    for (const name of polluted) Reflect.deleteProperty(Object.prototype, name);
    polluted.clear();
  });

  it('lets nobody in by its getAuthorization', async () => {
    pollute('getAuthorization', () => basic(credentials));
    const { handler } = createListener();
    const request = notificationRequest(salePayload(), { headers: { authorization: 'Basic eDp5' } });
    expect(await statusOf(handler(request))).toBe(401);
  });

  it('adds neither a store, nor a limit, nor a reporter, nor a callback', async () => {
    const store = new WatchedStore();
    const told: unknown[] = [];
    const onReport = (report: unknown) => told.push(report);
    const fields = { store, maxBodyBytes: 1, callbackTimeoutMs: 'no number', onReport, kinds: 'no kinds' };
    for (const [name, value] of Object.entries(fields)) pollute(name, value);
    const handler = createWebhookHandler({ credentials, on: { payment: () => undefined } });
    expect(await send(handler)).toBe(200);
    expect([store.steps, told]).toEqual([[], []]);
    pollute('payment', (notification: unknown) => told.push(notification));
    const { handler: without, reports } = createListener({ on: {} });
    expect(await send(without)).toBe(200);
    expect([told, codesOf(reports)]).toEqual([[], ['unhandled']]);
  });
});

describe('the warning that there is no store', () => {
  const warn = vi.spyOn(console, 'warn');
  beforeEach(() => void warn.mockReset().mockImplementation(() => undefined));
  afterEach(() => void vi.unstubAllEnvs());

  /** Creates a handler without a store, which works all the same. */
  async function warningsIn(environment: string, create = () => createListener({ store: undefined })) {
    vi.stubEnv('NODE_ENV', environment);
    const { handler, acted } = create();
    expect([await send(handler), await send(handler), acted.length]).toEqual([200, 200, 1]);
    return warn.mock.calls;
  }

  it('comes once in production, and says that only this process notices duplicates', async () => {
    expect(await warningsIn('production')).toEqual([
      [expect.stringMatching(/no `store`.*this process only.*Pass a store of .* or `new MemoryStore\(\)`/)],
    ]);
  });

  it('does not come with a store, nor outside production', async () => {
    expect(await warningsIn('production', () => createListener())).toEqual([]);
    expect(await warningsIn('development')).toEqual([]);
  });

  it.each<[string, object | undefined]>([
    ['no process', undefined],
    ['a process without an environment', {}],
    ['an environment that may not be read', Object.defineProperty({}, 'env', { get: throwing(new Error()) })],
  ])('does not come on a runtime with %s', async (_, process) => {
    const create = () => {
      vi.stubGlobal('process', process);
      try {
        return createListener({ store: undefined });
      } finally {
        vi.unstubAllGlobals();
      }
    };
    expect(await warningsIn('production', create)).toEqual([]);
  });
});
