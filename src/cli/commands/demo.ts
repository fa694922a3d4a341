import { createServer } from 'node:http';
import { performance } from 'node:perf_hooks';
import { renderUnicodeCompact } from 'uqr';
import { PaymentsClient } from '../../client/payments-client';
import { ApiError, isCallError, PaymentsError } from '../../errors';
import { withoutPointer } from '../../errors/payments-error';
import { createOrders } from '../../orders';
import { listen } from '../../sandbox/server/http-server';
import { type Sandbox, startSandbox } from '../../sandbox/start-sandbox';
import type { PaymentNotification } from '../../service/notifications/sale';
import type { RecurringCheckoutRequest } from '../../service/operations/create-recurring-checkout';
import { MemoryStore } from '../../stores/memory-store';
import { createWebhookHandler } from '../../webhooks/handler';
import { type Command, section } from '../command';
import { failure } from '../failure';
import { decimal, money } from '../format';
import { paint, print } from '../output';
import { line } from '../visible';

export const demo: Command = {
  name: 'demo',
  summary: 'Show the whole job on this machine: create, pay, be notified, query, cancel',
  arguments: [],
  options: {},
  notes: () => [
    section('Network', 'Nothing leaves this machine: the demo starts a sandbox and a listener of its own.'),
  ],
  async run({ json }) {
    const started = performance.now();
    const report = new Report(json);
    try {
      await runDemo(report);
    } catch (error) {
      if (error instanceof ExpectationError) throw failure(line`The demo failed: expected ${error.message}.`);
      if (!(error instanceof PaymentsError)) throw error;
      throw failure(line`The demo failed: ${withoutPointer(error.message)}`);
    }
    const seconds = decimal((performance.now() - started) / 1000, 1);
    const done = line`All seven steps went as they should, in ${seconds} s.`;
    return { data: { ok: true, steps: report.steps }, text: `\n${paint('green', done)}` };
  },
};

/** A step as `--json` prints it. */
interface DemoStep {
  readonly title: string;
  readonly lines: { readonly label: string; readonly value: string }[];
}

const LABEL_WIDTH = 14;

/** Prints the steps as they go, or keeps them for `--json`. */
class Report {
  readonly steps: DemoStep[] = [];
  readonly #print: (line?: string) => void;

  constructor(json: boolean) {
    this.#print = json ? () => undefined : print;
  }

  heading(title: string): void {
    this.steps.push({ title, lines: [] });
    this.#print(`\n${paint('bold', title)}`);
  }

  line(label: string, value: string): void {
    this.steps.at(-1)?.lines.push({ label, value });
    this.#print(`   ${paint('dim', label.padEnd(LABEL_WIDTH))} ${value}`);
  }

  /**
   * Draws the QR code of this text, two rows of squares in one line. It draws the light squares, for a dark terminal.
   * With colours, the code is dark on light in every terminal.
   */
  picture(text: string): void {
    this.#print();
    for (const row of renderUnicodeCompact(text, { ecc: 'L', border: 2 }).split('\n')) {
      this.#print(`   ${paint(['whiteBright', 'bgBlack'], row)}`);
    }
    this.#print();
  }
}

const credentials = { apiKey: 'demo-api-key', apiToken: 'demo-api-token' };

const MONTHLY = 29.9;

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
    amount: { recurrenceAmount: MONTHLY },
    calendar: { periodicity: 'MONTHLY' },
    retry: true,
  },
};

/** Runs the demo over real HTTP on this machine. Rejects when a step does not go as it should. */
async function runDemo(report: Report): Promise<void> {
  const listener = await startListener();
  const sandbox = await startSandbox({
    credentials,
    webhookUrl: listener.url,
    // The service retries after a minute, which is too long for a demo.
    retryIntervalMs: 200,
  });
  try {
    await takeSteps(sandbox, listener, report);
  } finally {
    await Promise.all([sandbox.close(), listener.close()]);
  }
}

/** A merchant's listener: verifies, parses, and keeps the payments it has processed. */
async function startListener() {
  const payments: PaymentNotification[] = [];
  const handler = createWebhookHandler({
    credentials,
    store: new MemoryStore(),
    on: { payment: (notification) => void payments.push(notification) },
    // No reports: the demo prints the listener's responses, which show what was refused.
    onReport: () => {},
  });
  const server = createServer(handler);
  const url = await listen(server, 0, '127.0.0.1');
  return {
    url: `${url}/webhooks`,
    payments,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Listener = Awaited<ReturnType<typeof startListener>>;

/** The seven steps. @throws `ExpectationError` when one does not go as it should */
async function takeSteps(sandbox: Sandbox, listener: Listener, report: Report): Promise<void> {
  const row = (label: string, value: string) => report.line(label, value);

  report.heading('1. Start a local sandbox of the service, and a listener like that of your backend');
  row('sandbox', sandbox.url);
  row('listener', listener.url);

  report.heading('2. Create a recurring-payment journey');
  const client = new PaymentsClient({ baseUrl: sandbox.url, ...credentials });
  const { response: journey } = await client.createRecurringCheckout({
    ...order,
    referenceCode: `demo-${Date.now()}`,
  });
  const text = journey.instructions.qrCode.plain;
  expect(typeof text === 'string' && text !== '', 'a QR code');
  row('transaction', journey.uuid);
  row('amount', line`${money(order.amount)} now, then ${money(MONTHLY)} a month`);
  report.picture(text);
  row('copy & paste', text);
  row('', 'It can be scanned, but no bank will pay it: it points to a host that does not exist.');

  report.heading('3. The payer pays, and the listener is notified');
  const [scheduled] = sandbox.pay(journey.uuid);
  await sandbox.idle();
  const [notification] = listener.payments;
  const { httpStatus, durationMs } = sandbox.deliveries[0]?.attempts[0] ?? {};
  expect(
    notification?.payload.saleToken === journey.uuid,
    'a verified payment notification of this transaction',
  );
  row('credentials', 'verified');
  row('kind', notification.kind);
  row('newStatus', notification.payload.newStatus);
  row('key', notification.key);
  row('answered', line`HTTP ${httpStatus} after ${durationMs} ms`);
  const forged = await fetch(listener.url, { method: 'POST', body: JSON.stringify(notification.raw) });
  expect(forged.status === 401 && listener.payments.length === 1, 'a forged notification to be refused');
  row('forged one', line`HTTP ${forged.status}, not acted on`);

  report.heading('4. Query the transaction');
  const transaction = await client.getTransaction(journey.uuid);
  expect(transaction.situation === 'PAID', 'the transaction to be PAID');
  row('situation', transaction.situation);
  row('total', money(transaction.total ?? 0));

  report.heading('5. Cancel a scheduled payment');
  expect(scheduled !== undefined, 'a scheduled payment');
  const cancelled = await client.cancelScheduledPayment(scheduled.instructionId, { reason: 'Customer left' });
  expect(cancelled.status === 0, 'the cancellation to succeed');
  row('due', scheduled.dueDate);
  row('answer', `${cancelled.status} ${cancelled.message}`);

  report.heading('6. Cancel it again: the service refuses, and the error says what that means');
  const error = await client
    .cancelScheduledPayment(scheduled.instructionId, { reason: 'Customer left' })
    .catch((reason: unknown) => reason);
  expect(error instanceof ApiError && error.outcome === 'refused', 'an ApiError with outcome `refused`');
  row('code', error.code);
  row('outcome', error.outcome);
  row('HTTP status', String(error.httpStatus));
  row('message', error.message);
  row('service says', error.serviceMessage ?? '');

  report.heading('7. An answer is lost after its effect, and the payer still gets one QR code');
  const orders = createOrders({ client, store: new MemoryStore() });
  const orderKey = `demo-order-${Date.now()}`;
  sandbox.fault('createRecurringCheckout', { kind: 'reset-after-read' });
  const lost = await orders.open(orderKey, order).catch((reason: unknown) => reason);
  expect(isCallError(lost) && lost.outcome === 'unknown', 'a lost answer');
  row('first call', `${lost.code}, outcome ${lost.outcome}`);
  const shown = await Promise.all([orders.open(orderKey, order), orders.open(orderKey, order)]);
  const qrCodes = new Set(shown.map((each) => (each.state === 'open' ? each.qrCode.plain : each.state)));
  expect(qrCodes.size === 1, 'one QR code');
  row('two more', line`${shown.length} calls at once, 1 QR code`);
  const [{ attempts } = { attempts: [] }] = await orders.list();
  for (const { attempt, referenceCode, state } of attempts) {
    report.line(line`attempt ${attempt}`, `${referenceCode}: ${state}`);
  }
}

/** A step of the demo did not go as it should. */
class ExpectationError extends Error {}

/** @throws `ExpectationError` unless the expectation is met */
function expect(isMet: boolean, expectation: string): asserts isMet {
  if (!isMet) throw new ExpectationError(expectation);
}
