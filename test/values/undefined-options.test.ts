import { readFileSync } from 'node:fs';
import { confirmPayment, PaymentsClient, type PaymentsClientOptions, reconcile } from 'pix-automatic-sdk';
import { createOrders, type OrdersOptions, type ReconcileOrdersOptions } from 'pix-automatic-sdk/orders';
import { pixCalendar } from 'pix-automatic-sdk/pix';
import { listScheduledPayments, type ScheduledPaymentsQuery } from 'pix-automatic-sdk/recurrence';
import { type SandboxOptions, sequentialIds, startSandbox } from 'pix-automatic-sdk/sandbox';
import {
  createStore,
  drizzleStore,
  type JoinedStoreOptions,
  knexStore,
  kyselyStore,
  MysqlStore,
  type MysqlStoreOptions,
  PostgresStore,
  type PostgresStoreOptions,
  prismaStore,
  RedisStore,
  type RedisStoreOptions,
  SqliteStore,
  type SqliteStoreOptions,
  type Store,
  type StoreWithinOptions,
  sequelizeStore,
  storeWithin,
  typeormStore,
} from 'pix-automatic-sdk/stores';
import { fakeClock, fixtures, mockService, notificationRequest, testOrders } from 'pix-automatic-sdk/testing';
import {
  createWebhookHandler,
  defineNotification,
  MemoryStore,
  parseNotification,
  type WebhookHandlerOptions,
} from 'pix-automatic-sdk/webhooks';
import { describe, expect, it, vi } from 'vitest';
import { resolveOptions } from '../../src/client/options';
import { stepsOf } from '../../src/stores/steps';
import { resolveHandlerOptions } from '../../src/webhooks/options';
import { allOf } from '../helpers/all-of';
import { errors, FakeClient, request } from '../orders/support';
import { salePayload } from '../webhooks/payloads';

// An option that is `undefined` is left out, everywhere: `createOrders({ confirm: undefined })` switched confirmation
// off. Each row also has another value, which must make a difference: without one, a row could not fail.

interface Case {
  /** What shows of the options; it may throw. */
  readonly observe: (options: never) => unknown;
  readonly rows: Readonly<Record<string, unknown>>;
  /** The options that cannot be left out, and those without which others do not show. */
  readonly base: () => object;
}

/** The same of these options, where the type has more than these. */
type Some<Name extends string> = Readonly<Record<Name, unknown>>;

/** @param rows - another value for every option: one that is missing, or that is none, does not compile */
function takes<Options extends object>(
  observe: (options: Options) => unknown,
  rows: { readonly [Name in keyof Options]-?: unknown },
  base: () => Partial<Options> = () => ({}),
): Case {
  return { observe, rows: rows as Case['rows'], base };
}

const credentials = { apiKey: 'key', apiToken: 'token' };
const other = { apiKey: 'other', apiToken: 'pair' };
const aborted = AbortSignal.abort();
const fromHeader = ({ headers }: { headers: { get(name: string): string | null } }) => headers.get('x-auth');
const source = (situation: string) => ({
  getTransaction: async (uuid: string) =>
    fixtures.transaction({ ...salePayload(), uuid, situation, refunds: undefined } as object),
});
const refunded = {
  getTransaction: async (uuid: string) => fixtures.transaction({ uuid, situation: 'PAID' }),
};

const own = defineNotification({
  kind: 'own',
  match: (body) => 'own' in body,
  schema: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
  subject: () => 'x',
});

/** How a listener answers a payment, a body of a kind of its own, and one of none. */
async function answersOf(options: WebhookHandlerOptions) {
  const handler = createWebhookHandler(options);
  const statuses: number[] = [];
  for (const body of [salePayload(), { own: 1 }, { unknown: 1 }]) {
    const headers = { 'x-auth': 'Basic eDp5' };
    statuses.push((await handler(notificationRequest('custom', body, credentials, { headers }))).status);
  }
  const letters = await handler.deadLetters.list().catch(() => []);
  return { statuses, letters: letters.map(({ kind }) => kind) };
}

const listener = (): WebhookHandlerOptions => ({
  credentials,
  store: new MemoryStore(),
  on: { payment: () => undefined, own: () => undefined, unrecognized: () => undefined } as object,
  kinds: [own] as never,
  onReport: () => undefined,
});

type Limits = 'maxBodyBytes' | 'bodyTimeoutMs' | 'callbackTimeoutMs' | 'storeTimeoutMs' | 'retentionMs';

const limitsOf = (value: number): Readonly<Record<Limits, number>> => ({
  maxBodyBytes: value,
  bodyTimeoutMs: value,
  callbackTimeoutMs: value,
  storeTimeoutMs: value,
  retentionMs: value,
});

const onOrders = { paid: async () => undefined, returned: 'ignore' } as const;
const orderOptions = () => ({
  client: Object.assign(new FakeClient(), source('PENDING')),
  credentials,
  store: new MemoryStore(),
  on: onOrders,
  onReport: () => undefined,
});

/** Two orders of which both have a journey. */
async function openedOrders() {
  const orders = createOrders(orderOptions());
  await orders.open('order-1', request);
  await orders.open('order-2', request);
  return orders;
}

/** A client whose every call is answered like this, and what it sends. */
function clientSending(status: number) {
  const sent: unknown[] = [];
  const fetch = async (url: string, { body }: { body?: unknown }) => {
    sent.push(url, body);
    return new Response('{}', { status });
  };
  const client = new PaymentsClient({ baseUrl: 'http://localhost', ...credentials, maxRetries: 0, fetch });
  return { client, sent };
}

/** These options, with an `onProgress` that counts where they have one. */
function countingProgress<Options extends { onProgress?: unknown }>(options: Options) {
  const onProgress = vi.fn();
  const counted = options.onProgress ? { ...options, onProgress } : options;
  return { counted, calls: () => onProgress.mock.calls.length };
}

/** How a client’s calls end, and what they send. */
async function callsOf(options: object) {
  const { client, sent } = clientSending(503);
  const ends = await Promise.allSettled([
    client.createRecurringCheckout(fixtures.recurringCheckoutRequest(), options),
    client.getTransaction('uuid', options),
    client.cancelScheduledPayment('id', { reason: 'x' }, options),
    client.request({ method: 'GET', path: '/x' }, options),
  ]);
  return [ends.map((end) => end.status === 'rejected' && end.reason.code), sent];
}

async function sentBy(call: object) {
  const { client, sent } = clientSending(200);
  return [await client.request(call as never), sent];
}

/** Whether it has transactions, and its table. */
const shownOf = (store: Store<never>) => [store.createTableSql(), stepsOf(store).transact !== undefined];

const joined = { schema: 'other', table: 'other', namespace: '' };
const limits = { maxTransactions: 0, slotTimeoutMs: 0, holdMs: 0, stepTimeoutMs: 0 };
const ormStore = (make: (options: JoinedStoreOptions) => Store<never>) =>
  takes<JoinedStoreOptions>((options) => shownOf(make(options)), { ...joined, ...limits });
const dialectStore = (make: (options: StoreWithinOptions) => Store<never>) =>
  takes<StoreWithinOptions>(
    (options) => shownOf(make(options)),
    { ...joined, ...limits, dialect: 'mysql' },
    () => ({ dialect: 'postgres' }),
  );
const none = async () => undefined as never;
const pace = { concurrency: 0, perSecond: 0, timeoutMs: 0 };
const notFunctions = { getAuthorization: fromHeader, onReport: 'no function', onDone: 'no function' };
const tag = () => ({});
const pool = { query: none, connect: none, totalCount: 0 };

const service = {
  credentials: other,
  webhookUrl: 'http://127.0.0.1:9/other',
  retryIntervalMs: -1,
  inventions: { deliveryTimeoutMs: -1 },
  ids: { ...sequentialIds(), uuid: () => 'from-the-test' },
};

async function running(options: SandboxOptions) {
  const entries: unknown[] = [];
  const { log } = options;
  const sandbox = await startSandbox(log ? { ...options, log: (entry) => entries.push(entry) } : options);
  try {
    await fetch(`${sandbox.url}/nothing`);
    const { uuid } = sandbox.createTestJourney();
    const [journey] = sandbox.transactions;
    const created = journey?.createdAt.startsWith('1970');
    const shown = [sandbox.credentials, sandbox.webhookUrl, uuid.length, created, entries.length];
    return [...shown, new URL(sandbox.url).hostname];
  } finally {
    await sandbox.close();
  }
}

const environment = {
  PAYMENTS_BASE_URL: 'http://intern',
  PAYMENTS_API_KEY: 'key',
  PAYMENTS_API_TOKEN: 'token',
  PAYMENTS_API_KEY_PREVIOUS: 'previous',
  PAYMENTS_API_TOKEN_PREVIOUS: 'previous',
  PAYMENTS_ALLOW_INSECURE_HTTP: 'true',
};

const mocked = () => ({ ids: sequentialIds(), clock: fakeClock() });

/** What a move of the payer, the bank or the service leaves behind, in a service whose ids are always the same. */
const movedBy = <Options extends object>(
  move: (service: ReturnType<typeof mockService>, uuid: string, options: Options) => unknown,
  rows: { readonly [Name in keyof Options]-?: unknown },
  base: () => Partial<Options> = () => ({}),
) =>
  takes<Options>(
    (options) => {
      const service = mockService(mocked());
      const { uuid } = service.createTestJourney();
      service.pay(uuid);
      return JSON.stringify(move(service, uuid, options));
    },
    rows,
    base,
  );

type Moves = ReturnType<typeof mockService>;
type OptionsOf<Move extends 'createTestJourney' | 'payOut'> = Parameters<Moves[Move]>[0] & {};
type ReturnsOf<Move extends 'refund' | 'reverse'> = Parameters<Moves[Move]>[1] & {};

const paidSale = { kind: 'payment', payload: salePayload() } as const;
const payment = (date: string) => ({ initialDate: date, periodicity: 'MONTHLY' }) as const;

/** By the type of the options, as `docs/api-report.md` has it, and by who takes them. */
const cases: Readonly<Record<string, Case>> = {
  'WebhookHandlerOptions of createWebhookHandler': takes<Omit<WebhookHandlerOptions, Limits>>(
    answersOf,
    {
      credentials: other,
      on: {},
      kinds: 'no list',
      store: 'no store',
      confirm: source('PENDING'),
      deadLetters: true,
      ...notFunctions,
    },
    () => {
      const { kinds: _, ...base } = listener();
      return { ...base, on: { payment: () => undefined } };
    },
  ),
  'limits of createWebhookHandler': takes<Pick<WebhookHandlerOptions, Limits>>(
    (options) => {
      const { store: _, onReport: __, ...rest } = resolveHandlerOptions({ credentials, on: {}, ...options });
      return rest;
    },
    { ...limitsOf(1), retentionMs: 1e11 },
  ),
  'confirm of createWebhookHandler': takes<Some<'client' | 'acceptRefunded'>>(
    (confirm) => answersOf({ ...listener(), confirm: confirm as never }),
    { client: source('PENDING'), acceptRefunded: 'yes' },
    () => ({ client: refunded }),
  ),
  'deadLetters of createWebhookHandler': takes<Some<'retentionMs'>>(
    (deadLetters) =>
      resolveHandlerOptions({ credentials, on: {}, deadLetters: deadLetters as never }).lettersMs,
    { retentionMs: 1 },
  ),
  'OrdersOptions of createOrders': takes<OrdersOptions>(
    async (options) => {
      const { webhook } = createOrders(options);
      const sent = notificationRequest('payment', salePayload(), credentials, { headers: { 'x-auth': 'x' } });
      const { status } = await webhook(sent);
      return { status, letters: (await webhook.deadLetters.list()).length };
    },
    {
      ...limitsOf(0),
      ...notFunctions,
      ...{ client: {}, store: new MemoryStore(), credentials: other, on: 'no object', kinds: 'no list' },
      ...{
        confirm: 'no client',
        asPayment: 'no function',
        totalTimeoutMs: 0,
        waitMs: 0,
        recurrences: 'no boolean',
      },
    },
    orderOptions,
  ),
  'OrderQuery of orders.list': takes<Some<'after'>>(
    async (query) => (await allOf((await openedOrders()).list(query as never))).map(({ key }) => key),
    { after: 'order-1' },
  ),
  'CaseQuery of orders.cases': takes<Some<'after' | 'order'>>(
    async (query) => {
      const orders = await openedOrders();
      await orders.webhook(notificationRequest('payout', {}, credentials));
      return (await allOf(orders.cases(query as never))).length;
    },
    { after: 'payout:zzz', order: 'order-9' },
  ),
  'CancelRecurrenceOptions of orders.cancelRecurrence': takes<Some<'reason' | 'idRec'>>(
    async (options) => {
      const sent: unknown[] = [];
      const client = Object.assign(new FakeClient(), { request: async (call: unknown) => sent.push(call) });
      const orders = createOrders({ ...orderOptions(), client });
      await orders.open('order-1', request);
      for (const idRec of ['RR-1', 'RR-2']) {
        const event = { idRec, externalId: 'order-1', eventType: 'RECURRENCE_AUTHORIZED' } as const;
        await orders.webhook(notificationRequest('recurrence', event, credentials));
      }
      await orders.cancelRecurrence('order-1', options as never);
      return sent;
    },
    { reason: 'another reason', idRec: 'RR-1' },
    () => ({ reason: 'asked for' }),
  ),
  'OpenOptions of orders.open': takes<Some<'replace'>>(
    async (options) => {
      const orders = await openedOrders();
      return (await orders.open('order-1', { ...request, amount: 1 }, options as never)).state;
    },
    { replace: true },
  ),
  'Booking of orders.decide': takes<Some<'order' | 'amount'>>(
    async (options) => {
      const orders = await openedOrders();
      await orders.webhook(notificationRequest('refund', { saleToken: 'nobody' }, credentials));
      const [early] = await allOf(orders.cases());
      return orders.decide(String(early?.id), 'dismiss', options as never);
    },
    { order: 'order-1', amount: 0 },
  ),
  'StartOptions of orders.start': takes<Some<'everyMs'>>(
    async (options) => {
      const orders = await openedOrders();
      orders.start(options as never);
      await orders.stop();
    },
    { everyMs: 0 },
  ),
  'ReconcileOrdersOptions of orders.reconcile': takes<ReconcileOrdersOptions>(
    async (options) => {
      const { counted, calls } = countingProgress(options);
      return [await (await openedOrders()).reconcile(counted), calls()];
    },
    { ...pace, stopAfterFailures: 0, maxAgeMs: -1e9, signal: aborted, onProgress: none },
  ),
  'limit of deadLetters.list': takes<Some<'after' | 'limit'>>(
    async (page) => {
      const handler = createWebhookHandler({ ...listener(), on: {}, kinds: [], deadLetters: true });
      await handler(notificationRequest('payment', {}, credentials));
      return (await handler.deadLetters.list(page as never)).length;
    },
    { after: 'payment:zzz', limit: 0 },
  ),
  'NotificationInput of parseNotification': takes<Some<'url' | 'query' | 'kinds'>>(
    (input) => parseNotification({ body: { own: 1 }, ...input } as never),
    { url: 'https://merchant.example?payout=true', query: 'payout=true', kinds: [own] },
  ),
  'NotificationDefinition of defineNotification': takes<Some<'state' | 'content' | 'order'>>(
    (parts) => {
      const { match, schema, subject } = own;
      const kind = defineNotification({ kind: 'own', match, schema, subject, ...parts } as never);
      return parseNotification({ body: { own: 1 }, kinds: [kind] as never });
    },
    { state: () => 'PAID', content: 'no function', order: 'no function' },
  ),
  'PaymentsClientOptions of PaymentsClient': takes<
    Omit<PaymentsClientOptions, 'allowInsecureHttp' | 'dispatcher'>
  >(
    resolveOptions,
    {
      ...other,
      ...{ baseUrl: 'https://other.example', previous: other, userAgent: 'other' },
      ...{ timeoutMs: 1, totalTimeoutMs: 1, maxRetries: 1, maxResponseBytes: 1 },
      ...{ fetch: none, onRequest: none, onResponse: none, onRetry: none },
    },
    () => ({ baseUrl: 'http://localhost', ...credentials }),
  ),
  // It does not go together with `fetch`.
  'dispatcher of PaymentsClient': takes<Pick<PaymentsClientOptions, 'dispatcher'>>(
    (options) => resolveOptions(options as PaymentsClientOptions),
    { dispatcher: { dispatch: () => true } },
    () => ({ baseUrl: 'http://localhost', ...credentials }) as object,
  ),
  'insecure PaymentsClient': takes<Some<'allowInsecureHttp'>>(
    (options) => new PaymentsClient({ baseUrl: 'http://intern', ...credentials, ...(options as object) }),
    { allowInsecureHttp: true },
  ),
  'options of PaymentsClient.fromEnv': takes<Some<'previous' | 'maxRetries' | 'allowInsecureHttp'>>(
    (options) => PaymentsClient.fromEnv(environment, options as object),
    { previous: { apiKey: ':' }, maxRetries: -1, allowInsecureHttp: false },
  ),
  'BodyCallOptions of a call': takes<Some<CallOption>>(callsOf, {
    timeoutMs: 0,
    totalTimeoutMs: 0,
    maxRetries: 1,
    signal: aborted,
    extraFields: { more: 1 },
  }),
  'UndocumentedRequest of client.request': takes<Some<'query' | 'body' | 'schema'>>(
    (parts) => sentBy({ method: 'POST', path: '/x', ...parts }),
    { query: { a: 1 }, body: { a: 1 }, schema: 'no schema' },
  ),
  'ConfirmOptions of confirmPayment': takes<Some<'timeoutMs' | 'acceptRefunded' | 'signal'>>(
    async (options) => {
      let limits: object | undefined;
      const client = {
        getTransaction: (uuid: string, given?: object) => {
          limits = given;
          return refunded.getTransaction(uuid);
        },
      };
      const { differences, confirmed } = await confirmPayment(client, paidSale, options as object);
      return [limits, differences, confirmed];
    },
    { timeoutMs: 1, acceptRefunded: 'yes', signal: aborted },
  ),
  'ReconcileOptions of reconcile': takes<Some<ReconcileOption>>(
    async (options) => {
      const { counted, calls } = countingProgress(options);
      const results: unknown[] = [];
      const client = { getTransaction: () => Promise.reject(errors.unknown()) };
      for await (const { uuid, error } of reconcile(client, ['a', 'b'], counted as object)) {
        results.push([uuid, error?.code]);
      }
      return [results, calls()];
    },
    { ...pace, stopAfterFailures: 1, onProgress: none, signal: aborted },
  ),
  'ScheduledPaymentsQuery of listScheduledPayments': takes<ScheduledPaymentsQuery>(
    async (query) => {
      const { client, sent } = clientSending(503);
      await listScheduledPayments(client, query)
        .next()
        .catch(() => undefined);
      return sent;
    },
    { status: 'FAILED', from: '2027-01-01', to: '2027-01-31' },
  ),
  'PixRecurrence of pixCalendar': takes<Some<'finalDate'>>(
    (options) => {
      const dates: string[] = [];
      for (const { dueDate } of pixCalendar({ ...payment('2027-01-15'), ...(options as object) })) {
        dates.push(dueDate);
        if (dates.length === 3) break;
      }
      return dates;
    },
    { finalDate: '2027-02-15' },
  ),
  'MemoryStoreOptions of MemoryStore': takes<Some<'maxEntries' | 'clock' | 'namespace'>>(
    (options) => shownOf(new MemoryStore(options as object) as never),
    { maxEntries: 0, clock: 1, namespace: '' },
  ),
  'NamespaceOptions of createStore': takes<Some<'namespace'>>(
    (options) => shownOf(createStore({ read: none, write: none, list: none }, options as object) as never),
    { namespace: '' },
  ),
  'SqliteStoreOptions of SqliteStore': takes<SqliteStoreOptions>(
    (options) =>
      shownOf(new SqliteStore({ prepare: () => ({ all: () => [], run: () => [] }) }, options) as never),
    { table: 'other', namespace: '', busyTimeoutMs: 0 },
  ),
  'MysqlStoreOptions of MysqlStore': takes<MysqlStoreOptions>(
    (options) => shownOf(new MysqlStore({ execute: none }, options) as never),
    joined,
  ),
  'RedisStoreOptions of RedisStore': takes<RedisStoreOptions>(
    async (options) => {
      const keys: unknown[] = [];
      const client = {
        defineCommand: none,
        eval: async (_: string, __: number, key: string) => {
          keys.push(key);
          throw new TypeError('down');
        },
      };
      await stepsOf(new RedisStore(client, options))
        .readRecord('order:', '1')
        .catch(() => undefined);
      return keys;
    },
    { prefix: 'other:', namespace: 'other' },
  ),
  'PostgresStoreOptions of PostgresStore': takes<PostgresStoreOptions>(
    (options) => shownOf(new PostgresStore<boolean>(pool as never, options) as never),
    { ...joined, ...limits, transactional: true },
    () => ({ transactional: true }),
  ),
  'StoreWithinOptions of storeWithin': dialectStore((o) =>
    storeWithin({ transaction: none, query: none }, o),
  ),
  'StoreWithinOptions of prismaStore': dialectStore((o) =>
    prismaStore({ $transaction: none, $queryRawUnsafe: none }, o as never),
  ),
  'StoreWithinOptions of drizzleStore': dialectStore((o) =>
    drizzleStore({ transaction: none, execute: none }, tag, o),
  ),
  'StoreWithinOptions of kyselyStore': dialectStore((o) =>
    kyselyStore({ transaction: () => ({ execute: none }) }, tag, o),
  ),
  'JoinedStoreOptions of typeormStore': ormStore((o) =>
    typeormStore({ options: { type: 'postgres' }, manager: {} as never, transaction: none }, o),
  ),
  'JoinedStoreOptions of knexStore': ormStore((o) =>
    knexStore({ client: { config: { client: 'pg' } }, transaction: none, raw: none }, o),
  ),
  'JoinedStoreOptions of sequelizeStore': ormStore((o) =>
    sequelizeStore({ getDialect: () => 'postgres', transaction: none, query: none }, o),
  ),
  'SandboxOptions of startSandbox': takes<SandboxOptions>(running, {
    ...service,
    port: -1,
    host: '0.0.0.0',
    publicUrl: 'https://sandbox.example',
    now: () => 0,
    log: () => undefined,
  }),
  'MockServiceOptions of mockService': takes<MockOptions>(
    (options) => {
      const made = mockService(options);
      made.createTestJourney();
      const [journey] = made.transactions;
      const { url, webhookUrl, credentials, handlers } = made;
      return [url, webhookUrl, credentials, handlers, journey?.uuid.length, journey?.createdAt.slice(0, 4)];
    },
    {
      ...service,
      http: { all: () => 'a handler' },
      baseUrl: 'https://other.example',
      deliverTo: none,
      clock: fakeClock(0),
    },
  ),
  'TestOrdersOptions of testOrders': takes<TestOrdersOptions>(
    async (options) => {
      const { orders, service: made } = testOrders(
        (parts) => createOrders({ ...parts, on: onOrders }),
        options,
      );
      const { uuid = '' } = await orders.open('order-1', request);
      return [made.url, made.webhookUrl, made.credentials, uuid.length];
    },
    { ...service, baseUrl: 'https://other.example', store: 'no store' },
  ),
  'TestChargeOptions of charge': takes<Omit<TestChargeOptions, 'fails' | 'willRetry'>>(
    async (options) => {
      const { orders, pay, charge } = testOrders((parts) => createOrders({ ...parts, on: onOrders }));
      const order = await orders.open('order-1', request);
      await pay(order);
      const { uuid } = await charge(order, options);
      const { payments, cases } = await orders.find({ key: 'order-1' });
      return [uuid === order.uuid, payments.map(({ amount }) => amount), cases.map(({ reason }) => reason)];
    },
    { amount: 1, as: 'same-sale' },
  ),
  'NotificationRequestOptions of notificationRequest': takes<Some<'url' | 'query' | 'headers'>>(
    (options) => {
      const sent = notificationRequest('refund', {}, credentials, options as object);
      return [sent.url, [...sent.headers]];
    },
    { url: 'https://other.example', query: 'other', headers: { 'x-other': '1' } },
  ),
  'ChargeOptions of charge': movedBy<NonNullable<Parameters<ReturnType<typeof mockService>['charge']>[1]>>(
    (made, uuid, options) => made.charge(uuid, options),
    { amount: 1, fails: 'AM04', willRetry: true },
  ),
  'TestJourneyOptions of createTestJourney': movedBy<OptionsOf<'createTestJourney'>>(
    (made, _, options) => made.createTestJourney(options),
    { referenceCode: 'other', amount: 1, authorizeOnly: true },
  ),
  'RefundOptions of refund': movedBy<ReturnsOf<'refund'>>(
    (made, uuid, options) => made.refund(uuid, options),
    { amount: 1, reason: 'other', receipt: null },
  ),
  'ReversalOptions of reverse': movedBy<ReturnsOf<'reverse'>>(
    (made, uuid, options) => made.reverse(uuid, options),
    { amount: 1, reason: 'other', complete: true, cancel: true },
  ),
  'PayOutOptions of payOut': movedBy<OptionsOf<'payOut'>>(
    (made, _, options) => made.payOut(options),
    {
      amount: 1,
      currency: 'USD',
      referenceCode: 'other',
      bankDetails: { bank: 'other' },
      fail: 'PE0001',
      reason: 'other',
    },
    () => ({ amount: 2, fail: 'PE0003' }),
  ),
};

type CallOption = 'timeoutMs' | 'totalTimeoutMs' | 'maxRetries' | 'signal' | 'extraFields';
type PaceOption = 'concurrency' | 'perSecond' | 'timeoutMs' | 'stopAfterFailures';
type ReconcileOption = PaceOption | 'onProgress' | 'signal';
type MockOptions = Parameters<typeof mockService>[0] & {};
type TestOrdersOptions = Parameters<typeof testOrders>[1] & {};
type TestChargeOptions = Parameters<ReturnType<typeof testOrders>['charge']>[1] & {};

async function outcomeOf(observe: Case['observe'], options: object): Promise<unknown> {
  try {
    return { shows: await observe(options as never) };
  } catch (error) {
    const { name, message } = error as Error;
    return { throws: `${name}: ${message}` };
  }
}

describe('an option that is undefined is left out', () => {
  it.each(Object.entries(cases))('%s', async (_, each) => {
    for (const [name, value] of Object.entries(each.rows)) {
      const without = () => Object.fromEntries(Object.entries(each.base()).filter(([key]) => key !== name));
      const leftOut = await outcomeOf(each.observe, without());
      expect(await outcomeOf(each.observe, { ...without(), [name]: undefined }), name).toEqual(leftOut);
      expect(await outcomeOf(each.observe, { ...without(), [name]: value }), name).not.toEqual(leftOut);
    }
  });
});

/** Who refuses a name that nothing reads: the options of one call may have more, and requests are sent as they are. */
const REFUSING =
  /(?:createWebhookHandler|createOrders|PaymentsClient|PaymentsClient\.fromEnv|createStore|\w+Store|storeWithin)$/;
const refusing = Object.entries(cases).filter(
  ([title]) => REFUSING.test(title) && !/^limits|^confirm|^deadLetters|^insecure/.test(title),
);

it.each(refusing)('%s: another name is refused, and no name that is undefined', async (title, each) => {
  const call = title.split(' ').at(-1);
  const withName = { ...each.base(), noSuchThing: 1 };
  expect(await outcomeOf(each.observe, withName)).toEqual({
    throws: expect.stringContaining(`ConfigurationError: \`${call}\` has no option \`noSuchThing\`.`),
  });
  const leftOut = await outcomeOf(each.observe, each.base());
  expect(await outcomeOf(each.observe, { ...each.base(), noSuchThing: undefined })).toEqual(leftOut);
});

it('has rows for every type of options that the entries make public', () => {
  const report = readFileSync('docs/api-report.md', 'utf8');
  const types = [...report.matchAll(/^### (\w*(?:Options|Limits|Query|Definition|Input))\b/gm)].map(
    ([, type]) => type,
  );
  expect(types.length).toBeGreaterThan(30);
  const extended = [...report.matchAll(/interface \w+.* extends ([^{]*)\{/g)].join();
  const isCovered = (type = '') =>
    Object.keys(cases).some((title) => title.startsWith(`${type} of `)) ||
    new RegExp(`\\b${type}\\b`).test(extended);
  expect(types.filter((type) => !isCovered(type) && !NOT_FOR_CALLERS.includes(type ?? ''))).toEqual([]);
});

/** Types with such a name that are no options of a caller's. */
const NOT_FOR_CALLERS = ['ClaimLimits', 'CompleteLimits', 'QueryInput'];
