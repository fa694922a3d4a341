import { getEventListeners } from 'node:events';
import { expect, it, vi } from 'vitest';
import { onAbort } from '../../src/shared/time';
import { reply, startHttpServer } from '../helpers/http-server';
import { clientFor, failureOf } from './support';

it('onAbort calls a callback when the signal fires, unless the callback was removed before', () => {
  const controller = new AbortController();
  const [first, second] = [vi.fn(), vi.fn()];
  const stop = onAbort(controller.signal, first);
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
  stop();
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  onAbort(controller.signal, second);
  controller.abort();
  expect(first).not.toHaveBeenCalled();
  expect(second).toHaveBeenCalledOnce();
});

it('many callbacks share one listener, which stays until the last callback is removed', () => {
  const { signal } = new AbortController();
  const stops = [1, 2, 3].map(() => onAbort(signal, () => undefined));
  for (const stop of stops) {
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    stop();
  }
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('onAbort without a signal does nothing', () => {
  const callback = vi.fn();
  expect(onAbort(undefined, callback)()).toBeUndefined();
  expect(callback).not.toHaveBeenCalled();
});

it('a double of a signal that cannot be left hides no result', async () => {
  const { signal } = new AbortController();
  signal.removeEventListener = () => {
    throw new Error('a double');
  };
  const server = await startHttpServer(reply(200, { uuid: 'uuid-1' }));
  expect(await clientFor(server).getTransaction('uuid-1', { signal })).toEqual({ uuid: 'uuid-1' });
});

it('a double of a signal without removeEventListener is refused before anything is sent', async () => {
  const server = await startHttpServer(reply(200, {}));
  const signal = { aborted: false, addEventListener: () => undefined } as never;
  const thrown = await failureOf(clientFor(server).getTransaction('uuid-1', { signal }));
  expect(thrown).toMatchObject({ code: 'configuration', outcome: 'not-sent' });
  expect(server.requests).toEqual([]);
});
