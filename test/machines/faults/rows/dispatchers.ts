import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, type Dispatcher, RetryAgent, fetch as undiciFetch } from 'undici';
import { connectionFailed, lost, reaching, survived } from '../expectations';
import { type Exchange, type Fault, row } from '../fault';
import type { Pool } from '../pools';

// What else a custom fetch may do is in test/client/transport-fetch.test.ts.

const OK = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

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

/** The answer up to the middle of the QR code's picture, if there is one. A cut is most likely in this long part. */
function firstPart({ answer }: Exchange): string {
  const picture = answer.indexOf('iVBOR');
  return `${OK}content-length: 100000\r\n\r\n${answer.slice(0, picture < 0 ? -10 : picture + 4)}`;
}

/** The uuid is the way back to a journey or a transaction. A cancellation has none. */
const knowsTheUuid = (error: Record<string, unknown>) =>
  error['operation'] === 'cancelScheduledPayment' || error['uuid'] === 'uuid-1'
    ? undefined
    : `the uuid that came is lost: ${error['uuid']}`;

/** Dispatchers that send again by themselves, and a response that a reset cuts off. */
export const dispatcherFaults: readonly Fault[] = [
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
  // The refusal says nothing about the first request, which must not be sent again.
  row(
    'cut off, with the rest requested over a refused connection (undici’s RetryAgent)',
    lost,
    { wrapPool: resuming, inspect: knowsTheUuid },
    (exchange) => exchange.socket.end(firstPart(exchange)),
  ),
  row('cut off in the QR code by a reset', lost, { inspect: knowsTheUuid }, async (exchange) => {
    exchange.write(firstPart(exchange));
    await sleep(50);
    exchange.socket.resetAndDestroy();
  }),
];

/** A pool that requests the rest of a cut-off body over another connection, which is refused. */
function resuming(pool: Pool): Pool {
  const { dispatch } = pool;
  return Object.assign(Object.create(pool) as Pool, {
    dispatch: (options: unknown, handler: Handler) => dispatch.call(pool, options, failingByRefusal(handler)),
  });
}

type Handler = Record<string, (...args: unknown[]) => unknown>;

/** Supports both names of undici's handler methods: those of Node 20's version, and those of later ones. */
function failingByRefusal(handler: Handler): Handler {
  let hasBegun = false;
  return new Proxy(handler, {
    get(target, name: string) {
      const method = target[name];
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => {
        hasBegun ||= name === 'onHeaders' || name === 'onResponseStart';
        if (!hasBegun || (name !== 'onError' && name !== 'onResponseError'))
          return method.apply(target, args);
        connect(2, '127.0.0.1').on('error', (refusal) =>
          method.apply(target, [...args.slice(0, -1), refusal]),
        );
        return undefined;
      };
    },
  });
}
