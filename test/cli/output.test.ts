import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PaymentsClient } from 'pix-automatic-sdk';
import { startSandbox } from 'pix-automatic-sdk/sandbox';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { logLine } from '../../src/cli/commands/sandbox';
import { printJson, visible } from '../../src/cli/output';
import { fixtures } from '../../src/testing';
import { credentials, runCli } from './run-cli';

/** C0 except the line end, DEL, C1, and the characters that turn the direction of text. */
const STEERING = /[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u;
const forged = JSON.parse('"order\\u001b[2J\\u0007\\r\\u007f\\u009b31m\\u202e\\u2066-1"');
const written = 'order\\u001b[2J\\u0007\\u000d\\u007f\\u009b31m\\u202e\\u2066-1';

/** CRC-16/CCITT-FALSE, as four hexadecimal digits. */
function crc(text: string): string {
  let rest = 0xffff;
  for (const byte of Buffer.from(text)) {
    rest ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) rest = ((rest << 1) ^ (rest & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return rest.toString(16).toUpperCase().padStart(4, '0');
}

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

    const merchant = 'Loja\u001b[31mX';
    const text = `00020126180014br.gov.bcb.pix5204000053039865802BR59${merchant.length}${merchant}6008BRASILIA62070503***6304`;
    const read = await runCli(['read-qr', text + crc(text)]);
    expect(read.stdout).toContain('Loja\\u001b[31mX');
    for (const { stdout, stderr } of [suggested, answered, read]) {
      expect(stdout).not.toMatch(STEERING);
      expect(stderr).not.toMatch(STEERING);
    }
  });
});
