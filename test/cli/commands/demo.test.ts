import { PaymentsClient } from 'pix-automatic-sdk';
import type { Sandbox, SandboxOptions } from 'pix-automatic-sdk/sandbox';
import { encode } from 'uqr';
import { describe, expect, it, vi } from 'vitest';
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
        .replace(/(127\.0\.0\.1:|demo-order-)\d+/, '$1N')
        .replace(/\d+ ms/, 'N ms'),
    );
    expect(shown.join('\n')).toMatchInlineSnapshot(`
      "1. Start a local sandbox of the service, and a listener like that of your backend
        sandbox: http://127.0.0.1:N
        listener: http://127.0.0.1:N/webhooks
      2. Create a recurring-payment journey
        transaction: UUID
        amount: R$ 59.70 now, then R$ 29.90 a month
        copy & paste: CODE
        : It can be scanned, but no bank will pay it: it points to a host that does not exist.
      3. The payer pays, and the listener is notified
        credentials: verified
        kind: payment
        newStatus: PAID
        key: payment:UUID:PAID
        answered: HTTP 200 after N ms
        forged one: HTTP 401, not acted on
      4. Query the transaction
        situation: PAID
        total: R$ 59.70
      5. Cancel a scheduled payment
        due: DATE
        answer: 0 success
      6. Cancel it again: the service refuses, and the error says what that means
        code: api_error
        outcome: refused
        HTTP status: 409
        message: The service answered cancelScheduledPayment with HTTP 409. The service refused the call: by HTTP's convention, it did not act on it. See docs/errors.md#api_error in pix-automatic-sdk.
        service says: scheduled payment cannot be cancelled: it is CANCELLED
      7. An answer is lost after its effect, and the payer still gets one QR code
        first call: connection_failed, outcome unknown
        two more: 2 calls at once, 1 QR code
        attempt 1: demo-order-N: lost
        attempt 2: demo-order-N-2: created"
    `);
  });
});

describe('demo, when a step goes wrong', () => {
  const faulty = (...fault: Parameters<Sandbox['fault']>): Breakage => {
    return { prepare: (sandbox) => sandbox.fault(...fault) };
  };

  it.each<[step: string, breakage: Breakage, message: string]>([
    ['create', faulty('createRecurringCheckout', { kind: 'status', status: 502 }), 'HTTP 502'],
    [
      'notification',
      { prepare: (sandbox) => sandbox.setWebhookUrl(undefined) },
      'a verified payment notification',
    ],
    ['query', faulty('getTransaction', { kind: 'body-status', status: 999, times: 2 }), '999'],
    ['cancel', faulty('cancelScheduledPayment', { kind: 'status', status: 504 }), 'HTTP 504'],
    ['query of an unpaid one', { prepare: answerUnpaid }, 'the transaction to be PAID'],
    ['refusal', { options: { inventions: { repeatedCancellation: 'success' } } }, 'outcome `refused`'],
    ['order', { prepare: refuseSecond }, 'a lost answer'],
  ])('fails and says so: %s', async (_step, breakage, message) => {
    wrong.breakage = breakage;
    const call = { args: [], options: new Options(new Map()), json: true } as const;
    const failure = await demo.run(call).catch((error: unknown) => error);
    expect(failure).toMatchObject({ exitCode: 1, message: expect.stringMatching(/^The demo failed: /) });
    expect(failure).toHaveProperty('message', expect.stringContaining(message));
  });
});

function answerUnpaid() {
  vi.spyOn(PaymentsClient.prototype, 'getTransaction').mockResolvedValueOnce({ situation: 'PENDING' });
}

function refuseSecond(sandbox: Sandbox) {
  sandbox.fault('createRecurringCheckout', { kind: 'latency', ms: 0 });
  sandbox.fault('createRecurringCheckout', { kind: 'status', status: 422 });
}
