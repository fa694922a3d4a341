import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  aborted,
  apiError,
  every,
  invalidResponse,
  lost,
  outOfTime,
  stalled,
  survived,
} from '../expectations';
import { BRIEFLY, type Exchange, type Fault, message, row } from '../fault';
import type { Pool } from '../pools';

const OK = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const TOO_LONG = `${OK}content-length: 100000\r\n\r\n`;

/** The answer up to the middle of the QR code's picture, if there is one. A cut is most likely in this long part. */
function firstPart(answer: string): string {
  const picture = answer.indexOf('iVBOR');
  return answer.slice(0, picture < 0 ? -10 : picture + 4);
}

/** The uuid is the way back to a journey or a transaction. A cancellation has none. */
const knowsTheUuid = (error: Record<string, unknown>) =>
  error['operation'] === 'cancelScheduledPayment' || error['uuid'] === 'uuid-1'
    ? undefined
    : `the uuid that came is lost: ${error['uuid']}`;

const hasNoUuid = (error: Record<string, unknown>) =>
  error['uuid'] === undefined ? undefined : `takes ${error['uuid']} for the transaction's uuid`;

const breaksOff = ({ write, answer }: Exchange) => write(TOO_LONG + firstPart(answer));

/** The documented answer with these fields changed. */
const withFields =
  (status: string, fields: object, headers: string[] = []) =>
  ({ write, answer }: Exchange) =>
    write(message(status, JSON.stringify({ ...JSON.parse(answer), ...fields }), headers));

/** Faults that break off a response: the part that came is kept and read. */
export const partialFaults: readonly Fault[] = [
  row('cut off in the QR code by a lost connection', lost, { inspect: knowsTheUuid }, ({ socket, answer }) =>
    socket.end(TOO_LONG + firstPart(answer)),
  ),
  row('cut off in the QR code by a reset', lost, { inspect: knowsTheUuid }, async (exchange) => {
    breaksOff(exchange);
    await sleep(50);
    exchange.socket.resetAndDestroy();
  }),
  row('cut off in the QR code by timeoutMs', stalled, { client: BRIEFLY, inspect: knowsTheUuid }, breaksOff),
  row(
    'cut off in the QR code by totalTimeoutMs',
    outOfTime,
    { client: { timeoutMs: 5_000, totalTimeoutMs: 1_000 }, inspect: knowsTheUuid, lasting: true },
    breaksOff,
  ),
  row(
    'cut off in the QR code by the signal',
    every(aborted('unknown', 1)),
    {
      act: async ({ call, controller, seen }) => {
        const calling = call();
        calling.catch(() => undefined);
        await seen();
        await sleep(200);
        controller.abort();
        return calling;
      },
      inspect: knowsTheUuid,
    },
    breaksOff,
  ),
  row(
    'cut off in the QR code, as a 504',
    every(apiError(504, 'unknown')),
    { client: { maxRetries: 0 }, inspect: knowsTheUuid },
    ({ socket, answer }) =>
      socket.end(`HTTP/1.1 504 No\r\ncontent-length: 100000\r\n\r\n${firstPart(answer)}`),
  ),
  row(
    '200 whose status is 999, with a uuid',
    every(apiError(200, 'unknown')),
    { inspect: knowsTheUuid },
    withFields('200 OK', { status: 999 }),
  ),
  row(
    'larger than maxResponseBytes in its first chunk',
    every(invalidResponse),
    { client: { maxResponseBytes: 1_000 }, inspect: knowsTheUuid },
    withFields('200 OK', { novel: 'x'.repeat(5_000) }),
  ),
  row('cut off before the uuid, after the shopper’s uuid', lost, { inspect: hasNoUuid }, ({ socket }) =>
    socket.end(`${TOO_LONG}{"status":0,"response":{"shopper":{"uuid":"shopper-1"},"id":1`),
  ),
  row('cut off after a refund’s uuid', lost, { inspect: hasNoUuid }, ({ socket }) =>
    socket.end(`${TOO_LONG}{"status":0,"refunds":{"transactions":[{"uuid":"refund-1"}]},"id":1`),
  ),
  row('cut off in the uuid itself', lost, { inspect: hasNoUuid }, ({ socket }) =>
    socket.end(`${TOO_LONG}{"status":0,"uuid":"uuid-`),
  ),
  row(
    'whole, with a Content-Length that is one too large, on a connection that stays open',
    survived,
    { client: BRIEFLY },
    ({ write, answer }) => write(`${OK}content-length: ${Buffer.byteLength(answer) + 1}\r\n\r\n${answer}`),
  ),
  row('whole, with a Content-Length that is one too large, and closed', survived, ({ socket, answer }) =>
    socket.end(`${OK}content-length: ${Buffer.byteLength(answer) + 1}\r\n\r\n${answer}`),
  ),
  row(
    'whole, without its last chunk, on a connection that stays open',
    survived,
    { client: BRIEFLY },
    ({ write, answer }) =>
      write(
        `${OK}transfer-encoding: chunked\r\n\r\n${Buffer.byteLength(answer).toString(16)}\r\n${answer}\r\n`,
      ),
  ),
  row(
    'whole, in HTTP/1.0, on a connection that stays open',
    survived,
    { client: BRIEFLY },
    ({ write, answer }) => write(`HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n${answer}`),
  ),
  row('a bare number, which may have been cut off', lost, ({ socket }) =>
    socket.end(`${OK}content-length: 9\r\n\r\n12`),
  ),
  // The refusal says nothing about the first request, which must not be sent again.
  row(
    'cut off, with the rest requested over a refused connection (undici’s RetryAgent)',
    lost,
    { wrapPool: resuming, inspect: knowsTheUuid },
    ({ socket, answer }) => socket.end(TOO_LONG + firstPart(answer)),
  ),
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
