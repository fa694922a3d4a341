import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fixtures } from '../../src/testing';
import { saleOf } from './sales';

export const CREDENTIALS = { apiKey: 'key-of-a-merchant', apiToken: 'token-5f2b8c1e9a4d' };

/** As many as the service makes. */
const ATTEMPTS = 6;
const TIMEOUT_MS = 20_000;

export interface Sending {
  /** The port of the process that gets the next request. */
  readonly next: () => number | undefined;
  readonly random: () => number;
  /** Deliveries a second, without those that are sent again. */
  readonly rate: number;
  readonly count: number;
  readonly sales: number;
  /** From a failure to the next attempt; the service waits a minute. */
  readonly retryMs: number;
  readonly whenAllSentOnce: () => void;
}

/**
 * Sends deliveries at an even rate, whatever the listener takes. Those beyond one a sale are duplicates: half of them
 * at once with the last one, the others of any sale before. What is not answered 200 is sent again.
 */
export async function send({ next, random, rate, count, sales, retryMs, whenAllSentOnce }: Sending) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const outcomes = new Map<string | number, number>();
  const latencies: number[] = [];
  let requests = 0;
  let givenUp = 0;

  const deliver = async (sale: number): Promise<void> => {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      if (attempt > 1) await sleep(retryMs);
      const start = performance.now();
      requests += 1;
      const answer = await post(agent, next(), sale);
      latencies.push(performance.now() - start);
      outcomes.set(answer, (outcomes.get(answer) ?? 0) + 1);
      if (answer === 200) return;
    }
    givenUp += 1;
  };

  const running: Promise<void>[] = [];
  const start = performance.now();
  let sale = 0;
  for (let sent = 0; sent < count; sent += 1) {
    const due = start + (sent / rate) * 1_000;
    if (due > performance.now() + 1) await sleep(due - performance.now());
    // As many duplicates as are left are spread evenly over what is left.
    const isNew = sale === 0 || random() < (sales - sale) / (count - sent);
    if (isNew) sale += 1;
    const again = random() < 0.5 ? sale : 1 + Math.floor(random() * sale);
    running.push(deliver(isNew ? sale : again));
  }
  const seconds = (performance.now() - start) / 1_000;
  whenAllSentOnce();
  await Promise.all(running);
  agent.destroy();
  return { requests, latencies, outcomes, givenUp, perSecond: count / seconds };
}

const authorization = `Basic ${Buffer.from(`${CREDENTIALS.apiKey}:${CREDENTIALS.apiToken}`).toString('base64')}`;
const payload = fixtures.payment();

/** One attempt: the HTTP status, or why there was none. */
function post(agent: Agent, port: number | undefined, sale: number): Promise<number | string> {
  return new Promise((resolve) => {
    const body = JSON.stringify({ ...payload, ...saleOf(sale), newStatus: 'PAID' });
    const headers = {
      authorization,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const outgoing = request({ agent, host: '127.0.0.1', port, path: '/webhooks', method: 'POST', headers });
    outgoing.setTimeout(TIMEOUT_MS, () => outgoing.destroy(new Error('timeout')));
    outgoing.once('response', (response) => {
      response.once('error', () => resolve('connection lost'));
      response.once('end', () => resolve(response.statusCode ?? 0)).resume();
    });
    outgoing.once('error', ({ message }) => resolve(message === 'timeout' ? 'timed out' : 'connection lost'));
    outgoing.end(body);
  });
}
