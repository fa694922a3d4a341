import { getEventListeners } from 'node:events';
import { expect, it, vi } from 'vitest';
import { onAbort } from '../../src/shared/on-abort';

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
