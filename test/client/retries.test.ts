import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, ConnectionError, TimeoutError } from 'pix-automatic-sdk';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  dropConnection,
  type Respond,
  reply,
  stall,
  startHttpServer,
  startHttpServerOn,
  unusedPort,
} from '../helpers/http-server';
import { rawAnswer, startRawServer } from '../helpers/raw-server';
import { changing, clientFor, failureOf, operations, withoutBackOff } from './support';

const query = operations[1];

const failures: ReadonlyArray<{
  what: string;
  respond: Respond;
  error: object;
  outcome: string;
}> = [
  ...[408, 500, 502, 503, 504].map((status) => ({
    what: `a ${status}`,
    respond: reply(status),
    error: ApiError,
    outcome: 'unknown',
  })),
  { what: 'a dropped connection', respond: dropConnection, error: ConnectionError, outcome: 'unknown' },
  { what: 'a timeout', respond: stall, error: TimeoutError, outcome: 'unknown' },
];

// Long enough for the first call, which also loads the platform’s fetch.
const limits = { timeoutMs: 500 };

beforeEach(withoutBackOff);

describe.each(changing)('$name, which changes something', ({ call, answer, method }) => {
  it.each(failures)(
    'is sent once on $what, and the outcome is $outcome',
    async ({ respond, error, outcome }) => {
      const server = await startHttpServer(respond, reply(200, answer()));
      const thrown = await failureOf(call(clientFor(server, limits)));
      expect(thrown).toBeInstanceOf(error);
      expect(thrown).toMatchObject({ outcome, attempts: 1 });
      expect(server.requests).toHaveLength(1);
    },
  );

  it('is retried on 429, which means that the service did not process it', async () => {
    const server = await startHttpServer(reply(429), reply(429), reply(200, answer()));
    expect(await call(clientFor(server))).toEqual(answer());
    expect(server.requests).toHaveLength(3);
    expect(new Set(server.requests.map(({ body }) => body)).size).toBe(1);
  });

  it('ends with outcome refused when every attempt gets a 429', async () => {
    const server = await startHttpServer(reply(429));
    const thrown = await failureOf(call(clientFor(server)));
    expect(thrown).toMatchObject({ code: 'api_error', httpStatus: 429, outcome: 'refused', attempts: 3 });
  });

  it.each([
    // A gateway sends it while the service may still be working.
    { status: 499, outcome: 'unknown' },
    ...[400, 401, 403, 404, 409, 410, 422, 425].map((status) => ({ status, outcome: 'refused' })),
  ])('is sent once on $status, with outcome $outcome', async ({ status, outcome }) => {
    const server = await startHttpServer(reply(status, { status: -1 }));
    const thrown = await failureOf(call(clientFor(server)));
    expect(thrown).toMatchObject({ code: 'api_error', httpStatus: status, outcome, attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });

  it('is sent once when the connection is lost in the middle of the response', async () => {
    const server = await startRawServer((socket) => {
      socket.end(rawAnswer('200 OK', JSON.stringify(answer())).slice(0, -3));
    });
    const thrown = await failureOf(call(clientFor(server)));
    expect(thrown).toMatchObject({ code: 'connection_failed', outcome: 'unknown', attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });

  it('is sent once when its connection closes just as it is used', async () => {
    const server = await startRawServer((socket) => socket.destroy());
    const thrown = await failureOf(call(clientFor(server)));
    expect(thrown).toMatchObject({ code: 'connection_failed', outcome: 'unknown', attempts: 1 });
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatch(new RegExp(`^${method} `));
  });

  it('keeps outcome refused when the connection is refused after a 429', async () => {
    const server = await startHttpServer(async (response) => {
      response.writeHead(429, { connection: 'close' });
      response.end();
      await server.close();
    });
    const thrown = await failureOf(call(clientFor(server)));
    expect(thrown).toMatchObject({ code: 'connection_failed', outcome: 'refused', attempts: 2 });
  });
});

describe('a query, which changes nothing', () => {
  it('keeps outcome unknown when later attempts are refused connections', async () => {
    const server = await startHttpServer(async (response) => {
      response.socket?.destroy();
      await server.close();
    });
    const thrown = await failureOf(query.call(clientFor(server)));
    expect(thrown).toMatchObject({ outcome: 'unknown', attempts: 3, reason: 'ECONNREFUSED' });
  });

  it('succeeds when a server starts to listen between two attempts', async () => {
    const port = await unusedPort();
    let server: Awaited<ReturnType<typeof startHttpServer>> | undefined;
    const onRetry = async () => {
      server ??= await startHttpServerOn(port, reply(200, query.answer()));
    };
    vi.spyOn(Math, 'random').mockReturnValue(0.9);
    const client = clientFor({ url: `http://127.0.0.1:${port}` }, { onRetry });
    expect(await query.call(client)).toEqual(query.answer());
    expect(server?.requests).toHaveLength(1);
  });

  it.each([...failures, { what: 'a 429', respond: reply(429) }])(
    'is retried on $what',
    async ({ respond }) => {
      const server = await startHttpServer(respond, respond, reply(200, query.answer()));
      expect(await query.call(clientFor(server, limits))).toEqual(query.answer());
      expect(server.requests).toHaveLength(3);
    },
  );

  it.each([400, 401, 403, 404, 409, 422, 501, 505])('is sent once on %d', async (status) => {
    const server = await startHttpServer(reply(status));
    expect(await failureOf(query.call(clientFor(server)))).toMatchObject({ httpStatus: status, attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });

  it('has outcome unknown when a 404 follows a 503, because the error reports the worst outcome', async () => {
    const server = await startHttpServer(reply(503), reply(404));
    const thrown = await failureOf(query.call(clientFor(server)));
    expect(thrown).toMatchObject({ httpStatus: 404, outcome: 'unknown', attempts: 2 });
  });

  it('succeeds after a kept-alive connection closed just as it was used', async () => {
    const server = await startRawServer((socket, _, count) => {
      if (count === 2) socket.destroy();
      else socket.write(rawAnswer('200 OK', JSON.stringify(query.answer())));
    });
    const client = clientFor(server);
    await query.call(client);
    await sleep(50);
    expect(await query.call(client)).toEqual(query.answer());
    expect(server.requests).toHaveLength(3);
    expect(server.connections).toBe(2);
  });
});

describe.each(operations)('$name', ({ call, answer, method }) => {
  // Only a query, because a dispatcher below the platform's fetch may have sent the request before it was refused.
  const attempts = method === 'GET' ? 3 : 1;

  it(`is tried ${attempts} times when the connection is refused, with outcome not-sent`, async () => {
    const url = `http://127.0.0.1:${await unusedPort()}`;
    const thrown = await failureOf(call(clientFor({ url })));
    expect(thrown).toBeInstanceOf(ConnectionError);
    expect(thrown).toMatchObject({ outcome: 'not-sent', reason: 'ECONNREFUSED', attempts });
  });

  it(`is tried ${attempts} times when the name does not resolve, with outcome not-sent`, async () => {
    const thrown = await failureOf(call(clientFor({ url: 'https://no-such-host.invalid' })));
    expect(thrown).toBeInstanceOf(ConnectionError);
    expect(thrown).toMatchObject({ outcome: 'not-sent', attempts });
    expect(['ENOTFOUND', 'EAI_AGAIN']).toContain(thrown['reason']);
  });

  it('is not retried on a port that fetch forbids, with outcome not-sent', async () => {
    const thrown = await failureOf(call(clientFor({ url: 'http://127.0.0.1:6667' })));
    expect(thrown).toBeInstanceOf(ConnectionError);
    expect(thrown).toMatchObject({ outcome: 'not-sent', reason: 'bad port', attempts: 1 });
  });

  it('is not retried with maxRetries 0, set for the call or for the client', async () => {
    const server = await startHttpServer(reply(429));
    expect(await failureOf(call(clientFor(server), { maxRetries: 0 }))).toMatchObject({ attempts: 1 });
    expect(await failureOf(call(clientFor(server, { maxRetries: 0 })))).toMatchObject({ attempts: 1 });
    expect(server.requests).toHaveLength(2);
  });

  it('is retried up to maxRetries times', async () => {
    const server = await startHttpServer(reply(429));
    expect(await failureOf(call(clientFor(server), { maxRetries: 4 }))).toMatchObject({ attempts: 5 });
    expect(server.requests).toHaveLength(5);
  });

  it('waits as many seconds as Retry-After says, and never less', async () => {
    const onRetry = vi.fn();
    const server = await startHttpServer(reply(429, '', { 'retry-after': '1' }), reply(200, answer()));
    await call(clientFor(server, { onRetry }));
    expect(onRetry).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ delayMs: 1000 }));
    expect(gap(server)).toBeGreaterThanOrEqual(990);
  });

  it('waits until the date that Retry-After names, and never less', async () => {
    const date = new Date(Math.ceil(Date.now() / 1000) * 1000 + 2000);
    const server = await startHttpServer(
      reply(429, '', { 'retry-after': date.toUTCString() }),
      reply(200, answer()),
    );
    await call(clientFor(server));
    expect(Date.now()).toBeGreaterThanOrEqual(date.getTime() - 10);
    expect(gap(server)).toBeGreaterThan(800);
  });

  it('fails at once with retryAfterMs when Retry-After lies beyond the deadline', async () => {
    const server = await startHttpServer(reply(429, '', { 'retry-after': '120' }), reply(200, answer()));
    const started = performance.now();
    const thrown = await failureOf(call(clientFor(server)));
    expect(thrown).toMatchObject({ httpStatus: 429, retryAfterMs: 120_000, attempts: 1, outcome: 'refused' });
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(server.requests).toHaveLength(1);
  });

  it('does not wait for a Retry-After in the past', async () => {
    const past = 'Sun, 06 Nov 1994 08:49:37 GMT';
    const server = await startHttpServer(reply(429, '', { 'retry-after': past }), reply(200, answer()));
    await call(clientFor(server));
    expect(gap(server)).toBeLessThan(5_000);
  });

  it.each(['-1', '.5', 'soon', '2027-01-01', '1e3', 'Infinity', ''])(
    'ignores a Retry-After of %j',
    async (value) => {
      const server = await startHttpServer(reply(429, '', { 'retry-after': value }));
      const thrown = await failureOf(call(clientFor(server), { maxRetries: 0 }));
      expect(thrown['retryAfterMs']).toBeUndefined();
    },
  );
});

describe('Retry-After', () => {
  const inAnHour = new Date(Date.now() + 3_600_000);
  const [weekday, day, month, year, time] = inAnHour.toUTCString().replace(',', '').split(' ');
  const asctime = `${weekday} ${month} ${String(Number(day)).padStart(2)} ${time} ${year}`;

  it.each([
    ['white space around a number', ' 7 ', 7_000],
    ['a fraction', '1.5', 1_500],
    ['two header lines, of which the longer counts', ['5', '30'], 30_000],
    ['two header lines with dates', [inAnHour.toUTCString(), 'Sun, 06 Nov 1994 08:49:37 GMT'], 3_600_000],
    ['a number and a date', ['5', inAnHour.toUTCString()], 3_600_000],
    ['a date as asctime writes it', asctime, 3_600_000],
    ['a date as RFC 850 writes it', 'Sunday, 06-Nov-94 08:49:37 GMT', 0],
  ])('may be %s', async (_, value, expected) => {
    const server = await startHttpServer((response) => {
      response.setHeader('retry-after', value);
      response.writeHead(429).end();
    });
    const thrown = await failureOf(query.call(clientFor(server), { maxRetries: 0 }));
    expect(Math.abs(Number(thrown['retryAfterMs']) - expected)).toBeLessThan(expected > 60_000 ? 60_000 : 1);
  });
});

describe('back-off', () => {
  it('is exponential with full jitter and a bound', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.001);
    const onRetry = vi.fn();
    const server = await startHttpServer(reply(503));
    await failureOf(query.call(clientFor(server, { onRetry, maxRetries: 7 })));
    const delays = onRetry.mock.calls.map(([{ delayMs }]) => Number(delayMs.toFixed(3)));
    expect(delays).toEqual([0.5, 1, 2, 4, 8, 8, 8]);
  });

  it('that would outlast totalTimeoutMs is skipped, and the error is thrown at once', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const server = await startHttpServer(reply(503));
    const thrown = await failureOf(query.call(clientFor(server), { totalTimeoutMs: 400 }));
    expect(thrown).toMatchObject({ httpStatus: 503, attempts: 1 });
  });
});

function gap({ requests }: { requests: readonly { at: number }[] }): number {
  expect(requests).toHaveLength(2);
  return (requests[1]?.at ?? 0) - (requests[0]?.at ?? 0);
}
