import { TimeoutError } from 'pix-automatic-sdk';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Respond, reply, stall, startHttpServer } from '../helpers/http-server';
import { startRawServer } from '../helpers/raw-server';
import { clientFor, failureOf, operations, withoutBackOff } from './support';

const [create, query] = operations;

/** Sends the head and half of the body, and then nothing more. */
const stallInBody: Respond = (response) => {
  response.writeHead(200, { 'content-length': 1000 });
  response.write('{"status":0,');
};

/** Sends a byte every 10 ms, so that a limit on silence alone would never be reached. */
const trickle: Respond = (response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write(' '), 10);
  response.on('close', () => clearInterval(timer));
};

const standstills = [
  { where: 'before the headers', respond: stall },
  { where: 'in the middle of the body', respond: stallInBody },
  { where: 'with a body that trickles', respond: trickle },
];

beforeEach(withoutBackOff);

describe.each(operations)('$name', ({ call }) => {
  it.each(standstills)('ends after timeoutMs when the service stalls $where', async ({ respond }) => {
    const server = await startHttpServer(respond);
    const started = performance.now();
    const thrown = await failureOf(call(clientFor(server, { maxRetries: 0 }), { timeoutMs: 150 }));
    const took = performance.now() - started;
    expect(thrown).toBeInstanceOf(TimeoutError);
    expect(thrown).toMatchObject({ code: 'timeout', outcome: 'unknown', attempts: 1 });
    expect(thrown.message).toContain('`timeoutMs` (150 ms)');
    expect(took).toBeGreaterThanOrEqual(140);
    expect(took).toBeLessThan(3_000);
  });

  it.each(standstills)('ends after totalTimeoutMs when the service stalls $where', async ({ respond }) => {
    const server = await startHttpServer(respond);
    const onRequest = vi.fn();
    const started = performance.now();
    const thrown = await failureOf(call(clientFor(server, { onRequest }), { totalTimeoutMs: 150 }));
    expect(thrown).toMatchObject({ code: 'timeout', outcome: 'unknown', attempts: 1 });
    expect(thrown.message).toContain('`totalTimeoutMs` (150 ms)');
    expect(performance.now() - started).toBeLessThan(3_000);
    expect(onRequest).toHaveBeenCalledOnce();
    // On a busy machine, the time may be over before the request has arrived.
    expect(server.requests.length).toBeLessThanOrEqual(1);
  });

  it('ends after timeoutMs when the service never completes its headers', async () => {
    const server = await startRawServer((socket) => socket.write('HTTP/1.1 200 OK\r\nx-a: 1\r\n'));
    const thrown = await failureOf(call(clientFor(server, { timeoutMs: 150, maxRetries: 0 })));
    expect(thrown).toMatchObject({ code: 'timeout', outcome: 'unknown' });
  });

  it('throws the ApiError of a 409 after timeoutMs when its body stalls', async () => {
    const server = await startHttpServer((response) => {
      response.writeHead(409, { 'content-length': 100 });
      response.write('{"message":');
    });
    const thrown = await failureOf(call(clientFor(server, { timeoutMs: 150 })));
    expect(thrown).toMatchObject({ code: 'api_error', httpStatus: 409, outcome: 'refused' });
  });
});

it('each attempt gets the full timeoutMs', async () => {
  const server = await startHttpServer(stall, stallInBody, reply(200, query.answer()));
  // Long enough for the third response on a busy machine; the first two always use all of it.
  expect(await query.call(clientFor(server, { timeoutMs: 1_000 }))).toEqual(query.answer());
  expect(server.requests).toHaveLength(3);
});

it('totalTimeoutMs limits all attempts together', async () => {
  const server = await startHttpServer(stall);
  const options = { timeoutMs: 150, totalTimeoutMs: 1_500, maxRetries: 50 };
  const started = performance.now();
  const thrown = await failureOf(query.call(clientFor(server, options)));
  expect(thrown).toMatchObject({ code: 'timeout', outcome: 'unknown' });
  // How many fit depends on the machine and on the jitter of the back-off; without the total limit it would be 51.
  expect(thrown['attempts']).toBeGreaterThan(1);
  expect(thrown['attempts']).toBeLessThan(12);
  expect(performance.now() - started).toBeLessThan(6_000);
});

it('the timeoutMs of a call replaces that of the client', async () => {
  const server = await startHttpServer(stall);
  const client = clientFor(server, { timeoutMs: 60_000, maxRetries: 0 });
  expect(await failureOf(create.call(client, { timeoutMs: 100 }))).toMatchObject({ code: 'timeout' });
});

it('the connection of an attempt that timed out is closed', async () => {
  let ended = false;
  const server = await startRawServer((socket) => socket.on('close', () => (ended = true)));
  await failureOf(create.call(clientFor(server, { timeoutMs: 100 })));
  await expect.poll(() => ended).toBe(true);
});
