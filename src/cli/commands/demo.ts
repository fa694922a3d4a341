import { createServer } from 'node:http';
import { performance } from 'node:perf_hooks';
import { renderUnicodeCompact } from 'uqr';
import { PaymentsClient } from '../../client/payments-client';
import { isCallError, PaymentsError } from '../../errors';
import { withoutPointer } from '../../errors/payments-error';
import { createOrders, type OpenedOrder, type PaidOrder, type RecurrenceOfOrder } from '../../orders';
import { explainPixCode } from '../../pix/explain-pix-code';
import { listen } from '../../sandbox/server/http-server';
import { type Sandbox, startSandbox } from '../../sandbox/start-sandbox';
import type { RecurringCheckoutRequest } from '../../service/operations/create-recurring-checkout';
import { MemoryStore } from '../../stores/memory-store';
import { type Command, section } from '../command';
import { failure } from '../failure';
import { decimal, money } from '../format';
import { paint, print } from '../output';
import { line } from '../visible';

export const demo: Command = {
  name: 'demo',
  summary: 'Show the whole job on this machine: a QR code, three months, a failed charge, the end',
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
  const sandbox = await startSandbox({
    credentials,
    // The service retries after a minute, which is too long for a demo.
    retryIntervalMs: 200,
  });
  const merchant = await startMerchant(sandbox);
  try {
    await takeSteps(sandbox, merchant, report);
  } finally {
    await Promise.all([sandbox.close(), merchant.close()]);
  }
}

/** A merchant's backend: orders with their listener, which keep what they have seen. */
async function startMerchant(sandbox: Sandbox) {
  const paid: PaidOrder[] = [];
  const seen: [callback: string, what: string][] = [];
  const orders = createOrders({
    client: new PaymentsClient({ baseUrl: sandbox.url, ...credentials }),
    store: new MemoryStore(),
    on: {
      paid: async (payment) => {
        paid.push(payment);
        seen.push([
          'on.paid',
          line`${money(payment.amount)}, ${payment.isFirst ? 'the first' : 'a later month'}`,
        ]);
      },
      returned: 'ignore',
      recurrence: async (event) => void seen.push(['on.recurrence', toldOf(event)]),
    },
    // No reports: the demo prints what the callbacks see, and the answer to a forged notification.
    onReport: () => {},
  });
  const server = createServer(orders.webhook);
  const url = `${await listen(server, 0, '127.0.0.1')}/webhooks`;
  sandbox.setWebhookUrl(url);
  return {
    orders,
    url,
    paid,
    /** What the callbacks have seen since it was asked last. */
    seen: () => seen.splice(0),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Merchant = Awaited<ReturnType<typeof startMerchant>>;

/** An event in words. */
function toldOf({ event, charge }: RecurrenceOfOrder): string {
  const { code, willRetry, dueDate } = charge ?? {};
  const why = code && `${code}: ${explainPixCode(code, 'charge', 'en')?.meaning}`;
  const then =
    willRetry === undefined ? undefined : willRetry ? 'the service tries again' : 'the month is lost';
  const parts = [event, dueDate && `due ${dueDate.slice(0, 10)}`, why, then];
  return line`${parts.filter((part) => part !== undefined).join(', ')}`;
}

/** The seven steps. @throws `ExpectationError` when one does not go as it should */
async function takeSteps(sandbox: Sandbox, merchant: Merchant, report: Report): Promise<void> {
  const { orders, paid } = merchant;
  const row = (label: string, value: string) => report.line(label, value);
  /** Makes a move of the payer or the service, and shows what the callbacks saw. */
  const play = async (move: () => unknown, payments: number, expectation: string) => {
    move();
    await sandbox.idle();
    const seen = merchant.seen();
    for (const [callback, what] of seen) row(callback, what);
    expect(paid.length === payments, expectation);
    return seen.map(([, what]) => what).join('; ');
  };

  report.heading('1. Start a local sandbox of the service, and a backend with `createOrders`');
  row('sandbox', sandbox.url);
  row('listener', merchant.url);

  report.heading('2. Open an order: the payer gets one QR code');
  const key = `demo-${Date.now()}`;
  const opened = await orders.open(key, order);
  expect(opened.state === 'open', 'an open order');
  const text = opened.qrCode.plain;
  expect(typeof text === 'string' && text !== '', 'a QR code');
  row('order', key);
  row('amount', line`${money(order.amount)} now, then ${money(MONTHLY)} a month`);
  report.picture(text);
  row('copy & paste', text);
  row('', 'It can be scanned, but no bank will pay it: it points to a host that does not exist.');

  report.heading('3. Month one: the payer pays, and accepts the recurrence with it');
  const { uuid = '' }: OpenedOrder = opened;
  await play(() => sandbox.pay(uuid), 1, 'the first payment to be booked');
  const body = JSON.stringify(sandbox.deliveries[0]?.payload);
  const forged = await fetch(merchant.url, { method: 'POST', body });
  expect(forged.status === 401 && paid.length === 1, 'a forged notification to be refused');
  row('forged one', line`HTTP ${forged.status}, not acted on`);

  report.heading('4. Month two is charged');
  await play(() => sandbox.charge(uuid), 2, 'month two to be booked');

  report.heading('5. Month three fails, and is made up for: nobody stops the subscription');
  const failed = await play(
    () => sandbox.charge(uuid, { fails: 'AM04', willRetry: true }),
    2,
    'nothing to be booked of a charge that failed',
  );
  expect(failed.includes('AM04'), 'to be told of the failure');
  await play(() => sandbox.charge(uuid), 3, 'month three to be booked');

  report.heading('6. The payer cancels at the bank: nothing more is charged');
  await play(() => sandbox.cancelByPayer(uuid), 3, 'nothing to be booked');
  const { payments, recurrences } = await orders.find({ key });
  expect(recurrences[0]?.status === 'CANCELLED', 'the order to know the end');
  row('the order', line`${payments.length} payments, recurrence ${recurrences[0].status}`);

  report.heading('7. An answer is lost after its effect, and the payer still gets one QR code');
  const second = `${key}-2`;
  sandbox.fault('createRecurringCheckout', { kind: 'reset-after-read' });
  const lost = await orders.open(second, order).catch((reason: unknown) => reason);
  expect(isCallError(lost) && lost.outcome === 'unknown', 'a lost answer');
  row('first call', `${lost.code}, outcome ${lost.outcome}`);
  const shown = await Promise.all([orders.open(second, order), orders.open(second, order)]);
  const qrCodes = new Set(shown.map((each) => (each.state === 'open' ? each.qrCode.plain : each.state)));
  expect(qrCodes.size === 1, 'one QR code');
  row('two more', line`${shown.length} calls at once, 1 QR code`);
  const { attempts } = await orders.find({ key: second });
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
