import type { Server, ServerResponse } from 'node:http';
import type { PaymentsClient } from 'pix-automatic-sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { dropConnection, type Respond, reply, startHttpServer } from '../helpers/http-server';
import { checkoutRequest, clientFor, withoutBackOff } from './support';

/*
 * What `onRequest` tells is what the service gets, whatever it answers, and nothing is sent again before `Retry-After`.
 */

beforeEach(withoutBackOff);
afterEach(() => void vi.restoreAllMocks());

const RETRY_AFTER_MS = 250;
const later = { 'retry-after': String(RETRY_AFTER_MS / 1_000) };

const responses: Record<string, Respond> = {
  '400': reply(400),
  '401': reply(401),
  '403': reply(403),
  '404': reply(404),
  '429 with Retry-After': reply(429, '', later),
  '500': reply(500),
  '503 with Retry-After': reply(503, '', later),
  'a closed connection': dropConnection,
  '200 of another transaction': reply(200, { uuid: 'another', situation: 'PAID' }),
};
/** Those after which a call is sent again. */
const retried = {
  query: ['429 with Retry-After', '500', '503 with Retry-After', 'a closed connection'],
  change: ['429 with Retry-After'],
};

/** Each call by a name that its request has in its path or body. */
const operations: Record<string, (client: PaymentsClient, name: string) => Promise<unknown>> = {
  query: (client, name) => client.getTransaction(name),
  POST: (client, name) => client.createRecurringCheckout({ ...checkoutRequest(), referenceCode: name }),
  PUT: (client, name) => client.cancelScheduledPayment(name, { reason: 'moved house' }),
};

interface Row {
  readonly response: string;
  /** Whether a query has left a kept connection before. */
  readonly isLater: boolean;
  readonly atOnce: number;
  readonly maxRetries: number;
}

const rowsOf = (response: string): Row[] =>
  [false, true].flatMap((isLater) =>
    [1, 20].flatMap((atOnce) => [0, 2].map((maxRetries) => ({ response, isLater, atOnce, maxRetries }))),
  );

/** What was told and what arrived, how many requests each call made, and how many came before `Retry-After`. */
function lineOf({ response, isLater, atOnce, maxRetries }: Row, told: number, arrivals: number[][]): string {
  const each = [...new Set(arrivals.map(({ length }) => length))].join(' or ');
  const gaps = arrivals.flatMap((times) => times.slice(1).map((at, index) => at - (times[index] as number)));
  const early = response.endsWith('Retry-After') ? gaps.filter((gap) => gap < RETRY_AFTER_MS).length : 0;
  return (
    `${response}, ${atOnce} ${isLater ? 'later' : 'first'} calls, maxRetries ${maxRetries}: ` +
    `told ${told}, arrived ${arrivals.flat().length}, each ${each}, early ${early}`
  );
}

/** Has the server of a response keep its connections for as long as the test runs. */
function keepAlive({ socket }: ServerResponse): void {
  const { server } = socket as unknown as { readonly server: Server };
  server.keepAliveTimeout = 120_000;
}

async function run(operation: string, row: Row): Promise<string> {
  const arrivals = new Map<string, number[]>();
  const server = await startHttpServer((response, request) => {
    // Else it may close a kept connection just as a query is sent on it, if this process is busy.
    keepAlive(response);
    if (request.url.endsWith('/warm-up')) return reply(200, { uuid: 'warm-up' })(response, request);
    const [name = 'unknown'] = /call-\d+/.exec(request.url + request.body) ?? [];
    arrivals.set(name, [...(arrivals.get(name) ?? []), request.at]);
    return responses[row.response]?.(response, request);
  });
  let told = 0;
  const { maxRetries } = row;
  const client = clientFor(server, { maxRetries, onRequest: () => (told += 1) });
  if (row.isLater) await client.getTransaction('warm-up');
  told = 0;
  const calls = Array.from({ length: row.atOnce }, (_, number) =>
    operations[operation]?.(client, `call-${number}`),
  );
  for (const { status } of await Promise.allSettled(calls)) expect(status).toBe('rejected');
  return lineOf(row, told, [...arrivals.values()]);
}

describe.each(Object.keys(operations))('of a %s, each request', (operation) => {
  it.each(Object.keys(responses))(
    'that gets %s was told, none is sent beside the policy, and none before Retry-After',
    { timeout: 120_000 },
    async (response) => {
      const isRetried = retried[operation === 'query' ? 'query' : 'change'].includes(response);
      const rows = rowsOf(response);
      const expected = rows.map((row) => {
        const each = isRetried ? 1 + row.maxRetries : 1;
        const times = Array.from({ length: each }, (_, index) => index * RETRY_AFTER_MS);
        return lineOf(row, row.atOnce * each, Array(row.atOnce).fill(times));
      });
      expect(await Promise.all(rows.map((row) => run(operation, row)))).toEqual(expected);
    },
  );
});
