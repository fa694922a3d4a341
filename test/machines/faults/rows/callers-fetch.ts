import http from 'node:http';
import nodeFetch from 'node-fetch';
import { Agent, type Dispatcher, RetryAgent, fetch as undiciFetch } from 'undici';
import {
  apiError,
  connectionFailed,
  every,
  lost,
  reaching,
  readAndWrite,
  refused,
  stalled,
  success,
  survived,
} from '../expectations';
import { BRIEFLY, type Exchange, type Fault, message, row, say } from '../fault';

class Customer {
  readonly passwordHash = 'hash-of-a-password';
  readonly #tier = 'gold';

  toJSON() {
    return { tier: this.#tier };
  }
}

/** Node's own agent keeps connections open. */
const unpooled = new http.Agent();

function fail(): never {
  throw new Error('a getter that throws');
}

/** undici's `fetch` of npm over an agent, which ends with the request. */
function overUndici(wrap: (agent: Agent) => Dispatcher) {
  return async (url: string, init: object): Promise<Response> => {
    const agent = new Agent({ allowH2: true });
    try {
      const response = await undiciFetch(url, { ...init, dispatcher: wrap(agent) });
      const text = await response.text();
      return new Response(text, { status: response.status });
    } finally {
      await agent.close();
    }
  };
}

/** The service takes the request, and is gone. */
function takeAndClose({ socket, server }: Exchange): void {
  server.stopListening();
  socket.destroy();
}

/** The uuid comes before the end of a checkout's answer. */
function hasUuid(error: Error & Record<string, unknown>): string | undefined {
  const { operation, uuid } = error;
  return operation === 'createRecurringCheckout' && uuid !== 'uuid-1' ? `has the uuid ${uuid}` : undefined;
}

/** Faults with what a caller passes in: a custom or patched `fetch`, a class in `extraFields`. */
export const callersFetchFaults: readonly Fault[] = [
  row('a custom fetch that works', survived, { callersFetch: true }),
  // A custom fetch may have made earlier attempts, of which the failure that it reports says nothing.
  row('connection refused, over a custom fetch', reaching(0, lost), {
    callersFetch: true,
    url: () => 'http://127.0.0.1:2',
    lasting: true,
  }),
  // The number of requests matters here: no second journey may be created.
  row(
    'a custom fetch that retries by itself, and is refused the second time',
    lost,
    {
      callersFetch: async (url, init, fetch) =>
        fetch(url, init).catch(() => fetch('http://127.0.0.1:2/', { method: 'GET' })),
      lasting: true,
    },
    ({ socket }) => socket.destroy(),
  ),
  row('a custom fetch whose own log is refused after the response came', lost, {
    callersFetch: async (url, init, fetch) => {
      await fetch(url, init);
      return fetch('http://127.0.0.1:2/', { method: 'GET' });
    },
    lasting: true,
  }),
  row(
    '429, over a custom fetch',
    readAndWrite(apiError(429, 'refused', 3), apiError(429, 'refused')),
    { callersFetch: true },
    say(message('429 Too Many Requests')),
  ),
  row(
    'RetryAgent of undici as fetch, refused after the service took the request',
    reaching(1, lost),
    {
      callersFetch: overUndici((agent) => new RetryAgent(agent, { minTimeout: 1, maxTimeout: 1 })),
      lasting: true,
    },
    takeAndClose,
  ),
  row(
    'RetryAgent of undici as the global dispatcher, refused after the service took the request',
    {
      createRecurringCheckout: connectionFailed('unknown', 1, 1),
      getTransaction: connectionFailed('not-sent', 3, 1),
      cancelScheduledPayment: connectionFailed('not-sent', 1, 1),
    },
    {
      wrapPool: () => new RetryAgent(new Agent(), { minTimeout: 1, maxTimeout: 1 }) as never,
      // Nobody can see such a dispatcher, so the outcome is only what the platform says (docs/client.md). What matters is
      // that we do not send the request again.
      inspect: (error) =>
        error['attempts'] === 1 || error['operation'] === 'getTransaction' ? undefined : 'sent again',
      lasting: true,
    },
    takeAndClose,
  ),
  row('undici’s own fetch, with HTTP/2 allowed', survived, { callersFetch: overUndici((agent) => agent) }),
  row('node-fetch', survived, {
    callersFetch: (url, init) => nodeFetch(url, { ...init, agent: unpooled }) as never,
  }),
  row(
    'node-fetch, a body that breaks off',
    lost,
    { callersFetch: (url, init) => nodeFetch(url, { ...init, agent: unpooled }) as never, inspect: hasUuid },
    ({ write, answer, socket }) => {
      write(message('200 OK', answer).subarray(0, -5));
      setTimeout(() => socket.destroy(), 50);
    },
  ),
  row(
    'node-fetch, a body that stalls',
    stalled,
    {
      callersFetch: (url, init) => nodeFetch(url, { ...init, agent: unpooled }) as never,
      client: BRIEFLY,
      inspect: hasUuid,
    },
    ({ write, answer }) => write(message('200 OK', answer).subarray(0, -5)),
  ),
  ...Object.entries({
    'a getter that throws': () => Object.defineProperty(new Error(), 'cause', { get: fail }),
    'a revoked proxy': () => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return proxy;
    },
    'an error of TLS records': () => Object.assign(new Error(), { code: 'ERR_SSL_WRONG_VERSION_NUMBER' }),
  }).map(
    ([what, reason]): Fault =>
      // A query is not repeated over a port that seems to speak no TLS.
      row(
        `a custom fetch that sends, and rejects with ${what}`,
        what.includes('TLS') ? every(connectionFailed('unknown', 1)) : lost,
        {
          callersFetch: async (url, init, fetch) => {
            await fetch(url, init);
            throw reason();
          },
          lasting: true,
        },
      ),
  ),
  row('a double of a Response, without ok, whose headers throw', survived, {
    callersFetch: async (url, init, fetch) => {
      const response = await fetch(url, init);
      const text = await response.text();
      return { status: 200, headers: { get: fail }, body: undefined, text: async () => text } as never;
    },
  }),
  row('a success whose body a log has locked', lost, {
    callersFetch: async (url, init, fetch) => {
      const response = await fetch(url, init);
      response.body?.getReader();
      return response;
    },
    lasting: true,
  }),
  row(
    'a 404 whose body a log has locked',
    refused(404),
    {
      callersFetch: async (url, init, fetch) => {
        const response = await fetch(url, init);
        response.body?.getReader();
        return response;
      },
    },
    say(message('404 Not Found', '{}')),
  ),
  row('observers that throw, and put getters that throw on their events', survived, {
    client: Object.fromEntries(
      ['onResponse', 'onRetry'].map((name) => [
        name,
        (event: object) => {
          Object.defineProperty(event, 'operation', { enumerable: true, get: fail });
          throw new Error(name);
        },
      ]),
    ),
  }),
  row('patched globalThis.fetch that sends, and fails like a refused connection', lost, {
    globalFetch: async (url, init, fetch) => {
      await fetch(url, init);
      throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) });
    },
    lasting: true,
  }),
  // Each call of it makes two requests. Only a query is tried again.
  row(
    'patched globalThis.fetch that retries by itself, and gets a 429',
    readAndWrite(
      { ...apiError(429, 'refused', 3), requests: 6 },
      { ...apiError(429, 'refused', 1), requests: 2 },
    ),
    {
      globalFetch: async (url, init, fetch) => {
        const body = 'body' in init ? await new Response(init.body as never).text() : undefined;
        const once = () => fetch(url, { ...init, body });
        return once().catch(once);
      },
      lasting: true,
    },
    ({ count, socket, write }) => (count % 2 === 1 ? socket.destroy() : write(message('429 No'))),
  ),
  row(
    'a class with toJSON and private fields in extraFields',
    every(success()),
    { extraFields: () => ({ customer: new Customer() }) },
    ({ body, head, write, answer }) => {
      const isQuery = head.startsWith('GET');
      const isRight = isQuery || (body.includes('"customer":{"tier":"gold"}') && !body.includes('hash-of'));
      write(isRight ? message('200 OK', answer) : message('400 No', body));
    },
  ),
];
