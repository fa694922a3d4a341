import { setTimeout as sleep } from 'node:timers/promises';
import {
  every,
  hopeless,
  lost,
  neverSent,
  outOfTime,
  reaching,
  readAndWrite,
  stalled,
  success,
  survived,
} from '../expectations';
import { BRIEFLY, type Fault, message, row } from '../fault';

const reset = (socket: { resetAndDestroy(): unknown }) => socket.resetAndDestroy();

/** Faults on the way to the service, and on the way back. */
export const connectionFaults: readonly Fault[] = [
  row('name that does not resolve', neverSent, { url: () => 'https://no-such-host.invalid', lasting: true }),
  row('connection refused', neverSent, { url: () => 'http://127.0.0.1:2', lasting: true }),
  row('port that fetch forbids', hopeless, { url: () => 'http://127.0.0.1:25', lasting: true }),
  // `connect` itself fails, before the platform could send anything.
  row('reset while connecting', neverSent, {
    onConnection: (socket) => {
      reset(socket);
      return false;
    },
  }),
  // Only the server knows that nothing was read.
  row('reset before the request was read', reaching(0, lost), {
    onConnection: (socket) => {
      setTimeout(reset, 20, socket);
      return false;
    },
  }),
  row('connection accepted, request never read', reaching(0, stalled), {
    onConnection: () => false,
    client: BRIEFLY,
  }),
  row('reset in the middle of the request', reaching(0, lost), {
    padding: 3_000_000,
    onHead: ({ socket }) => {
      reset(socket);
      return false;
    },
  }),
  row('reset before the headers', lost, ({ socket }) => reset(socket)),
  row('half-closed without an answer', lost, ({ socket }) => socket.end()),
  row('reset in the middle of the headers', lost, async ({ socket, write }) => {
    write('HTTP/1.1 200 OK\r\ncontent-type: app');
    await sleep(20);
    reset(socket);
  }),
  row('reset in the middle of the body', lost, async ({ socket, write, answer }) => {
    write(message('200 OK', answer).subarray(0, -10));
    await sleep(20);
    reset(socket);
  }),
  row('reset after the whole answer', survived, async ({ socket, write, answer }) => {
    write(message('200 OK', answer));
    await sleep(20);
    reset(socket);
  }),
  row(
    'kept-alive connection that was closed in the meantime',
    every(success(2)),
    {
      // The client has seen the close, so no operation uses the old connection.
      act: async ({ call }) => {
        await call();
        await sleep(200);
        return call();
      },
      lasting: true,
    },
    ({ socket, answer, connection }) => {
      socket.write(message('200 OK', answer, ['keep-alive: timeout=60']));
      if (connection === 1) setTimeout(() => socket.end(), 30);
    },
  ),
  // The server may have acted before it closed. The query is retried; the others must not be sent twice.
  row(
    'kept-alive connection that closes just as it is used (stale socket)',
    readAndWrite(success(3), { ...lost.createRecurringCheckout, attempts: 2, requests: 2 }),
    {
      act: async ({ call }) => {
        await call();
        await sleep(50);
        return call();
      },
      lasting: true,
    },
    ({ socket, answer, count }) => {
      if (count === 2) reset(socket);
      else socket.write(message('200 OK', answer, ['keep-alive: timeout=60']));
    },
  ),
  row(
    'server that dies during the request, and is back for the next attempt',
    readAndWrite(success(2), lost.createRecurringCheckout),
    { random: 0.9, lasting: true },
    async ({ server, write, answer, count }) => {
      if (count > 1) return write(message('200 OK', answer));
      await server.kill();
      await server.listen();
    },
  ),
  row(
    'totalTimeoutMs that ends before timeoutMs',
    outOfTime,
    { client: { timeoutMs: 5_000, totalTimeoutMs: 1_000 }, lasting: true },
    () => undefined,
  ),
];
