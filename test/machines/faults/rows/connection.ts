import { setTimeout as sleep } from 'node:timers/promises';
import {
  connectionFailed,
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

type Lookup = (host: string, options: object, callback: (...results: unknown[]) => void) => void;

/** A lookup with a fixed result, which asks no name service. */
const resolving =
  (error: Error | null, ...addresses: string[]): Lookup =>
  (_host, _options, callback) =>
    setImmediate(
      callback,
      error,
      addresses.map((address) => ({ address, family: 4 })),
    );

const nameError = (code: string) =>
  Object.assign(new Error(`getaddrinfo ${code} service.invalid`), { code, syscall: 'getaddrinfo' });

const reset = (socket: { resetAndDestroy(): unknown }) => socket.resetAndDestroy();

/** Faults on the way to the service, and on the way back. */
export const connectionFaults: readonly Fault[] = [
  row('name that does not resolve', neverSent, { url: () => 'https://no-such-host.invalid', lasting: true }),
  ...['EAI_AGAIN', 'EAI_FAIL'].map(
    (code): Fault =>
      row(`name service that fails (${code})`, neverSent, {
        url: () => 'http://service.example:2',
        client: { allowInsecureHttp: true },
        agent: { connect: { lookup: resolving(nameError(code)) } },
        lasting: true,
      }),
  ),
  row('connection refused', neverSent, { url: () => 'http://127.0.0.1:2', lasting: true }),
  row('every address of the name refused', neverSent, {
    url: () => 'http://service.example:2',
    client: { allowInsecureHttp: true },
    agent: { connect: { lookup: resolving(null, '127.0.0.1', '127.0.0.2', '127.0.0.3') } },
    lasting: true,
  }),
  row('first address of the name refused, second one works', survived, {
    url: ({ port }) => `http://service.example:${port}`,
    client: { allowInsecureHttp: true },
    agent: { connect: { lookup: resolving(null, '127.0.0.2', '127.0.0.1') } },
  }),
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
  row('closed before the request was read', reaching(0, lost), {
    onConnection: (socket) => {
      setTimeout(() => socket.destroy(), 20);
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
  row('closed in the middle of the request', reaching(0, lost), {
    padding: 3_000_000,
    onHead: ({ socket }) => {
      socket.destroy();
      return false;
    },
  }),
  // A query has only a head, but this server does not count it, because it does not act on it.
  row('request that the server stops reading in the middle', reaching(0, stalled), {
    padding: 8_000_000,
    onHead: ({ socket }) => {
      socket.pause();
      return false;
    },
    client: BRIEFLY,
  }),
  row('reset before the headers', lost, ({ socket }) => reset(socket)),
  row('closed before the headers', lost, ({ socket }) => socket.destroy()),
  row('half-closed without an answer', lost, ({ socket }) => socket.end()),
  row('reset in the middle of the headers', lost, async ({ socket, write }) => {
    write('HTTP/1.1 200 OK\r\ncontent-type: app');
    await sleep(20);
    reset(socket);
  }),
  row('half-closed in the middle of the headers', lost, ({ socket }) =>
    socket.end('HTTP/1.1 200 OK\r\ncontent-type: app'),
  ),
  row('reset between the headers and the body', lost, async ({ socket, write }) => {
    write('HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n');
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
  row('answer with keep-alive, and then a closed connection', survived, ({ socket, answer }) =>
    socket.end(message('200 OK', answer, ['connection: keep-alive'])),
  ),
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
    'server that restarts, after a 503 with Retry-After',
    readAndWrite(success(2), {
      end: ['ApiError', 'api_error'],
      httpStatus: 503,
      outcome: 'unknown',
      attempts: 1,
      requests: 1,
    }),
    { lasting: true },
    async ({ server, socket, write, answer, count }) => {
      if (count > 1) return write(message('200 OK', answer));
      socket.end(message('503 Service Unavailable', '', ['retry-after: 1', 'connection: close']));
      await sleep(100);
      await server.kill();
      await sleep(200);
      await server.listen();
    },
  ),
  row(
    'server that is up only for the next attempt',
    readAndWrite({ ...success(1), attempts: 2 }, connectionFailed('not-sent', 1, 0)),
    {
      random: 0.9,
      act: async ({ call, server, attempted }) => {
        await server.kill();
        const calling = call();
        calling.catch(() => undefined);
        await attempted();
        await sleep(100);
        await server.listen();
        return calling;
      },
      lasting: true,
    },
  ),
  ...(['no answer', 'answer that breaks off'] as const).map(
    (what): Fault =>
      row(
        `${what}, over the platform’s shared pool`,
        stalled,
        { agent: 'shared', client: BRIEFLY, lasting: true },
        ({ write }) => what === 'no answer' || write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{'),
      ),
  ),
  row(
    'kept-alive connection of the platform’s shared pool that was closed in the meantime',
    every(success(2)),
    {
      agent: 'shared',
      act: async ({ call }) => {
        await call();
        await sleep(200);
        return call();
      },
      lasting: true,
    },
    ({ socket, answer }) => {
      socket.write(message('200 OK', answer, ['keep-alive: timeout=60']));
      setTimeout(() => socket.end(), 30);
    },
  ),
  row(
    'totalTimeoutMs that ends before timeoutMs',
    outOfTime,
    { client: { timeoutMs: 5_000, totalTimeoutMs: 1_000 }, lasting: true },
    () => undefined,
  ),
];
