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
import { BRIEFLY, type Fault, message } from '../fault';

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
  {
    name: 'name that does not resolve',
    url: () => 'https://no-such-host.invalid',
    expected: neverSent,
    lasting: true,
  },
  ...['EAI_AGAIN', 'EAI_FAIL'].map(
    (code): Fault => ({
      name: `name service that fails (${code})`,
      url: () => 'http://service.example:2',
      client: { allowInsecureHttp: true },
      agent: { connect: { lookup: resolving(nameError(code)) } },
      expected: neverSent,
      lasting: true,
    }),
  ),
  {
    name: 'connection refused',
    url: () => 'http://127.0.0.1:2',
    expected: neverSent,
    lasting: true,
  },
  {
    name: 'every address of the name refused',
    url: () => 'http://service.example:2',
    client: { allowInsecureHttp: true },
    agent: { connect: { lookup: resolving(null, '127.0.0.1', '127.0.0.2', '127.0.0.3') } },
    expected: neverSent,
    lasting: true,
  },
  {
    name: 'first address of the name refused, second one works',
    url: ({ port }) => `http://service.example:${port}`,
    client: { allowInsecureHttp: true },
    agent: { connect: { lookup: resolving(null, '127.0.0.2', '127.0.0.1') } },
    expected: survived,
  },
  {
    name: 'port that fetch forbids',
    url: () => 'http://127.0.0.1:25',
    expected: hopeless,
    lasting: true,
  },
  {
    name: 'reset while connecting',
    onConnection: (socket) => {
      reset(socket);
      return false;
    },
    // `connect` itself fails, before the platform could send anything.
    expected: neverSent,
  },
  {
    name: 'reset before the request was read',
    onConnection: (socket) => {
      setTimeout(reset, 20, socket);
      return false;
    },
    // Only the server knows that nothing was read.
    expected: reaching(0, lost),
  },
  {
    name: 'closed before the request was read',
    onConnection: (socket) => {
      setTimeout(() => socket.destroy(), 20);
      return false;
    },
    expected: reaching(0, lost),
  },
  {
    name: 'connection accepted, request never read',
    onConnection: () => false,
    client: BRIEFLY,
    expected: reaching(0, stalled),
  },
  {
    name: 'reset in the middle of the request',
    padding: 3_000_000,
    onHead: ({ socket }) => {
      reset(socket);
      return false;
    },
    expected: reaching(0, lost),
  },
  {
    name: 'closed in the middle of the request',
    padding: 3_000_000,
    onHead: ({ socket }) => {
      socket.destroy();
      return false;
    },
    expected: reaching(0, lost),
  },
  {
    name: 'request that the server stops reading in the middle',
    padding: 8_000_000,
    onHead: ({ socket }) => {
      socket.pause();
      return false;
    },
    client: BRIEFLY,
    // A query has only a head, but this server does not count it, because it does not act on it.
    expected: reaching(0, stalled),
  },
  { name: 'reset before the headers', respond: ({ socket }) => reset(socket), expected: lost },
  { name: 'closed before the headers', respond: ({ socket }) => socket.destroy(), expected: lost },
  { name: 'half-closed without an answer', respond: ({ socket }) => socket.end(), expected: lost },
  {
    name: 'reset in the middle of the headers',
    respond: async ({ socket, write }) => {
      write('HTTP/1.1 200 OK\r\ncontent-type: app');
      await sleep(20);
      reset(socket);
    },
    expected: lost,
  },
  {
    name: 'half-closed in the middle of the headers',
    respond: ({ socket }) => socket.end('HTTP/1.1 200 OK\r\ncontent-type: app'),
    expected: lost,
  },
  {
    name: 'reset between the headers and the body',
    respond: async ({ socket, write }) => {
      write('HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n');
      await sleep(20);
      reset(socket);
    },
    expected: lost,
  },
  {
    name: 'reset in the middle of the body',
    respond: async ({ socket, write, answer }) => {
      write(message('200 OK', answer).subarray(0, -10));
      await sleep(20);
      reset(socket);
    },
    expected: lost,
  },
  {
    name: 'reset after the whole answer',
    respond: async ({ socket, write, answer }) => {
      write(message('200 OK', answer));
      await sleep(20);
      reset(socket);
    },
    expected: survived,
  },
  {
    name: 'answer with keep-alive, and then a closed connection',
    respond: ({ socket, answer }) => socket.end(message('200 OK', answer, ['connection: keep-alive'])),
    expected: survived,
  },
  {
    name: 'kept-alive connection that was closed in the meantime',
    respond: ({ socket, answer, connection }) => {
      socket.write(message('200 OK', answer, ['keep-alive: timeout=60']));
      if (connection === 1) setTimeout(() => socket.end(), 30);
    },
    // The client has seen the close, so no operation uses the old connection.
    act: async ({ call }) => {
      await call();
      await sleep(200);
      return call();
    },
    expected: every(success(2)),
    lasting: true,
  },
  {
    name: 'kept-alive connection that closes just as it is used (stale socket)',
    respond: ({ socket, answer, count }) => {
      if (count === 2) reset(socket);
      else socket.write(message('200 OK', answer, ['keep-alive: timeout=60']));
    },
    act: async ({ call }) => {
      await call();
      await sleep(50);
      return call();
    },
    // The server may have acted before it closed. The query is retried; the others must not be sent twice.
    expected: readAndWrite(success(3), { ...lost.createRecurringCheckout, attempts: 2, requests: 2 }),
    lasting: true,
  },
  {
    name: 'server that dies during the request, and is back for the next attempt',
    respond: async ({ server, write, answer, count }) => {
      if (count > 1) return write(message('200 OK', answer));
      await server.kill();
      await server.listen();
    },
    random: 0.9,
    expected: readAndWrite(success(2), lost.createRecurringCheckout),
    lasting: true,
  },
  {
    name: 'server that restarts, after a 503 with Retry-After',
    respond: async ({ server, socket, write, answer, count }) => {
      if (count > 1) return write(message('200 OK', answer));
      socket.end(message('503 Service Unavailable', '', ['retry-after: 1', 'connection: close']));
      await sleep(100);
      await server.kill();
      await sleep(200);
      await server.listen();
    },
    expected: readAndWrite(success(2), {
      end: ['ApiError', 'api_error'],
      httpStatus: 503,
      outcome: 'unknown',
      attempts: 1,
      requests: 1,
    }),
    lasting: true,
  },
  {
    name: 'server that is up only for the next attempt',
    random: 0.9,
    act: async ({ call, server }) => {
      await server.kill();
      const calling = call();
      calling.catch(() => undefined);
      await sleep(100);
      await server.listen();
      return calling;
    },
    expected: readAndWrite({ ...success(1), attempts: 2 }, connectionFailed('not-sent', 1, 0)),
    lasting: true,
  },
  ...(['no answer', 'answer that breaks off'] as const).map(
    (what): Fault => ({
      name: `${what}, over the platform’s shared pool`,
      agent: 'shared',
      respond: ({ write }) => what === 'no answer' || write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{'),
      client: BRIEFLY,
      expected: stalled,
      lasting: true,
    }),
  ),
  {
    name: 'kept-alive connection of the platform’s shared pool that was closed in the meantime',
    agent: 'shared',
    respond: ({ socket, answer }) => {
      socket.write(message('200 OK', answer, ['keep-alive: timeout=60']));
      setTimeout(() => socket.end(), 30);
    },
    act: async ({ call }) => {
      await call();
      await sleep(200);
      return call();
    },
    expected: every(success(2)),
    lasting: true,
  },
  {
    name: 'totalTimeoutMs that ends before timeoutMs',
    respond: () => undefined,
    client: { timeoutMs: 5_000, totalTimeoutMs: 1_000 },
    expected: outOfTime,
    lasting: true,
  },
];
