import { getEventListeners } from 'node:events';
import { inspect, isDeepStrictEqual } from 'node:util';
import { PaymentsClient } from 'pix-automatic-sdk';
import { apiKey, apiToken } from '../../client/support';
import { FaultServer, type Received } from '../../helpers/fault-server';
import { type Expected, success } from './expectations';
import { type Exchange, type Fault, message, type Operation, type World } from './fault';
import { Watch, watched } from './leaks';
import { createPool, overPool } from './pools';

/** What went wrong in a cell; empty when it went as expected. */
export type Problems = string[];

/** The client's limits, far above what any cell needs that is not about limits. */
const LIMITS = { timeoutMs: 6_000, totalTimeoutMs: 15_000, maxResponseBytes: 100_000 };

/** A shared machine may pause for this long. */
const PATIENCE_MS = 4_000;

/** Runs one operation under one fault, and again under the same fault, gone by the second attempt. */
export async function runCell(fault: Fault, operation: Operation, trusted: string): Promise<Problems> {
  const expected = fault.expected[operation.name];
  const problems = await play(fault, operation, expected, false, trusted);
  if (fault.lasting || expected.attempts <= 1) return problems;
  const recovered = success(2);
  const requests = expected.requests === 0 ? 1 : 2;
  const after = await play(
    { ...fault, accepts: isDeepStrictEqual },
    operation,
    { ...recovered, requests },
    true,
    trusted,
  );
  return [...problems, ...after.map((problem) => `when it passes: ${problem}`)];
}

async function play(
  fault: Fault,
  operation: Operation,
  expected: Expected,
  once: boolean,
  trusted: string,
): Promise<Problems> {
  const server = serverFor(fault, operation, once);
  await server.listen();
  const pool = createPool({ connect: { ca: trusted, timeout: 1_000 } });
  const controller = new AbortController();
  const watch = new Watch(fault.random ?? 0);
  const scheme = fault.tls === undefined ? 'http' : 'https';
  let attempts = 0;
  const options = { ...LIMITS, ...fault.client };
  const client = new PaymentsClient({
    baseUrl: fault.url?.(server, scheme, operation) ?? `${scheme}://127.0.0.1:${server.port}`,
    apiKey,
    apiToken,
    ...options,
    onRequest: () => (attempts += 1),
  });
  // A query has no body to pad.
  const isPadded = fault.padding !== undefined && operation.method !== 'GET';
  const callOptions = {
    signal: controller.signal,
    ...(isPadded && { extraFields: { padding: 'x'.repeat(fault.padding) } }),
  };
  const call = (): Promise<unknown> => operation.call(client, callOptions);
  const world: World = { operation, call, server };
  const limitMs = timeFor(expected, fault.client) + PATIENCE_MS;
  const started = performance.now();
  const acting = overPool(pool, () => watched(watch, () => fault.act?.(world) ?? call()));
  const end = await settle(acting, limitMs);
  const tookMs = performance.now() - started;

  const problems: Problems = [];
  const check = (holds: boolean, problem: string) => holds || problems.push(problem);
  const timers = await watch.timersLeft();
  check(timers === 0, `${timers} timers left`);
  const listeners = getEventListeners(controller.signal, 'abort').length;
  check(listeners === 0, `${listeners} listeners left on the signal`);
  check(tookMs < limitMs, `took ${Math.round(tookMs)} ms, at most ${limitMs} expected`);
  check(
    tookMs >= (fault.notBefore ?? 0),
    `ended after ${Math.round(tookMs)} ms, ${fault.notBefore} expected`,
  );
  problems.push(...judge(fault, operation, expected, end));
  check(attempts === expected.attempts, `${attempts} attempts, ${expected.attempts} expected`);

  // Closing the pool waits for every running request, and the server for every connection.
  const closed = await settle(pool.close(), PATIENCE_MS);
  check(closed.kind === 'resolved', 'a request is still under way');
  await server.retire();
  const connections = await server.connectionsLeft(PATIENCE_MS);
  check(connections === 0, `${connections} connections left`);
  check(server.requests === expected.requests, `${server.requests} requests, ${expected.requests} expected`);
  await pool.destroy();
  await server.kill();
  return problems;
}

type End =
  | { readonly kind: 'resolved'; readonly value: unknown }
  | { readonly kind: 'rejected'; readonly error: unknown }
  | { readonly kind: 'hung' };

function judge(fault: Fault, operation: Operation, expected: Expected, end: End): Problems {
  if (end.kind === 'hung') return ['hung'];
  if (end.kind === 'resolved') {
    if (expected.end !== 'success') return [`succeeded with ${inspect(end.value, { depth: 1 })}`];
    const accepts = fault.accepts ?? isDeepStrictEqual;
    return accepts(end.value, operation.answer()) ? [] : [`gave ${inspect(end.value, { depth: 1 })}`];
  }
  const error = end.error as Error & Record<string, unknown>;
  if (expected.end === 'success') return [`threw ${inspect(error)}`];
  const [className, code] = expected.end;
  const { outcome, httpStatus } = expected;
  const got = {
    class: error?.constructor?.name,
    code: error['code'],
    outcome: error['outcome'],
    httpStatus: error['httpStatus'],
  };
  const problems = isDeepStrictEqual(got, { class: className, code, outcome, httpStatus })
    ? []
    : [`threw ${inspect(got, { breakLength: Infinity })}: ${error.message}`];
  const printed = inspect(error, { depth: 10, showHidden: true });
  if (printed.includes(apiKey) || printed.includes(apiToken)) problems.push('the error shows a credential');
  return problems;
}

/** The most time that the limits allow to this many attempts. */
function timeFor({ attempts }: Expected, limits: Fault['client'] = {}): number {
  const { timeoutMs = LIMITS.timeoutMs, totalTimeoutMs = LIMITS.totalTimeoutMs } = limits;
  return Math.min(totalTimeoutMs, Math.max(1, attempts) * timeoutMs);
}

function serverFor(fault: Fault, operation: Operation, once: boolean): FaultServer {
  const answer = JSON.stringify(operation.answer());
  const exchange = (received: Received): Exchange => ({
    ...received,
    server,
    operation,
    answer,
    write: (bytes) => received.socket.write(bytes),
  });
  const healthy = () => answer;
  const isFaulty = (count: number) => !once || count === 1;
  const { onConnection, onHead, respond = healthy } = fault;
  const server = new FaultServer({
    tls: fault.tls,
    onConnection: (socket, connection) =>
      onConnection === undefined || !isFaulty(connection) || onConnection(socket),
    onHead: (received) => onHead === undefined || !isFaulty(received.count) || onHead(exchange(received)),
    onRequest: (received) => {
      const isHit = isFaulty(onConnection ? received.connection : received.count);
      const text = (isHit ? respond : healthy)(exchange(received));
      if (typeof text === 'string' || text instanceof Uint8Array)
        received.socket.write(message('200 OK', text));
    },
  });
  return server;
}

/** How a promise ends within the time. */
async function settle(promise: Promise<unknown>, withinMs: number): Promise<End> {
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<End>((resolve) => {
    timer = setTimeout(resolve, withinMs, { kind: 'hung' });
  });
  const end = promise.then(
    (value): End => ({ kind: 'resolved', value }),
    (error: unknown): End => ({ kind: 'rejected', error }),
  );
  try {
    return await Promise.race([end, hung]);
  } finally {
    clearTimeout(timer);
  }
}
