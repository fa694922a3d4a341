import { ConfigurationError, createWebhookHandler, salePayloadSchema } from 'pix-automatic-sdk/webhooks';
import { afterEach, describe, expect, it } from 'vitest';
import {
  basic,
  createListener,
  credentials,
  fail,
  notificationRequest,
  salePayload,
  statusOf,
  WatchedStore,
} from './support';

/** What is thrown, so that its class and its text can both be looked at. */
function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return 'nothing was thrown';
}

function refusalOf(options: object): string {
  const error = thrownBy(() => createListener(options));
  expect(error).toBeInstanceOf(ConfigurationError);
  return (error as ConfigurationError).message;
}

it.each([undefined, null, 'key-1:token:1'])(
  'createWebhookHandler refuses %j as options, and says what to write and where credentials come from',
  (options) => {
    const error = thrownBy(() => createWebhookHandler(options as never));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as ConfigurationError).message).toMatch(
      /`createWebhookHandler\(\{ credentials, on: .*`credentialsFromEnv\(\)` reads the credentials/,
    );
  },
);

describe('an option that must hold functions', () => {
  it.each([
    [
      'getAuthorization',
      'x-auth',
      "`getAuthorization` to be a function: `({ headers }) => headers.get('x-auth')`",
    ],
    ['onReport', 'x', '`onReport` to be a function: `(report) => void`'],
    ['kinds', {}, '`kinds` to be a list'],
    ['kinds', 'charge', '`kinds` to be a list'],
    ['kinds', [{ kind: 'own' }], '`schema` to be a Standard Schema'],
    ['store', {}, '`store` with `claim`'],
    ['store', { claim: fail }, '`store` with `complete`'],
    ['store', { claim: fail, complete: fail, release: true }, '`store` with `release`'],
    ['store', { claim: fail, complete: fail, release: fail, transact: null }, '`store` with `transact`'],
    ['store', 'redis://localhost', '`store` with `claim`'],
  ])('is refused where %s is %j, when the handler is created', (name, value, message) => {
    expect(refusalOf({ [name]: value })).toContain(message);
  });

  it('may be a store that works only in transactions', async () => {
    const transact = async (
      _request: unknown,
      work: (transaction: unknown, claim: object) => Promise<void>,
    ) => {
      await work({}, { fence: 1, handledStates: [] });
      return { status: 'completed' };
    };
    const { handler, acted } = createListener({ store: { transact } as never });
    expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(200);
    expect(acted).toHaveLength(1);
  });

  it.each(['getAuthorization', 'onReport', 'kinds', 'store'])('may be undefined: %s', async (name) => {
    const { handler, acted } = createListener({ [name]: undefined });
    expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(200);
    expect(acted).toHaveLength(1);
  });
});

describe('createWebhookHandler, checking limits against each other,', () => {
  it('refuses a storeTimeoutMs above 7.5 s, because claim, callback and record would outlast the lease', async () => {
    for (const storeTimeoutMs of [7_501, 15_000, 20_000]) {
      expect(refusalOf({ storeTimeoutMs })).toMatch(
        /`storeTimeoutMs` to be at most 7500: .*two callbacks at a time/,
      );
    }
    const store = new WatchedStore();
    const { handler } = createListener({ store, storeTimeoutMs: 7_500 });
    expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(200);
    // A claim answered at the last moment, a callback that takes all of its time, and a record in the last moment.
    expect(store.leases[0]).toBe(7_500 + 25_000 + 7_500);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '2592000000', null])(
    'refuses a retentionMs of %j',
    (retentionMs) => {
      if (retentionMs === null)
        expect(thrownBy(() => createListener({ retentionMs: null } as never))).not.toBeInstanceOf(TypeError);
      else expect(refusalOf({ retentionMs })).toContain('retentionMs');
    },
  );

  it('takes a limit as long as a timer can take', () => {
    expect(thrownBy(() => createListener({ bodyTimeoutMs: 2 ** 31 - 1 }))).toBe('nothing was thrown');
  });

  it('takes a retentionMs longer than a timer can take', () => {
    expect(thrownBy(() => createListener({ retentionMs: 365 * 24 * 60 * 60 * 1000 }))).toBe(
      'nothing was thrown',
    );
  });
});

describe('a callback that is undefined', () => {
  it.each(['payment', 'saleStatus', 'reversal', 'refund', 'payout', 'unrecognized'])(
    'for %s is refused: each such notification would be answered 200 and lost',
    (kind) => {
      expect(refusalOf({ on: { [kind]: undefined } })).toContain(
        `\`on.${kind}\` is undefined, so such notifications would be answered 200 without a callback.`,
      );
    },
  );

  it('for an own kind is refused too', () => {
    const kinds = [{ kind: 'own', match: () => true, schema: salePayloadSchema, subject: () => 'x' }];
    expect(refusalOf({ kinds, on: { own: undefined } })).toContain('`on.own` is undefined');
  });

  it('is told from a kind that is left out, even by a conditional spread', async () => {
    const wanted = String(process.env['NO_SUCH_VARIABLE']) === 'yes';
    const { handler, reports } = createListener({ on: { ...(wanted ? { payment: () => undefined } : {}) } });
    expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(200);
    expect(reports).toMatchObject([{ code: 'unhandled' }]);
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

  it('adds neither a store, nor a limit, nor a reporter', async () => {
    const store = new WatchedStore();
    const told: unknown[] = [];
    pollute('store', store);
    pollute('maxBodyBytes', 1);
    pollute('callbackTimeoutMs', 'no number');
    pollute('onReport', (report: unknown) => told.push(report));
    pollute('kinds', 'no kinds');
    const handler = createWebhookHandler({ credentials, on: { payment: () => undefined } });
    expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(200);
    expect([store.steps, told]).toEqual([[], []]);
  });

  it('adds no callback', async () => {
    const acted: unknown[] = [];
    pollute('payment', (notification: unknown) => acted.push(notification));
    const { handler, reports } = createListener({ on: {} });
    expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(200);
    expect(acted).toEqual([]);
    expect(reports).toMatchObject([{ code: 'unhandled' }]);
  });
});
