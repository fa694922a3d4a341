import { every, lost, reaching, refused, stalled, success, survived } from '../expectations';
import { BRIEFLY, type Exchange, type Fault, message, repeat, row, say, sayAndClose } from '../fault';

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
  row('headers larger than the platform accepts', lost, withHeaders(`x-a: ${'x'.repeat(100_000)}`)),
  row('headers that drip', stalled, { client: BRIEFLY }, ({ socket, write }) => {
    write('HTTP/1.1 200 OK\r\nx-a: ');
    repeat(socket, () => 'x', 10);
  }),
  row('headers that stall', stalled, { client: BRIEFLY }, say('HTTP/1.1 200 OK\r\nx-a: 1\r\n')),
  row('no answer at all', stalled, { client: BRIEFLY }, () => undefined),
  row('endless 103 Early Hints', stalled, { client: BRIEFLY }, ({ socket }) =>
    repeat(socket, () => 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(20)),
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
  row('answer with garbage after it', survived, ({ socket, answer }) =>
    socket.end(Buffer.concat([message('200 OK', answer), Buffer.from('\0garbage')])),
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
