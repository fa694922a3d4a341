import { setTimeout as sleep } from 'node:timers/promises';
import { aborted, every, neverSent, reaching, stalled, survived } from '../expectations';
import { BRIEFLY, type Fault, message, row, say, type World } from '../fault';

const reason = new Error('the shopper left');

const hasTheReason = (error: Error) =>
  error.name === 'AbortError' && error.cause === reason ? undefined : 'the reason of the signal is lost';

/** Makes the signal fire after this event. */
const abortAfter =
  (event: (world: World) => Promise<unknown>) =>
  async (world: World): Promise<unknown> => {
    const calling = world.call();
    // Prevents an unhandled rejection if the call fails early; `calling` is returned below.
    calling.catch(() => undefined);
    await event(world);
    world.controller.abort(reason);
    return calling;
  };

const onceSeen = abortAfter(async ({ seen }) => {
  await seen();
  await sleep(50);
});

/**
 * Timeouts and aborts; test/client/transport-abort.test.ts has the other moments of a signal. `blackhole` is a port that
 * swallows connections.
 */
export function timeFaults(blackhole: number): Fault[] {
  const url = () => `http://127.0.0.1:${blackhole}`;
  // The call ends in time, but the platform's pool goes on connecting until its own timeout, 10 s by default, even
  // when the request that it connects for has ended.
  const patientPool = { connect: { timeout: 1_000 } };
  return [
    row('connection that times out by the platform’s own limit', neverSent, {
      url,
      agent: { connect: { timeout: 200 } },
      lasting: true,
    }),
    // `fetch` does not say how far it came, so a timeout proves nothing.
    row('connection that takes longer than timeoutMs', reaching(0, stalled), {
      url,
      agent: patientPool,
      client: BRIEFLY,
      lasting: true,
    }),
    row('signal that fires while connecting', every({ ...aborted('unknown', 1), requests: 0 }), {
      url,
      agent: patientPool,
      act: abortAfter(({ attempted }) => attempted().then(() => sleep(50))),
      inspect: hasTheReason,
      lasting: true,
    }),
    row('signal that fires in the middle of the request', every({ ...aborted('unknown', 1), requests: 0 }), {
      padding: 8_000_000,
      onHead: ({ socket }) => {
        socket.pause();
        return false;
      },
      act: abortAfter(({ begun }) => begun().then(() => sleep(50))),
      inspect: hasTheReason,
    }),
    row(
      'signal that fires in the middle of the headers',
      every(aborted('unknown', 1)),
      { act: onceSeen, inspect: hasTheReason },
      say('HTTP/1.1 200 OK\r\nx-a: '),
    ),
    row(
      'signal that fires in the middle of the body',
      every(aborted('unknown', 1)),
      { act: onceSeen, inspect: hasTheReason },
      say('HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{"status":0,'),
    ),
    row(
      'signal that fires in the wait after a 429',
      every(aborted('refused', 1)),
      { act: onceSeen, inspect: hasTheReason },
      say(message('429 Too Many Requests', '', ['retry-after: 5'])),
    ),
    row('signal that fires after the answer', survived, {
      act: async ({ call, controller }) => {
        const result = await call();
        controller.abort(reason);
        return result;
      },
    }),
  ];
}
