import { getEventListeners } from 'node:events';
import { expect, it, vi } from 'vitest';
import { onAbort } from '../../src/shared/on-abort';

it('a callback is called when the signal fires, and no more once it has stopped listening', () => {
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

it('many callbacks share one listener, which stays until the last of them has stopped', () => {
  const { signal } = new AbortController();
  const stops = [1, 2, 3].map(() => onAbort(signal, () => undefined));
  for (const stop of stops) {
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    stop();
  }
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('without a signal there is nothing to listen to, nor to stop', () => {
  const callback = vi.fn();
  expect(onAbort(undefined, callback)()).toBeUndefined();
  expect(callback).not.toHaveBeenCalled();
});
