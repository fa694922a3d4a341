// A merchant's library, which exports what the package gives it, with declarations. Every type that is inferred here
// must have a name that the package exports, or a form that can be written out.
import {
  ApiError,
  amountFromMinorUnits,
  confirmPayment,
  decodeQrCode,
  isCallError,
  PaymentsClient,
  reconcile,
} from 'pix-automatic-sdk';
import { createOrders } from 'pix-automatic-sdk/orders';
import { explainPixCode, pixCalendar, readBrCode } from 'pix-automatic-sdk/pix';
import { startSandbox } from 'pix-automatic-sdk/sandbox';
import {
  createStore,
  MysqlStore,
  PostgresStore,
  type PostgresTransaction,
  RedisStore,
  SqliteStore,
  storeWithin,
} from 'pix-automatic-sdk/stores';
import { fakeClock, fixtures, mockService, notificationRequest, testOrders } from 'pix-automatic-sdk/testing';
import {
  checkAuthorization,
  createWebhookHandler,
  credentialsFromEnv,
  defineNotification,
  MemoryStore,
  parseNotification,
  payoutFailure,
  type RefundNotification,
  salePayloadSchema,
  toLambda,
} from 'pix-automatic-sdk/webhooks';

export const ownStore = (records: Parameters<typeof createStore>[0]) => createStore(records);
export const client = PaymentsClient.fromEnv();
export const journey = async (request: Parameters<typeof client.createRecurringCheckout>[0]) =>
  (await client.createRecurringCheckout(request)).response;
export const instructions = async () => (await journey({} as never)).instructions;
export const steps = async () => (await instructions()).steps;
export const picture = async () => decodeQrCode((await instructions()).qrCode);
export const payer = async () => (await journey({} as never)).shopper;
export const transaction = (uuid: string) => client.getTransaction(uuid);
export const refunds = async (uuid: string) => (await transaction(uuid)).refunds;
export const refund = async (uuid: string) => (await refunds(uuid))?.transactions?.[0];
export const transfer = async (uuid: string) => (await refund(uuid))?.creditTransferDetails;
export const shopper = async (uuid: string) => (await transaction(uuid)).shopper;
export const account = async (uuid: string) => (await shopper(uuid))?.bankDetails;
export const cancellation = () => client.cancelScheduledPayment('i', { reason: 'r' });
export const cents = amountFromMinorUnits(1, 'BRL');
export const results = reconcile(client, []);
export const confirmation = (notification: Parameters<typeof confirmPayment>[1]) =>
  confirmPayment(client, notification);
export const differences = async (notification: Parameters<typeof confirmPayment>[1]) =>
  (await confirmation(notification)).differences;
export const describeError = (error: unknown) =>
  isCallError(error) ? { operation: error.operation, outcome: error.outcome, error } : undefined;
export const asApiError = (error: unknown) => (error instanceof ApiError ? error : undefined);
export const observed = new PaymentsClient({
  baseUrl: 'https://api.example.com',
  ...credentialsFromEnv()[0],
  onRequest: (event) => console.log(event),
  fetch: async (url, init) => fetch(url, init),
});

export const credentials = credentialsFromEnv();
export const debit = defineNotification({
  kind: 'debit',
  match: ({ debitId }) => debitId !== undefined,
  schema: salePayloadSchema,
  subject: ({ saleToken }) => saleToken,
});
export const store = new MemoryStore();
export const stores = [
  new MysqlStore({} as never),
  new PostgresStore({} as never),
  new RedisStore({} as never),
  new SqliteStore({} as never),
];
export const transactional = new PostgresStore({} as never, { transactional: true });
export const book = (transaction: PostgresTransaction) => transaction.query('SELECT 1');
export const within = storeWithin<object>({} as never, { dialect: 'mysql' });
export const handler = createWebhookHandler({
  credentials,
  kinds: [debit],
  store,
  on: { payment: () => undefined, debit: ({ payload }) => payload.saleToken },
  getAuthorization: ({ headers }) => headers.get('x-forwarded-authorization'),
});
export const lambda = toLambda(handler);
export const accountOf = ({ payload }: RefundNotification) => payload.bankDetails;
export const answer = handler.handle({ method: 'POST', url: '/', headers: {}, body: '' });
export const parsed = parseNotification({ body: {}, kinds: [debit] });
export const onPayout = (notification: typeof parsed) =>
  notification.kind === 'payout'
    ? { failure: payoutFailure(notification.payload), payload: notification.payload, notification }
    : undefined;
export const check = checkAuthorization('', credentials);
export const reason = check.ok ? undefined : check.reason;

export const calendar = pixCalendar({ initialDate: '2027-01-31', periodicity: 'MONTHLY' });
export const explanation = explainPixCode('AB10', 'charge');
export const whoActs = explanation?.who;
export const brCode = readBrCode('');

export const clock = fakeClock();
export const make = fixtures;
export const sale = fixtures.payment();
export const request = notificationRequest('payment', {}, credentials[0]);

export const tested = testOrders((parts) =>
  createOrders({ ...parts, on: { paid: async () => undefined, returned: 'ignore' } }),
);
export const { orders, service } = tested;
export const payment = async () => tested.pay(await orders.open('order-1', {} as never));
export const found = orders.find({ referenceCode: 'order-1' });
export const listed = orders.list();
export const maintained = orders.maintain();
export const mocked = mockService({ clock });
export const sandbox = startSandbox({ log: (entry) => console.log(entry) });
export const refunded = async () => (await sandbox).refund('t-1', { amount: 1 });
export const deliveries = async () => (await sandbox).deliveries;
