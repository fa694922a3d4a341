import { decodeQrCode, PaymentsClient, PaymentsError } from 'pix-automatic-sdk';
import { createOrders } from 'pix-automatic-sdk/orders';
import {
  constructNotification,
  createWebhookHandler,
  defineNotification,
  MemoryStore,
  parseNotification,
  toLambda,
} from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { request } from '../orders/support';

// The mistakes of a first day. A handler called with something else is tested in test/webhooks/handler.test.ts.
const credentials = { apiKey: 'key', apiToken: 'token' };
type Call = (...given: unknown[]) => unknown;

const calls: ReadonlyArray<readonly [what: string, call: Call, says: string]> = [
  ['new PaymentsClient', (options) => new PaymentsClient(options as never), 'PaymentsClient.fromEnv()'],
  ['createWebhookHandler', createWebhookHandler as Call, 'createWebhookHandler({ credentials, on:'],
  ['toLambda', toLambda as Call, '`createWebhookHandler` returns'],
  ['parseNotification', parseNotification as Call, 'parseNotification({ url, body })'],
  [
    'constructNotification',
    (input) => constructNotification(input as never, credentials),
    'constructNotification({ authorization, url, body }, credentials)',
  ],
  ['defineNotification', defineNotification as Call, 'defineNotification({ kind, match, schema, subject })'],
  ['decodeQrCode', decodeQrCode as Call, '`response.instructions.qrCode` of a checkout'],
];

describe.each(calls)('%s', (_what, call, says) => {
  it.each([[undefined], [null], [7]])(
    'called with %s, says how to call it, and throws no raw TypeError',
    (given) => {
      let thrown: unknown;
      try {
        call(given);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(PaymentsError);
      expect((thrown as PaymentsError).message).toContain(says);
    },
  );
});

const client = new PaymentsClient({ baseUrl: 'https://service.example', ...credentials });
const on = { paid: async () => undefined, returned: 'ignore' as const };
const withOptions = (options: object) =>
  createOrders({ client, store: new MemoryStore(), on, ...options } as never);
const orders = withOptions({}) as unknown as Readonly<Record<string, Call>>;
const ofClient = client as unknown as Readonly<Record<string, Call>>;

/** Each is refused before anything is sent, read or written. */
const mistakes: Readonly<Record<string, readonly [call: () => unknown, says: string]>> = {
  "start('1h')": [() => orders['start']?.('1h'), '`start({ everyMs })`, got a string'],
  'start({ every })': [
    () => orders['start']?.({ every: 5 }),
    'has no option `every`. Did you mean `everyMs`?',
  ],
  'maintain(5)': [() => orders['maintain']?.(5), '`maintain({ concurrency })`, got a number'],
  "maintain({ perSecond: '5' })": [
    () => orders['maintain']?.({ perSecond: '5' }),
    '`perSecond` to be a number',
  ],
  'maintain({ persecond })': [() => orders['maintain']?.({ persecond: 5 }), 'Did you mean `perSecond`?'],
  'maintain({ signal: controller })': [
    () => orders['maintain']?.({ signal: new AbortController() }),
    '`signal` to be an AbortSignal, such as `controller.signal`',
  ],
  "reconcile({ maxAgeMs: '1' })": [
    () => orders['reconcile']?.({ maxAgeMs: '1' }),
    '`maxAgeMs` to be a number',
  ],
  "reconcile(['uuid'])": [() => orders['reconcile']?.(['uuid']), '`reconcile({ concurrency })`, got a list'],
  "cases('x')": [() => orders['cases']?.('x'), '`orders.cases({ after })`, got a string'],
  'cases({ after: the case })': [() => orders['cases']?.({ after: { id: 'x' } }), 'to be the `id` of a case'],
  "list('x')": [() => orders['list']?.('x'), '`orders.list({ after })`, got a string'],
  'list({ after: the order })': [
    () => orders['list']?.({ after: { key: 'x' } }),
    'to be the `key` of an order',
  ],
  "find('order-1')": [() => orders['find']?.('order-1'), "`find({ key: 'order-1001' })`, got a string"],
  'decide(id, ‘book’, { ordr })': [
    () => orders['decide']?.('payment:x:PAID', 'book', { ordr: 'x' }),
    '`decide` has no option `ordr`. Did you mean `order`?',
  ],
  'decide(id, ‘book’, order)': [
    () => orders['decide']?.('payment:x:PAID', 'book', 'order-1'),
    '`decide({ order })`, got a string',
  ],
  "open(key, request, { replace: 'false' })": [
    () => orders['open']?.('order-1', request, { replace: 'false' }),
    'Expected `replace` to be true or false, got a string.',
  ],
  'open(key, request, { replce })': [
    () => orders['open']?.('order-1', request, { replce: true }),
    '`open` has no option `replce`. Did you mean `replace`?',
  ],
  'getTransaction(uuid, 5000)': [
    () => ofClient['getTransaction']?.('uuid', 5000),
    '`getTransaction({ timeoutMs })`, got a number',
  ],
  'getTransaction(uuid, { timeout })': [
    () => ofClient['getTransaction']?.('uuid', { timeout: 5 }),
    'Did you mean `timeoutMs` or `totalTimeoutMs`?',
  ],
  'getTransaction(uuid, { extraFields })': [
    () => ofClient['getTransaction']?.('uuid', { extraFields: {} }),
    '`getTransaction` has no option `extraFields`',
  ],
  'getTransaction(uuid, signal)': [
    () => ofClient['getTransaction']?.('uuid', AbortSignal.timeout(1)),
    'Expected the signal as an option, by its name',
  ],
  "request('GET', path)": [
    () => ofClient['request']?.('GET', '/x'),
    '`client.request({ method })`, got a string',
  ],
  'request({ data })': [
    () => ofClient['request']?.({ method: 'POST', path: '/x', data: {} }),
    '`client.request` has no option `data`',
  ],
  'on.pago': [() => withOptions({ on: { ...on, pago: async () => undefined } }), 'Did you mean `paid`?'],
  'on.refunded': [
    () => withOptions({ on: { ...on, refunded: async () => undefined } }),
    'no `on.refunded`. The callbacks are paid, returned, foreign, payout, unrecognized.',
  ],
  'on: a function': [() => withOptions({ on: async () => undefined }), '`on` to be an object with `paid`'],
  "credentials: 'a:b'": [
    () => withOptions({ credentials: 'a:b' }),
    'to be `{ apiKey, apiToken }` or a list of such pairs, got a string. `credentialsFromEnv()`',
  ],
  'credentials: the client': [
    () => createWebhookHandler({ credentials: client as never, on: {} }),
    'got a `PaymentsClient`. `credentialsFromEnv()`',
  ],
  'no credentials': [
    () => createWebhookHandler({ on: {} } as never),
    'got undefined. `credentialsFromEnv()`',
  ],
  'a client without credentials': [
    () => withOptions({ client: { createRecurringCheckout() {}, getTransaction() {} } }),
    '`{ apiKey, apiToken }`, or `credentialsFromEnv()`',
  ],
};

it.each(Object.entries(mistakes))(
  '%s is refused, and the message says what to write',
  async (_, [call, says]) => {
    const thrown = await (async () => call())().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(thrown).toBeInstanceOf(PaymentsError);
    expect((thrown as PaymentsError).message).toContain(says);
    expect((thrown as PaymentsError).message).not.toMatch(/a:b/);
  },
);
