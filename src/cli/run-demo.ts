import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PaymentsClient } from '../client/payments-client';
import { ApiError, isCallError } from '../errors';
import { JourneyJournal, MemoryJourneyRecords } from '../journal';
import type { Sandbox, SandboxOptions } from '../sandbox/sandbox';
import { startSandbox } from '../sandbox/start-sandbox';
import type { Credentials } from '../service/credentials';
import type { PaymentNotification } from '../service/notifications/sale';
import type { RecurringCheckoutRequest } from '../service/operations/create-recurring-checkout';
import { MemoryStore } from '../stores/memory-store';
import { createWebhookHandler } from '../webhooks/handler';
import { toNodeListener } from '../webhooks/node';

/** Where the demo reports its steps: the terminal, or a list for `--json`. */
export interface DemoOutput {
  heading(text: string): void;
  line(label: string, value: string): void;
  /** Draws the QR code of this text. */
  picture(text: string): void;
}

/** A way to make a step go wrong, to see that the demo notices. */
export interface Breakage {
  readonly options?: SandboxOptions;
  prepare?(sandbox: Sandbox): void;
}

const credentials = { apiKey: 'demo-api-key', apiToken: 'demo-api-token' };

/** Ends the demo even if a step hangs. */
const TIME_LIMIT_MS = 15_000;

const order: Omit<RecurringCheckoutRequest, 'referenceCode'> & { amount: number } = {
  currency: 'BRL',
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

/** The seven steps. @throws `ExpectationError` when one does not go as it should */
async function takeSteps(sandbox: Sandbox, listener: Listener, output: DemoOutput): Promise<void> {
  const { heading, line, picture } = output;
  heading('1. Start a local sandbox of the service, and a listener like that of your backend');
  line('sandbox', sandbox.url);
  line('listener', listener.url);

  heading('2. Create a recurring-payment journey');
  const client = new PaymentsClient({ baseUrl: sandbox.url, ...credentials });
  const { response: journey } = await client.createRecurringCheckout({
    ...order,
    referenceCode: `demo-${Date.now()}`,
  });
  const text = journey.instructions.qrCode.plain;
  expect(typeof text === 'string' && text !== '', 'a QR code');
  line('transaction', journey.uuid);
  line('amount', `R$ ${order.amount.toFixed(2)} now, then R$ 29.90 a month`);
  picture(text);
  line('copy & paste', text);
  line('', 'It can be scanned, but no bank will pay it: it points to a host that does not exist.');

  heading('3. The payer pays, and the listener is notified');
  const [scheduled] = sandbox.pay(journey.uuid);
  await sandbox.idle();
  const [notification] = listener.payments;
  const attempt = sandbox.deliveries[0]?.attempts[0];
  expect(
    notification?.payload.saleToken === journey.uuid,
    'a verified payment notification of this transaction',
  );
  line('credentials', 'verified');
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
  line('situation', transaction.situation);
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

  heading('7. An answer is lost after its effect, and the payer still gets one QR code');
  const records = new MemoryJourneyRecords();
  const journal = new JourneyJournal({ client, records });
  const orderKey = `demo-journal-${Date.now()}`;
  sandbox.fault('createRecurringCheckout', { kind: 'reset-after-read' });
  const lost = await journal.open(orderKey, order).catch((reason: unknown) => reason);
  expect(isCallError(lost) && lost.outcome === 'unknown', 'a lost answer');
  line('first call', `${lost.code}, outcome ${lost.outcome}`);
  const shown = await Promise.all([journal.open(orderKey, order), journal.open(orderKey, order)]);
  const qrCodes = new Set(shown.map(({ qrCode }) => qrCode.plain));
  expect(qrCodes.size === 1, 'one QR code');
  line('two more', `${shown.length} calls at once, ${qrCodes.size} QR code`);
  for (const { attempt, referenceCode, state } of (await records.read(orderKey)).attempts) {
    line(`attempt ${attempt}`, `${referenceCode}: ${state}`);
  }
}

/** Runs the demo over real HTTP on this machine. Rejects when a step does not go as it should. */
export async function runDemo(output: DemoOutput, { options, prepare }: Breakage = {}): Promise<void> {
  const listener = await startListener(credentials);
  const sandbox = await startSandbox({
    ...options,
    credentials,
    webhookUrl: listener.url,
    // The service retries after a minute, which is too long for a demo.
    retryIntervalMs: 200,
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    const overdue = () => reject(new ExpectationError('Expected the demo to take less than 15 s.'));
    timer = setTimeout(overdue, TIME_LIMIT_MS);
  });
  try {
    prepare?.(sandbox);
    await Promise.race([takeSteps(sandbox, listener, output), tooLong]);
  } finally {
    clearTimeout(timer);
    await Promise.all([sandbox.close(), listener.close()]);
  }
}

/** A merchant's listener: verifies, parses, and keeps the payments it has processed. */
async function startListener(credentials: Credentials) {
  const payments: PaymentNotification[] = [];
  const handler = createWebhookHandler({
    credentials,
    store: new MemoryStore(),
    on: {
      payment: (notification) => {
        payments.push(notification);
      },
    },
    // No reports: the demo prints the listener's responses, which show what was refused.
    onReport: () => {},
  });
  const server = createServer(toNodeListener(handler));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    payments,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A step of the demo did not go as it should. */
export class ExpectationError extends Error {}

/** @throws `ExpectationError` unless the expectation is met */
function expect(isMet: boolean, expectation: string): asserts isMet {
  if (!isMet) throw new ExpectationError(`Expected ${expectation}.`);
}
