import { setTimeout as sleep } from 'node:timers/promises';
import { every, lost, reaching, refused, stalled, success, survived } from '../expectations';
import { BRIEFLY, type Exchange, type Fault, message, repeat, say, sayAndClose } from '../fault';

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
  { name: 'no HTTP at all', respond: sayAndClose('SSH-2.0-OpenSSH_9.6\r\n\r\n'), expected: lost },
  {
    name: 'HTTP/2 that the client did not ask for',
    respond: say(Buffer.from('00000604000000000000030000006400', 'hex')),
    expected: lost,
  },
  { name: 'status line that breaks off', respond: sayAndClose('HTTP/1.1 2'), expected: lost },
  {
    name: 'status of two digits',
    respond: sayAndClose('HTTP/1.1 20 OK\r\ncontent-length: 0\r\n\r\n'),
    expected: lost,
  },
  {
    name: 'status of four digits',
    respond: sayAndClose('HTTP/1.1 2000 OK\r\ncontent-length: 0\r\n\r\n'),
    expected: lost,
  },
  {
    name: 'status that is not a number',
    respond: sayAndClose('HTTP/1.1 OK\r\ncontent-length: 0\r\n\r\n'),
    expected: lost,
  },
  {
    name: 'HTTP version that does not exist',
    respond: sayAndClose('HTTP/7.3 200 OK\r\ncontent-length: 0\r\n\r\n'),
    expected: lost,
  },
  // The platform's parser accepts these two. Neither changes the response or where it ends.
  { name: 'header without a name', respond: withHeaders(': x'), expected: survived },
  { name: 'space before the colon of a header', respond: withHeaders('x-a : 1'), expected: survived },
  { name: 'header without a colon', respond: sayAndClose('HTTP/1.1 200 OK\r\nx\r\n\r\n'), expected: lost },
  { name: 'header with a NUL', respond: withHeaders('x-a: 1\0 2'), expected: lost },
  { name: 'header with a lone carriage return', respond: withHeaders('x-a: 1\r 2'), expected: lost },
  { name: 'header value in Latin-1', respond: withHeaders('x-a: é'), expected: survived },
  {
    name: 'header that continues on the next line (obs-fold)',
    respond: withHeaders('x-a: 1\r\n 2'),
    expected: survived,
  },
  {
    name: 'two hundred cookies',
    respond: withHeaders(...Array(200).fill('set-cookie: a=b')),
    expected: survived,
  },
  {
    name: 'headers larger than the platform accepts',
    respond: withHeaders(`x-a: ${'x'.repeat(100_000)}`),
    expected: lost,
  },
  {
    name: 'endless headers',
    respond: ({ socket, write }) => {
      write('HTTP/1.1 200 OK\r\n');
      repeat(socket, () => `x-a: ${'x'.repeat(500)}\r\n`);
    },
    expected: lost,
  },
  {
    name: 'headers that drip',
    respond: ({ socket, write }) => {
      write('HTTP/1.1 200 OK\r\nx-a: ');
      repeat(socket, () => 'x', 10);
    },
    client: BRIEFLY,
    expected: stalled,
  },
  {
    name: 'headers that stall',
    respond: say('HTTP/1.1 200 OK\r\nx-a: 1\r\n'),
    client: BRIEFLY,
    expected: stalled,
  },
  { name: 'no answer at all', respond: () => undefined, client: BRIEFLY, expected: stalled },
  {
    name: '100 Continue that the client did not ask for',
    respond: after('HTTP/1.1 100 Continue\r\n\r\n'),
    // A client should accept it (RFC 9110, section 15.2). But the platform ends the connection, so that the client can
    // only report a lost connection, with outcome unknown.
    expected: lost,
  },
  {
    name: '102 Processing, then the answer',
    respond: after('HTTP/1.1 102 Processing\r\n\r\n'),
    expected: survived,
  },
  {
    name: 'a thousand 103 Early Hints, then the answer',
    respond: after('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(1_000)),
    expected: survived,
  },
  {
    name: 'endless 103 Early Hints',
    respond: ({ socket }) =>
      repeat(socket, () => 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(20)),
    client: BRIEFLY,
    expected: stalled,
  },
  {
    name: '101 Switching Protocols that the client did not ask for',
    respond: sayAndClose('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    expected: lost,
  },
  {
    name: 'two answers to one request',
    respond: ({ write, answer, count }) =>
      write(
        Buffer.concat([message('200 OK', answer), count === 1 ? message('200 OK', poison) : Buffer.alloc(0)]),
      ),
    // The second one must not become the response to the next request.
    act: async ({ call }) => {
      await call();
      return call();
    },
    expected: every(success(2)),
    lasting: true,
  },
  {
    name: 'a second answer between two requests',
    respond: async ({ write, answer, count }) => {
      write(message('200 OK', answer));
      await sleep(30);
      if (count === 1) write(message('200 OK', poison));
    },
    act: async ({ call }) => {
      await call();
      await sleep(150);
      return call();
    },
    expected: every(success(2)),
    lasting: true,
  },
  {
    name: 'answer with garbage after it',
    respond: ({ socket, answer }) =>
      socket.end(Buffer.concat([message('200 OK', answer), Buffer.from('\0garbage')])),
    expected: survived,
  },
  {
    name: 'empty lines before the answer',
    respond: after('\r\n\r\n'),
    expected: survived,
  },
  {
    name: 'HTTP/1.0 answer that ends with the connection',
    respond: ({ socket, answer }) =>
      socket.end(`HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n${answer}`),
    expected: survived,
  },
  {
    name: 'bare line feeds as line ends',
    respond: ({ socket, answer }) =>
      socket.end(`HTTP/1.1 200 OK\ncontent-length: ${Buffer.byteLength(answer)}\n\n${answer}`),
    expected: lost,
  },
  {
    name: 'answer without a reason phrase',
    respond: ({ write, answer }) =>
      write(`HTTP/1.1 200\r\ncontent-length: ${Buffer.byteLength(answer)}\r\n\r\n${answer}`),
    expected: survived,
  },
  {
    name: '413 before the body was read',
    padding: 8_000_000,
    onHead: ({ socket, write }) => {
      socket.pause();
      write(message('413 Too Large', '{"status":-1}', ['connection: close']));
      return false;
    },
    expected: reaching(0, refused(413)),
  },
  {
    name: 'answer before the body was read',
    padding: 8_000_000,
    onHead: ({ socket, write, answer }) => {
      socket.pause();
      write(message('200 OK', answer));
      return false;
    },
    expected: reaching(0, survived),
  },
];
