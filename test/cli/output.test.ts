import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PaymentsClient } from 'pix-automatic-sdk';
import { startSandbox } from 'pix-automatic-sdk/sandbox';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { logLine } from '../../src/cli/commands/sandbox';
import { printJson } from '../../src/cli/output';
import { visible } from '../../src/cli/visible';
import { fixtures } from '../../src/testing';
import { credentials, runCli } from './run-cli';

/** C0 except the line end, DEL, C1, and the characters that turn the direction of text. */
const STEERING = /[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u;
const forged = JSON.parse('"order\\u001b[2J\\u0007\\r\\u007f\\u009b31m\\u202e\\u2066-1"');
const written = 'order\\u001b[2J\\u0007\\u000d\\u007f\\u009b31m\\u202e\\u2066-1';

afterEach(() => vi.restoreAllMocks());

describe('text from outside cannot steer the terminal', () => {
  it('in a line of text', () => {
    expect(visible(forged)).toBe(written);
    expect(visible('line\nfeed')).toBe('line\\u000afeed');
    expect(visible('Pão de açúcar – R$ 5')).toBe('Pão de açúcar – R$ 5');
  });

  it('in JSON, which still has the same value', () => {
    const lines: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
    printJson({ referenceCode: forged }, 2);
    expect(lines.join('')).not.toMatch(STEERING);
    expect(JSON.parse(lines.join(''))).toEqual({ referenceCode: forged });
  });

  it('in the sandbox’s log, by a path, a uuid or a reference code', () => {
    const line = logLine(
      {
        type: 'request',
        method: 'GET',
        path: `/${forged}`,
        status: 200,
        durationMs: 1,
        uuid: forged,
        referenceCode: forged,
      } as Parameters<typeof logLine>[0],
      1000,
    );
    expect(line).not.toMatch(STEERING);
    expect(line.split(written)).toHaveLength(4);
  });

  it('in the output of `list` and `pay`, by a reference code', async () => {
    const sandbox = await startSandbox({ credentials });
    const client = new PaymentsClient({ baseUrl: sandbox.url, ...credentials });
    await client.createRecurringCheckout(fixtures.recurringCheckoutRequest({ referenceCode: forged }));
    const listed = await runCli(['list', '--sandbox', sandbox.url]);
    const paid = await runCli(['pay', '--sandbox', sandbox.url]);
    await sandbox.close();
    for (const { stdout } of [listed, paid]) {
      expect(stdout).not.toMatch(STEERING);
      expect(stdout).toContain(written);
    }
  });

  it('in the output of `resend` and `pay-out`, by whatever answers on the port', async () => {
    const other = createServer((request, response) => {
      const deliveries =
        request.url === '/sandbox/deliveries' ? [{ id: 'one', kind: forged, attempts: [{}] }] : [];
      response.end(
        JSON.stringify({ deliveries, uuid: forged, error: forged, durationMs: forged, webhookUrl: forged }),
      );
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const at = ['--sandbox', `http://127.0.0.1:${port}`];
    const outputs = [await runCli(['resend', ...at]), await runCli(['pay-out', '--amount', '1', ...at])];
    other.close();
    for (const { stdout } of outputs) {
      expect(stdout).not.toMatch(STEERING);
      expect(stdout).toContain(written);
    }
  });

  it('in a suggestion, in the name of a QR code, and in the answer of another program on the sandbox’s port', async () => {
    const sandbox = await startSandbox({ credentials });
    const client = new PaymentsClient({ baseUrl: sandbox.url, ...credentials });
    const request = fixtures.recurringCheckoutRequest({ referenceCode: 'order-\u001b[31m1' });
    await client.createRecurringCheckout(request);
    const suggested = await runCli(['pay', 'order-[31m2', '--sandbox', sandbox.url]);
    await sandbox.close();
    expect(suggested.stderr).toContain('Did you mean `order-\\u001b[31m1`?');

    const other = createServer((_request, response) => {
      response.writeHead(500).end(JSON.stringify({ message: forged }));
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const answered = await runCli(['list', '--sandbox', `http://127.0.0.1:${port}`]);
    other.close();
    expect(answered.stderr).toContain(written);

    for (const { stdout, stderr } of [suggested, answered]) {
      expect(stdout).not.toMatch(STEERING);
      expect(stderr).not.toMatch(STEERING);
    }
  });
});
