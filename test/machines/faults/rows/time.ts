import { setTimeout as sleep } from 'node:timers/promises';
import {
  aborted,
  apiError,
  every,
  neverSent,
  reaching,
  readAndWrite,
  stalled,
  survived,
} from '../expectations';
import { BRIEFLY, type Fault, message, say, type World } from '../fault';

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

/** Timeouts and aborts. `blackhole` is a port that swallows connections. */
export function timeFaults(blackhole: number): Fault[] {
  const url = () => `http://127.0.0.1:${blackhole}`;
  // The call ends in time, but the platform's pool goes on connecting until its own timeout, 10 s by default, even
  // when the request that it connects for has ended.
  const patientPool = { connect: { timeout: 1_000 } };
  return [
    {
      name: 'connection that times out by the platform’s own limit',
      url,
      agent: { connect: { timeout: 200 } },
      expected: neverSent,
      lasting: true,
    },
    {
      name: 'connection that takes longer than timeoutMs',
      url,
      agent: patientPool,
      client: BRIEFLY,
      // `fetch` does not say how far it came, so a timeout proves nothing.
      expected: reaching(0, stalled),
      lasting: true,
    },
    {
      name: 'signal that fires while connecting',
      url,
      agent: patientPool,
      act: abortAfter(({ attempted }) => attempted().then(() => sleep(50))),
      inspect: hasTheReason,
      expected: every({ ...aborted('unknown', 1), requests: 0 }),
      lasting: true,
    },
    {
      name: 'signal that has fired before the call',
      act: ({ call, controller }) => {
        controller.abort(reason);
        return call();
      },
      inspect: hasTheReason,
      expected: every(aborted('not-sent', 0)),
    },
    {
      name: 'signal that fires in the middle of the request',
      padding: 8_000_000,
      onHead: ({ socket }) => {
        socket.pause();
        return false;
      },
      act: abortAfter(({ begun }) => begun().then(() => sleep(50))),
      inspect: hasTheReason,
      expected: every({ ...aborted('unknown', 1), requests: 0 }),
    },
    {
      name: 'signal that fires before the headers',
      respond: () => undefined,
      act: onceSeen,
      inspect: hasTheReason,
      expected: every(aborted('unknown', 1)),
    },
    {
      name: 'signal that fires in the middle of the headers',
      respond: say('HTTP/1.1 200 OK\r\nx-a: '),
      act: onceSeen,
      inspect: hasTheReason,
      expected: every(aborted('unknown', 1)),
    },
    {
      name: 'signal that fires in the middle of the body',
      respond: say('HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{"status":0,'),
      act: onceSeen,
      inspect: hasTheReason,
      expected: every(aborted('unknown', 1)),
    },
    {
      name: 'signal that fires in the middle of the body of a refusal',
      respond: say('HTTP/1.1 422 No\r\ncontent-length: 50\r\n\r\n{"status":0,'),
      act: onceSeen,
      inspect: hasTheReason,
      // The status has come, and says that nothing was done.
      expected: every(aborted('refused', 1)),
    },
    {
      name: 'signal that fires in the wait after a 429',
      respond: say(message('429 Too Many Requests', '', ['retry-after: 5'])),
      act: onceSeen,
      inspect: hasTheReason,
      expected: every(aborted('refused', 1)),
    },
    {
      name: 'signal that fires in the wait after a 503',
      respond: say(message('503 Busy', '', ['retry-after: 5'])),
      act: onceSeen,
      // A POST or PUT is not retried, so there is no wait: it failed before the signal fired.
      expected: readAndWrite(aborted('unknown', 1), apiError(503, 'unknown')),
    },
    {
      name: 'signal that fires after the answer',
      act: async ({ call, controller }) => {
        const result = await call();
        controller.abort(reason);
        return result;
      },
      expected: survived,
    },
  ];
}
