import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixtures } from '../../src/testing';
import { credentials, deliver } from '../helpers/deliver';
import type { Host } from './serve';

const folder = mkdtempSync(join(tmpdir(), 'hosts-'));
const ACTED = join(folder, 'acted');
writeFileSync(ACTED, '');
Object.assign(process.env, {
  ACTED,
  PAYMENTS_API_KEY: credentials.apiKey,
  PAYMENTS_API_TOKEN: credentials.apiToken,
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The bodies that the shop has acted on, as it parsed them. */
export const acted = (part: string): string[] =>
  readFileSync(ACTED, 'utf8')
    .split('\n')
    .filter((line) => line.includes(part));

export interface Exceptions {
  /** The status for a body of 2 MiB, where the host refuses it itself or closes the connection. Default: 413. */
  readonly oversize?: number | 'closed';
  /** The status for a GET, where the host answers it itself. Default: 405. */
  readonly get?: number;
  /** How long the host takes to be built and started. */
  readonly timeoutMs?: number;
}

/** What a merchant relies on, whatever host the handler runs on. */
export function testHost(name: string, start: () => Promise<Host>, exceptions: Exceptions = {}): void {
  describe(name, () => {
    let host: Host;
    beforeAll(async () => {
      host = await start();
    }, exceptions.timeoutMs ?? 60_000);
    afterAll(() => host?.close());

    // `João` with one character for `ã`, and with two: nothing on the way may normalize or decode it.
    const payment = (changes = {}) =>
      fixtures.payment({ saleToken: randomUUID(), shopper: { firstName: 'João Joa\u0303o 🎈' }, ...changes });

    it('acts once on a payment, byte for byte as it was sent, and answers its duplicate 200', async () => {
      const body = payment();
      expect(await deliver(host.url, body)).toMatchObject({ status: 200, body: 'OK' });
      expect(await deliver(host.url, body)).toMatchObject({ status: 200, body: 'OK' });
      expect(acted(body.saleToken)).toEqual([JSON.stringify(body)]);
    });

    it('answers 401 to wrong credentials, and does not act', async () => {
      const body = payment();
      const headers = { authorization: 'Basic d3Jvbmc6d3Jvbmc=' };
      expect((await deliver(host.url, body, { headers })).status).toBe(401);
      expect(acted(body.saleToken)).toEqual([]);
    });

    it('keeps the query, and so does not take a payment with the flag of a refund for a payment', async () => {
      const refund = fixtures.refund({ refund: { uuid: randomUUID() } });
      expect((await deliver(`${host.url}?refund=true&type=refund`, refund)).status).toBe(200);
      expect(acted(refund.refund.uuid)).toEqual([JSON.stringify(refund)]);
      const body = payment();
      expect((await deliver(`${host.url}?refund=true&type=refund`, body)).status).toBe(400);
      expect(acted(body.saleToken)).toEqual([]);
    });

    it('refuses a body of 2 MiB, and does not act', async () => {
      const body = { ...payment(), filler: 'x'.repeat(2 * 1024 * 1024) };
      // A connection of its own: some servers answer, and then wait for the rest of the body.
      const agent = new Agent({ keepAlive: false });
      const answer = await deliver(host.url, body, { agent }).then(
        ({ status }) => status,
        () => 'closed',
      );
      expect(answer).toBe(exceptions.oversize ?? 413);
      expect(acted(body.saleToken)).toEqual([]);
    });

    it('refuses GET', async () => {
      expect((await deliver(host.url, undefined, { method: 'GET' })).status).toBe(exceptions.get ?? 405);
    });

    it('answers 500 when the callback throws, without its words, and 200 when it comes again', async () => {
      const body = payment({ referenceCode: 'fails once' });
      expect(await deliver(host.url, body)).toMatchObject({ status: 500, body: 'Internal error' });
      expect(acted(body.saleToken)).toEqual([]);
      expect((await deliver(host.url, body)).status).toBe(200);
      expect(acted(body.saleToken)).toEqual([JSON.stringify(body)]);
    });
  });
}
