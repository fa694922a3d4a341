import { PaymentsClient } from 'pix-automatic-sdk';
import type { Sandbox, SandboxOptions } from 'pix-automatic-sdk/sandbox';
import { encode } from 'uqr';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Options } from '../../../src/cli/command';
import { demo } from '../../../src/cli/commands/demo';
import { runCli, runCliProcess } from '../run-cli';

/** What goes wrong with the demo's own sandbox. */
interface Breakage {
  readonly options?: SandboxOptions;
  prepare?(sandbox: Sandbox): void;
}

const wrong = vi.hoisted(() => ({ breakage: {} as Breakage }));

vi.mock('../../../src/sandbox/start-sandbox', async (original) => {
  const real = await original<typeof import('../../../src/sandbox/start-sandbox')>();
  const startSandbox = async (options: SandboxOptions) => {
    const sandbox = await real.startSandbox({ ...options, ...wrong.breakage.options });
    wrong.breakage.prepare?.(sandbox);
    return sandbox;
  };
  return { ...real, startSandbox };
});

const runDemo = (...args: string[]) => runCli(['demo', ...args], {});

/** Reads the picture back: each character is two squares, one above the other, and light squares are printed. */
function readPicture(stdout: string): boolean[][] {
  const rows = stdout.split('\n').filter((row) => /[█▀▄]/.test(row));
  return rows.flatMap((row) => {
    const squares = [...row.slice(3)];
    return [
      squares.map((square) => square !== '█' && square !== '▀'),
      squares.map((square) => square !== '█' && square !== '▄'),
    ];
  });
}

describe('demo', { timeout: 60_000 }, () => {
  it('runs every step without any credentials, says so, and ends with status 0', async () => {
    const { status, stdout, stderr } = await runCliProcess(['demo'], {});
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('All seven steps went as they should');
    expect(stdout).not.toContain('demo-api-token');
    expect(stdout, 'no colour without a terminal').not.toContain('\u001b');
  });

  it('prints a picture that holds the QR code of the response', async () => {
    const { stdout } = await runDemo();
    const text = /copy & paste\s+(\S.*)/.exec(stdout)?.[1] ?? '';
    const { data } = encode(text, { ecc: 'L', border: 2 });
    expect(readPicture(stdout).slice(0, data.length)).toEqual(data);
  });

  it('prints its steps as JSON', async ({ expect }) => {
    const { stdout } = await runDemo('--json');
    const { ok, steps } = JSON.parse(stdout);
    expect(ok).toBe(true);
    const lines = (steps as { title: string; lines: { label: string; value: string }[] }[]).flatMap(
      ({ title, lines }) => [title, ...lines.map(({ label, value }) => `  ${label}: ${value}`)],
    );
    // Without what differs from run to run.
    const shown = lines.map((line) =>
      line
        .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
        .replace(/copy & paste: .*/, 'copy & paste: CODE')
        .replace(/\d{4}-\d\d-\d\d/, 'DATE')
        .replace(/(127\.0\.0\.1:|demo-)\d+/, '$1N'),
    );
    expect(shown.join('\n')).toMatchInlineSnapshot(`
      "1. Start a local sandbox of the service, and a backend with \`createOrders\`
        sandbox: http://127.0.0.1:N
        listener: http://127.0.0.1:N/webhooks
      2. Open an order: the payer gets one QR code
        order: demo-N
        amount: R$ 59.70 now, then R$ 29.90 a month
        copy & paste: CODE
        : It can be scanned, but no bank will pay it: it points to a host that does not exist.
      3. Month one: the payer pays, and accepts the recurrence with it
        on.recurrence: authorized
        on.paid: R$ 59.70, the first
        forged one: HTTP 401, not acted on
      4. Month two is charged
        on.recurrence: charge_scheduled, due DATE
        on.paid: R$ 29.90, a later month
      5. Month three fails, and is made up for: nobody stops the subscription
        on.recurrence: charge_scheduled, due DATE
        on.recurrence: charge_failed, due DATE, AM04: No funds, the service tries again
        on.paid: R$ 29.90, a later month
      6. The payer cancels at the bank: nothing more is charged
        on.recurrence: cancelled
        the order: 3 payments, recurrence CANCELLED
      7. An answer is lost after its effect, and the payer still gets one QR code
        first call: connection_failed, outcome unknown
        two more: 2 calls at once, 1 QR code
        attempt 1: demo-N-2: lost
        attempt 2: demo-N-2-2: created"
    `);
  });
});

describe('demo, when a step goes wrong', () => {
  const faulty = (...fault: Parameters<Sandbox['fault']>): Breakage => {
    return { prepare: (sandbox) => sandbox.fault(...fault) };
  };

  it.each<[step: string, breakage: Breakage, message: string]>([
    ['create', faulty('createRecurringCheckout', { kind: 'status', status: 502 }), 'HTTP 502'],
    ['month one', { prepare: sendNothing }, 'the first payment to be booked'],
    ['confirmation', { prepare: answerUnpaid }, 'the first payment to be booked'],
    ['month two', { prepare: chargeNothing }, 'month two to be booked'],
    [
      'the failure',
      { options: { inventions: { recurrenceEvents: 'payments' } } },
      'to be told of the failure',
    ],
    ['order', { prepare: refuseSecond }, 'a lost answer'],
  ])('fails and says so: %s', async (_step, breakage, message) => {
    wrong.breakage = breakage;
    const call = { args: [], options: new Options(new Map()), json: true } as const;
    const failure = await demo.run(call).catch((error: unknown) => error);
    expect(failure).toMatchObject({ exitCode: 1, message: expect.stringMatching(/^The demo failed: /) });
    expect(failure).toHaveProperty('message', expect.stringContaining(message));
  });
});

function sendNothing(sandbox: Sandbox) {
  sandbox.setWebhookUrl = () => undefined;
}

function answerUnpaid(sandbox: Sandbox) {
  vi.spyOn(PaymentsClient.prototype, 'getTransaction').mockImplementation(async (uuid) => ({
    uuid,
    situation: 'PENDING',
  }));
  onTestFinished(() => void vi.restoreAllMocks());
  // It is tried again until it is given up.
  sandbox.idle = () => new Promise((resolve) => setTimeout(resolve, 500));
}

function chargeNothing(sandbox: Sandbox) {
  sandbox.charge = () => ({}) as never;
}

function refuseSecond(sandbox: Sandbox) {
  sandbox.fault('createRecurringCheckout', { kind: 'latency', ms: 0 });
  sandbox.fault('createRecurringCheckout', { kind: 'status', status: 422 });
}
