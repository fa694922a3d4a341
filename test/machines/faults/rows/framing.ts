import { setTimeout as sleep } from 'node:timers/promises';
import { every, lost, reaching, refused, stalled, success, survived } from '../expectations';
import { BRIEFLY, type Exchange, type Fault, message, repeat, row, say, sayAndClose } from '../fault';

/** The documented answer, after these bytes. */
const after =
  (bytes: string) =>
  ({ write, answer }: Exchange) =>
    write(Buffer.concat([Buffer.from(bytes, 'latin1'), message('200 OK', answer)]));

/** The documented answer, with these lines in its head. */
const withHeaders =
  (...headers: string[]) =>
  ({ write, answer }: Exchange) =>
    write(message('200 OK', answer, headers));

/** A response that must not be taken for the response to the next request. */
const poison = '{"status":0,"message":"poison","situation":"PAID","response":{"uuid":"poison"}}';

/** Faults in the head of a response, and before and after it. */
export const framingFaults: readonly Fault[] = [
  row('no HTTP at all', lost, sayAndClose('SSH-2.0-OpenSSH_9.6\r\n\r\n')),
  row(
    'HTTP/2 that the client did not ask for',
    lost,
    say(Buffer.from('00000604000000000000030000006400', 'hex')),
  ),
  row('status line that breaks off', lost, sayAndClose('HTTP/1.1 2')),
  row('status of two digits', lost, sayAndClose('HTTP/1.1 20 OK\r\ncontent-length: 0\r\n\r\n')),
  row('status of four digits', lost, sayAndClose('HTTP/1.1 2000 OK\r\ncontent-length: 0\r\n\r\n')),
  row('status that is not a number', lost, sayAndClose('HTTP/1.1 OK\r\ncontent-length: 0\r\n\r\n')),
  row('HTTP version that does not exist', lost, sayAndClose('HTTP/7.3 200 OK\r\ncontent-length: 0\r\n\r\n')),
  // The platform's parser accepts these two. Neither changes the response or where it ends.
  row('header without a name', survived, withHeaders(': x')),
  row('space before the colon of a header', survived, withHeaders('x-a : 1')),
  row('header without a colon', lost, sayAndClose('HTTP/1.1 200 OK\r\nx\r\n\r\n')),
  row('header with a NUL', lost, withHeaders('x-a: 1\0 2')),
  row('header with a lone carriage return', lost, withHeaders('x-a: 1\r 2')),
  row('header value in Latin-1', survived, withHeaders('x-a: é')),
  row('header that continues on the next line (obs-fold)', survived, withHeaders('x-a: 1\r\n 2')),
  row('two hundred cookies', survived, withHeaders(...Array(200).fill('set-cookie: a=b'))),
  row('headers larger than the platform accepts', lost, withHeaders(`x-a: ${'x'.repeat(100_000)}`)),
  row('endless headers', lost, ({ socket, write }) => {
    write('HTTP/1.1 200 OK\r\n');
    repeat(socket, () => `x-a: ${'x'.repeat(500)}\r\n`);
  }),
  row('headers that drip', stalled, { client: BRIEFLY }, ({ socket, write }) => {
    write('HTTP/1.1 200 OK\r\nx-a: ');
    repeat(socket, () => 'x', 10);
  }),
  row('headers that stall', stalled, { client: BRIEFLY }, say('HTTP/1.1 200 OK\r\nx-a: 1\r\n')),
  row('no answer at all', stalled, { client: BRIEFLY }, () => undefined),
  // A client should accept it (RFC 9110, section 15.2). But the platform ends the connection, so that the client can
  // only report a lost connection, with outcome unknown.
  row('100 Continue that the client did not ask for', lost, after('HTTP/1.1 100 Continue\r\n\r\n')),
  row('102 Processing, then the answer', survived, after('HTTP/1.1 102 Processing\r\n\r\n')),
  row(
    'a thousand 103 Early Hints, then the answer',
    survived,
    after('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(1_000)),
  ),
  row('endless 103 Early Hints', stalled, { client: BRIEFLY }, ({ socket }) =>
    repeat(socket, () => 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(20)),
  ),
  row(
    '101 Switching Protocols that the client did not ask for',
    lost,
    sayAndClose('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
  ),
  row(
    'two answers to one request',
    every(success(2)),
    {
      // The second one must not become the response to the next request.
      act: async ({ call }) => {
        await call();
        return call();
      },
      lasting: true,
    },
    ({ write, answer, count }) =>
      write(
        Buffer.concat([message('200 OK', answer), count === 1 ? message('200 OK', poison) : Buffer.alloc(0)]),
      ),
  ),
  row(
    'a second answer between two requests',
    every(success(2)),
    {
      act: async ({ call }) => {
        await call();
        await sleep(150);
        return call();
      },
      lasting: true,
    },
    async ({ write, answer, count }) => {
      write(message('200 OK', answer));
      await sleep(30);
      if (count === 1) write(message('200 OK', poison));
    },
  ),
  row('answer with garbage after it', survived, ({ socket, answer }) =>
    socket.end(Buffer.concat([message('200 OK', answer), Buffer.from('\0garbage')])),
  ),
  row('empty lines before the answer', survived, after('\r\n\r\n')),
  row('HTTP/1.0 answer that ends with the connection', survived, ({ socket, answer }) =>
    socket.end(`HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n${answer}`),
  ),
  row('bare line feeds as line ends', lost, ({ socket, answer }) =>
    socket.end(`HTTP/1.1 200 OK\ncontent-length: ${Buffer.byteLength(answer)}\n\n${answer}`),
  ),
  row('answer without a reason phrase', survived, ({ write, answer }) =>
    write(`HTTP/1.1 200\r\ncontent-length: ${Buffer.byteLength(answer)}\r\n\r\n${answer}`),
  ),
  row('413 before the body was read', reaching(0, refused(413)), {
    padding: 8_000_000,
    onHead: ({ socket, write }) => {
      socket.pause();
      write(message('413 Too Large', '{"status":-1}', ['connection: close']));
      return false;
    },
  }),
  row('answer before the body was read', reaching(0, survived), {
    padding: 8_000_000,
    onHead: ({ socket, write, answer }) => {
      socket.pause();
      write(message('200 OK', answer));
      return false;
    },
  }),
];
