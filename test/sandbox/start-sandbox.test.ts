import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigurationError, ConnectionError, PaymentsClient } from 'pix-automatic-sdk';
import { type SandboxOptions, startSandbox } from 'pix-automatic-sdk/sandbox';
import { fixtures } from 'pix-automatic-sdk/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FaultKind } from '../../src/sandbox/faults';
import type { SandboxLogEntry } from '../../src/sandbox/log';
import { failureOf, withoutBackOff } from '../client/support';
import { openSandbox } from './helpers';

const order = fixtures.recurringCheckoutRequest();

beforeEach(withoutBackOff);
afterEach(() => vi.restoreAllMocks());

/** A sandbox, the real client, and the status of each call in the sandbox's log. */
async function open() {
  const logged: unknown[] = [];
  const log = (entry: SandboxLogEntry) => void (entry.type === 'request' && logged.push(entry.status));
  const { sandbox } = await openSandbox({ log });
  const clientWith = (options: { timeoutMs?: number } = {}) =>
    new PaymentsClient({ baseUrl: sandbox.url, ...sandbox.credentials, ...options });
  /** A call is logged when its connection is done. */
  const statuses = async (count: number) => {
    await vi.waitFor(() => expect(logged).toHaveLength(count));
    return logged;
  };
  return { sandbox, clientWith, client: clientWith(), statuses };
}

// test/client has all that the client does about a failure; here is that each fault is one for it.
describe('a fault of a call that creates a journey is sent once, and the client reports', () => {
  const slow = { timeoutMs: 500 };

  it.each<[report: string, fault: FaultKind, options?: object]>([
    ['ApiError refused, logged as 422, 0 journeys', { kind: 'status', status: 422 }],
    ['ApiError unknown, logged as 504, 0 journeys', { kind: 'status', status: 504 }],
    ['ApiError unknown, logged as 504, 1 journeys', { kind: 'status', status: 504, takesEffect: true }],
    // If it were followed, 404 would come.
    [
      'ApiError unknown, logged as 302, 0 journeys',
      { kind: 'status', status: 302, headers: { location: '/' } },
    ],
    ['ApiError unknown, logged as 200, 1 journeys', { kind: 'body-status', status: 999 }],
    ['InvalidResponseError unknown, logged as 200, 1 journeys', { kind: 'wrong-json' }],
    ['ConnectionError unknown, logged as undefined, 0 journeys', { kind: 'reset-before-read' }],
    ['ConnectionError unknown, logged as undefined, 1 journeys', { kind: 'reset-after-read' }],
    [
      'ConnectionError unknown, logged as undefined, 0 journeys',
      { kind: 'reset-after-read', takesEffect: false },
    ],
    ['ConnectionError unknown, logged as 200, 1 journeys', { kind: 'truncated-body' }],
    ['TimeoutError unknown, logged as 200, 1 journeys', { kind: 'stalled-body' }, slow],
    ['TimeoutError unknown, logged as undefined, 1 journeys', { kind: 'latency', ms: 20_000 }, slow],
  ])('%s, after %j', async (report, fault, options) => {
    const { sandbox, clientWith, statuses } = await open();
    sandbox.fault('createRecurringCheckout', { ...fault, times: 3 });
    const failure = await failureOf(clientWith(options).createRecurringCheckout(order));
    const [status] = await statuses(1);
    const journeys = `${sandbox.transactions.length} journeys`;
    expect(`${failure.name} ${Reflect.get(failure, 'outcome')}, logged as ${status}, ${journeys}`).toBe(
      report,
    );
  });
});

it('a query is sent again after faults, and goes through', async () => {
  const { sandbox, client, statuses } = await open();
  const { uuid } = sandbox.createTestJourney();
  sandbox.fault('getTransaction', { kind: 'reset-after-read' });
  sandbox.fault('getTransaction', { kind: 'status', status: 503 });
  expect(await client.getTransaction(uuid)).toMatchObject({ situation: 'PENDING' });
  expect(await statuses(3)).toEqual([undefined, 503, 200]);
});

describe('what only orders can keep from the payer', () => {
  it('429 after the effect: the client takes it for a refusal and sends again, so there are two journeys', async () => {
    const { sandbox, client } = await open();
    sandbox.fault('createRecurringCheckout', { kind: 'status', status: 429, takesEffect: true });
    const { response } = await client.createRecurringCheckout(order);
    expect(sandbox.transactions.map(({ uuid }) => uuid === response.uuid)).toEqual([false, true]);
  });

  it('a connection that closes while the next call is sent over it: the call goes through, or its outcome is unknown', async () => {
    const { sandbox, client } = await open();
    const { uuid } = sandbox.createTestJourney();
    let created = 0;
    for (let ms = 0; ms < 10; ms += 0.5) {
      sandbox.fault('getTransaction', { kind: 'close-after-answer', ms });
      expect(await client.getTransaction(uuid)).toMatchObject({ situation: 'PENDING' });
      await sleep(ms);
      const failure = await client.createRecurringCheckout(order).then(
        () => void created++,
        (error) => error,
      );
      if (failure instanceof ConnectionError) expect(failure.outcome).toBe('unknown');
      else expect(failure).toBeUndefined();
    }
    const journeys = sandbox.transactions.length - 1;
    expect(journeys).toBeGreaterThanOrEqual(created);
    expect(journeys).toBeLessThanOrEqual(20);
  });
});

describe('startSandbox', () => {
  it('needs no options', async () => {
    const sandbox = await startSandbox();
    expect(sandbox.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(sandbox.credentials.apiKey).not.toBe('');
    await sandbox.close();
  });

  it.each<SandboxOptions>([
    ...[-1, 2 ** 31, Number.NaN].map((retryIntervalMs) => ({ retryIntervalMs })),
    ...['sandbox.example', 'http://'].map((publicUrl) => ({ publicUrl })),
    ...['/hooks', 'ftp://merchant.example', 'http://key:token@127.0.0.1/'].map((webhookUrl) => ({
      webhookUrl,
    })),
    { credentials: { apiKey: 'a:b', apiToken: 'token' } },
  ])('refuses the invalid options %j', async (options) => {
    await expect(startSandbox(options)).rejects.toThrow(ConfigurationError);
  });

  it('has a URL that reaches it, whatever address it listens on', async () => {
    const { sandbox } = await openSandbox({ host: '0.0.0.0' });
    expect(sandbox.url).toMatch(/^http:\/\/127\.0\.0\.1:/);
    expect((await fetch(`${sandbox.url}/sandbox`)).status).toBe(200);
  });

  it('rejects on a port that is taken, and frees its own when it closes', async () => {
    const { sandbox } = await openSandbox();
    const port = Number(new URL(sandbox.url).port);
    await expect(startSandbox({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await sandbox.close();
    const server = createServer();
    await new Promise<void>((resolve, reject) =>
      server.once('error', reject).listen(port, '127.0.0.1', resolve),
    );
    server.close();
  });
});
