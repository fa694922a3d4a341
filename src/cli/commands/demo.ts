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
import { day, decimal, isPortuguese, money, say } from '../language';
import { paint, print } from '../output';
import type { TextKey } from '../texts';

export const demo: Command = {
  name: 'demo',
  summary: 'demo.summary',
  arguments: [],
  options: {},
  notes: () => [section('demo.network', say('demo.local'))],
  async run({ json }) {
    const started = performance.now();
    const report = new Report(json);
    try {
      await runDemo(report);
    } catch (error) {
      if (error instanceof ExpectationError) throw failure('demo.failedExpected', { what: error.message });
      if (!(error instanceof PaymentsError)) throw error;
      // The client's own messages are English.
      const inPortuguese = `\`${error.code}\`${error instanceof ApiError ? `, HTTP ${error.httpStatus}` : ''}.`;
      throw failure('demo.failed', {
        error: isPortuguese() ? inPortuguese : withoutPointer(error.message),
      });
    }
    const seconds = decimal((performance.now() - started) / 1000, 1);
    const done = say('demo.done', { seconds });
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

  heading(title: TextKey): void {
    this.steps.push({ title: say(title), lines: [] });
    this.#print(`\n${paint('bold', say(title))}`);
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

/** Ends the demo even if a step hangs. */
const TIME_LIMIT_MS = 15_000;

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
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    const overdue = () => reject(new ExpectationError(say('demo.expectTime')));
    timer = setTimeout(overdue, TIME_LIMIT_MS);
  });
  try {
    await Promise.race([takeSteps(sandbox, listener, report), tooLong]);
  } finally {
    clearTimeout(timer);
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
  const line = (label: TextKey | '', value: string) => report.line(label && say(label), value);

  report.heading('demo.step1');
  line('demo.sandbox', sandbox.url);
  line('demo.listener', listener.url);

  report.heading('demo.step2');
  const client = new PaymentsClient({ baseUrl: sandbox.url, ...credentials });
  const { response: journey } = await client.createRecurringCheckout({
    ...order,
    referenceCode: `demo-${Date.now()}`,
  });
  const text = journey.instructions.qrCode.plain;
  expect(typeof text === 'string' && text !== '', 'demo.expectQrCode');
  line('demo.transaction', journey.uuid);
  line('demo.amount', say('demo.amounts', { now: money(order.amount), later: money(MONTHLY) }));
  report.picture(text);
  line('demo.copyPaste', text);
  line('', say('demo.scannable'));

  report.heading('demo.step3');
  const [scheduled] = sandbox.pay(journey.uuid);
  await sandbox.idle();
  const [notification] = listener.payments;
  const { httpStatus, durationMs } = sandbox.deliveries[0]?.attempts[0] ?? {};
  expect(notification?.payload.saleToken === journey.uuid, 'demo.expectNotification');
  line('demo.credentials', say('demo.verified'));
  line('value.kind', notification.kind);
  line('demo.newStatus', notification.payload.newStatus);
  line('demo.key', notification.key);
  line('demo.answered', say('demo.answerTime', { status: httpStatus, ms: durationMs }));
  const forged = await fetch(listener.url, { method: 'POST', body: JSON.stringify(notification.raw) });
  expect(forged.status === 401 && listener.payments.length === 1, 'demo.expectRefusal');
  line('demo.forged', say('demo.notActedOn', { status: forged.status }));

  report.heading('demo.step4');
  const transaction = await client.getTransaction(journey.uuid);
  expect(transaction.situation === 'PAID', 'demo.expectPaid');
  line('demo.situation', transaction.situation);
  line('demo.total', money(transaction.total ?? 0));

  report.heading('demo.step5');
  expect(scheduled !== undefined, 'demo.expectScheduled');
  const cancelled = await client.cancelScheduledPayment(scheduled.instructionId, { reason: 'Customer left' });
  expect(cancelled.status === 0, 'demo.expectCancelled');
  line('demo.due', day(scheduled.dueDate));
  line('demo.answer', `${cancelled.status} ${cancelled.message}`);

  report.heading('demo.step6');
  const error = await client
    .cancelScheduledPayment(scheduled.instructionId, { reason: 'Customer left' })
    .catch((reason: unknown) => reason);
  expect(error instanceof ApiError && error.outcome === 'refused', 'demo.expectApiError');
  line('demo.code', error.code);
  line('demo.outcome', error.outcome);
  line('demo.httpStatus', String(error.httpStatus));
  // The client and the service speak English.
  if (!isPortuguese()) {
    line('demo.message', error.message);
    line('demo.serviceSays', error.serviceMessage ?? '');
  }

  report.heading('demo.step7');
  const orders = createOrders({ client, store: new MemoryStore() });
  const orderKey = `demo-order-${Date.now()}`;
  sandbox.fault('createRecurringCheckout', { kind: 'reset-after-read' });
  const lost = await orders.open(orderKey, order).catch((reason: unknown) => reason);
  expect(isCallError(lost) && lost.outcome === 'unknown', 'demo.expectLostAnswer');
  line('demo.firstCall', `${lost.code}, outcome ${lost.outcome}`);
  const shown = await Promise.all([orders.open(orderKey, order), orders.open(orderKey, order)]);
  const qrCodes = new Set(shown.map((each) => (each.state === 'open' ? each.qrCode.plain : each.state)));
  expect(qrCodes.size === 1, 'demo.expectOneQrCode');
  line('demo.twoMore', say('demo.oneQrCode', { calls: shown.length }));
  const [{ attempts } = { attempts: [] }] = await orders.list();
  for (const { attempt, referenceCode, state } of attempts) {
    report.line(say('attempt', { number: attempt }), `${referenceCode}: ${state}`);
  }
}

/** A step of the demo did not go as it should. */
class ExpectationError extends Error {}

/** @throws `ExpectationError` unless the expectation is met */
function expect(isMet: boolean, expectation: TextKey): asserts isMet {
  if (!isMet) throw new ExpectationError(say(expectation));
}
