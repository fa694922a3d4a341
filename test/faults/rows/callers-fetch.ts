import { apiError, connectionFailed, every, readAndWrite, success, survived } from '../expectations';
import { type Fault, message, say } from '../fault';

class Customer {
  readonly passwordHash = 'hash-of-a-password';
  readonly #tier = 'gold';

  toJSON() {
    return { tier: this.#tier };
  }
}

/** Faults with what a caller passes in: a custom `fetch`, a class in `extraFields`. */
export const callersFetchFaults: readonly Fault[] = [
  { name: 'a custom fetch that works', callersFetch: true, expected: survived },
  {
    name: 'connection refused, over a custom fetch',
    callersFetch: true,
    url: () => 'http://127.0.0.1:2',
    // A custom fetch may have made earlier attempts, of which the failure that it reports says nothing.
    expected: readAndWrite(connectionFailed('not-sent', 3, 0), connectionFailed('not-sent', 1, 0)),
    lasting: true,
  },
  {
    name: 'a custom fetch that retries by itself, and is refused the second time',
    callersFetch: async (url, init, fetch) =>
      fetch(url, init).catch(() => fetch('http://127.0.0.1:2/', { method: 'GET' })),
    respond: ({ socket }) => socket.destroy(),
    // The number of requests matters here: no second journey may be created.
    expected: readAndWrite(connectionFailed('not-sent', 3), connectionFailed('not-sent', 1)),
    lasting: true,
  },
  {
    name: '429, over a custom fetch',
    callersFetch: true,
    respond: say(message('429 Too Many Requests')),
    expected: every(apiError(429, 'refused', 3)),
  },
  {
    name: 'a class with toJSON and private fields in extraFields',
    extraFields: () => ({ customer: new Customer() }),
    respond: ({ body, head, write, answer }) => {
      const isQuery = head.startsWith('GET');
      const isRight = isQuery || (body.includes('"customer":{"tier":"gold"}') && !body.includes('hash-of'));
      write(isRight ? message('200 OK', answer) : message('400 No', body));
    },
    expected: every(success()),
  },
];
