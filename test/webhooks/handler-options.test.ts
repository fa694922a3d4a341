import { ConfigurationError, createWebhookHandler } from 'pix-automatic-sdk/webhooks';
import { afterEach, describe, expect, it } from 'vitest';
import {
  basic,
  createListener,
  credentials,
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

describe('an option of a former name', () => {
  it.each([() => undefined, undefined])(
    'onError is refused, with the name that it has now (%s)',
    (onError) => {
      expect(refusalOf({ onError })).toContain('`onError` is called `onReport`');
    },
  );
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

  it('lets nobody in by a getAuthorization of its own', async () => {
    pollute('getAuthorization', () => basic(credentials));
    const { handler } = createListener();
    const request = notificationRequest(salePayload(), { headers: { authorization: 'Basic eDp5' } });
    expect(await statusOf(handler(request))).toBe(401);
  });

  it('adds neither a store, nor a limit, nor somebody who is told', async () => {
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
