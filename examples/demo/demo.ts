// The whole job on this machine: a journey is created, paid, notified, queried and cancelled, over real HTTP.
// Run: npm run demo
import { ApiError, PaymentsClient, type RecurringCheckoutRequest } from 'pix-automatic-sdk';
import { type Sandbox, startSandbox } from 'pix-automatic-sdk/sandbox';
import { chosenBreakage } from './breakages';
import { expect } from './expect';
import { startListener } from './listener';
import { heading, line, paint, picture } from './print';

const credentials = { apiKey: 'demo-api-key', apiToken: 'demo-api-token' };

const order: RecurringCheckoutRequest = {
  currency: 'BRL',
  referenceCode: `demo-${Date.now()}`,
  amount: 59.7,
  maxAge: 30,
  shopper: {
    id: 'shopper-1',
    name: 'Ana de Souza',
    email: 'ana@example.com',
    document: { type: 'CPF', number: '12345678909' },
    phone: { type: 'MOBILE', number: '11999990000' },
  },
  recurrence: {
    planId: 'coffee-club',
    immediatePayment: true,
    amount: { recurrenceAmount: 29.9 },
    calendar: { periodicity: 'MONTHLY' },
    retry: true,
  },
};

type Listener = Awaited<ReturnType<typeof startListener>>;

async function runDemo(sandbox: Sandbox, listener: Listener): Promise<void> {
  heading('1. The sandbox stands in for the service, the listener for your backend');
  line('sandbox', sandbox.url);
  line('listener', listener.url);

  heading('2. Create a recurring-payment journey');
  const client = new PaymentsClient({ baseUrl: sandbox.url, ...credentials });
  const { response: journey } = await client.createRecurringCheckout(order);
  const text = journey.instructions.qrCode.plain;
  expect(typeof text === 'string' && text !== '', 'a QR code');
  line('transaction', journey.uuid);
  line('amount', `R$ ${order.amount?.toFixed(2)} now, then R$ 29.90 a month`);
  picture(text);
  line('copy & paste', text);
  line('', paint('dim', 'It scans, and no bank will pay it: it points at a host that does not exist.'));

  heading('3. The payer pays, and the listener is notified');
  const [scheduled] = sandbox.pay(journey.uuid);
  await sandbox.idle();
  const [notification] = listener.payments;
  const attempt = sandbox.deliveries[0]?.attempts[0];
  expect(
    notification?.payload.saleToken === journey.uuid,
    'a verified payment notification of this transaction',
  );
  line('credentials', paint('green', 'verified'));
  line('kind', notification.kind);
  line('newStatus', notification.payload.newStatus);
  line('key', notification.key);
  line('answered', `HTTP ${attempt?.httpStatus} after ${attempt?.durationMs} ms`);
  const forged = await fetch(listener.url, { method: 'POST', body: JSON.stringify(notification.raw) });
  expect(forged.status === 401 && listener.payments.length === 1, 'a forged notification to be refused');
  line('forged one', `HTTP ${forged.status}, not acted on`);

  heading('4. Query the transaction');
  const transaction = await client.getTransaction(journey.uuid);
  expect(transaction.situation === 'PAID', 'the transaction to be PAID');
  line('situation', paint('green', transaction.situation));
  line('total', `R$ ${transaction.total?.toFixed(2)}`);

  heading('5. Cancel a scheduled payment');
  expect(scheduled !== undefined, 'a scheduled payment');
  const cancelled = await client.cancelScheduledPayment(scheduled.instructionId, { reason: 'Customer left' });
  expect(cancelled.status === 0, 'the cancellation to succeed');
  line('due', scheduled.dueDate);
  line('answer', `${cancelled.status} ${cancelled.message}`);

  heading('6. Cancel it again: the service refuses, and the error says what that means');
  const error = await client
    .cancelScheduledPayment(scheduled.instructionId, { reason: 'Customer left' })
    .catch((reason: unknown) => reason);
  expect(error instanceof ApiError && error.outcome === 'refused', 'an ApiError with outcome `refused`');
  line('code', error.code);
  line('outcome', error.outcome);
  line('HTTP status', String(error.httpStatus));
  line('message', error.message);
  line('service says', error.serviceMessage ?? '');
}

async function main(): Promise<void> {
  const started = performance.now();
  const { options, prepare } = chosenBreakage(process.argv.slice(2));
  const listener = await startListener(credentials);
  const sandbox = await startSandbox({
    ...options,
    credentials,
    webhookUrl: listener.url,
    // A minute would be the service's own pace.
    retryIntervalMs: 200,
  });
  try {
    prepare?.(sandbox);
    await runDemo(sandbox, listener);
  } finally {
    await Promise.all([sandbox.close(), listener.close()]);
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`\n${paint('green', `All six steps went as they should, in ${seconds} s.`)}`);
}

// Whatever hangs, the demo ends.
setTimeout(() => fail('it took longer than 15 s'), 15_000).unref();

main().catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)));

function fail(message: string): void {
  console.error(`\n${paint('red', `The demo failed: ${message}`)}`);
  process.exit(1);
}
