import { confirmPayment, decodeQrCode, PaymentsClient, PaymentsError } from 'pix-automatic-sdk';
import { createOrders } from 'pix-automatic-sdk/orders';
import {
  constructNotification,
  createWebhookHandler,
  defineNotification,
  MemoryStore,
  parseNotification,
  payoutFailure,
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
  ['toLambda', toLambda as Call, '`createWebhookHandler` returns, or `orders.webhook` of `createOrders`'],
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
    "`decide(id, 'book', { order })`, got a string",
  ],
  'find({ uuid: undefined })': [
    () => orders['find']?.({ uuid: undefined }),
    '`find({ referenceCode })`, with a text.',
  ],
  'open(key)': [
    () => orders['open']?.('order-1'),
    'request: expected `open(key, { currency, … })`, got undefined',
  ],
  'open(key, request, true)': [
    () => orders['open']?.('order-1', request, true),
    '`open(key, request, { replace })`, got a boolean',
  ],
  'createOrders(client, store, on)': [
    () => (createOrders as Call)(client, new MemoryStore(), on),
    'Expected `createOrders({ client: PaymentsClient.fromEnv(), store, on: {',
  ],
  'createOrders({ baseUrl })': [
    () => withOptions({ baseUrl: 'https://service.example' }),
    'Expected `createOrders({ client: PaymentsClient.fromEnv(), store, on: {',
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
    '`getTransaction(…, { timeoutMs })`, got a number',
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
  "createRecurringCheckout('order-1', request)": [
    () => ofClient['createRecurringCheckout']?.('order-1', request),
    'expected an object, `{ currency: … }`, got a string. Of JSON, pass what `JSON.parse` gives',
  ],
  'createRecurringCheckout()': [
    () => ofClient['createRecurringCheckout']?.(),
    'expected an object, `{ currency: … }`, got undefined',
  ],
  "cancelScheduledPayment('e1')": [
    () => ofClient['cancelScheduledPayment']?.('e1'),
    'expected an object, `{ reason: … }`, got undefined',
  ],
  "cancelScheduledPayment('e1', 'a reason')": [
    () => ofClient['cancelScheduledPayment']?.('e1', 'a reason'),
    'expected an object, `{ reason: … }`, got a string',
  ],
  'getTransaction(a promise)': [
    () => ofClient['getTransaction']?.(Promise.resolve('uuid')),
    'transactionUUID: expected a string, got a promise: `await` it',
  ],
  'getTransaction({ uuid })': [() => ofClient['getTransaction']?.({ uuid: 'uuid' }), 'got an object'],
  'fromEnv({ apiKey })': [
    () => PaymentsClient.fromEnv(credentials as never),
    '`apiKey` is an option: pass all of them to `new PaymentsClient({ baseUrl, apiKey, apiToken })`',
  ],
  'fromEnv({ timeoutMs })': [
    () => PaymentsClient.fromEnv({ timeoutMs: 5 } as never),
    '`timeoutMs` is an option: `PaymentsClient.fromEnv(process.env, { timeoutMs })`',
  ],
  "apiKey: 'undefined'": [
    () => new PaymentsClient({ ...credentials, baseUrl: 'https://x.example', apiKey: `${undefined}` }),
    'Expected `apiKey` to be a non-empty string, got the text `undefined`. Is its environment variable set?',
  ],
  'no baseUrl': [() => new PaymentsClient(credentials as never), 'Is its environment variable set?'],
  'baseUrl with the path of a call': [
    () => new PaymentsClient({ ...credentials, baseUrl: 'https://x.example/v1.1/checkout/pix-automatic' }),
    'without the path of a call',
  ],
  'confirmPayment(notification)': [
    () => (confirmPayment as Call)({ kind: 'payment' }),
    '`confirmPayment(client, notification)`',
  ],
  'decodeQrCode(the checkout)': [
    () => decodeQrCode({ response: { instructions: { qrCode: {} } } } as never),
    '`response.instructions.qrCode` of a checkout',
  ],
  'payoutFailure(the notification)': [
    () => payoutFailure({ kind: 'payout', payload: { success: false } } as never),
    '`payoutFailure(notification.payload)`',
  ],
  'payoutFailure()': [() => payoutFailure(undefined as never), '`payoutFailure(notification.payload)`'],
  'parseNotification(body)': [
    () => parseNotification({ saleToken: 'x', newStatus: 'PAID' } as never),
    'the body goes into `body`',
  ],
  'parseNotification({ body: request })': [
    () => parseNotification({ body: new Request('https://shop.example', { method: 'POST', body: '{}' }) }),
    'got a request: pass `await request.text()`',
  ],
  'parseNotification({ body: promise })': [
    () => parseNotification({ body: Promise.resolve({}) }),
    'got a promise: `await` it',
  ],
  'deadLetters.forget(the letter)': [
    () => createWebhookHandler({ credentials, on: {}, deadLetters: true }).deadLetters.forget({} as never),
    '`deadLetters.forget(letter.key)`, got an object',
  ],
  'on.pago': [
    () => withOptions({ on: { ...on, pago: async () => undefined } }),
    'no `on.pago`. The callbacks are paid, returned, foreign, recurrence, payout, unrecognized.',
  ],
  'on.refunded': [
    () => withOptions({ on: { ...on, refunded: async () => undefined } }),
    'no `on.refunded`. The callbacks are paid, returned, foreign, recurrence, payout, unrecognized.',
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
