import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  ABORTED,
  inTime,
  inTimeOrAborted,
  LONGEST_TIMER_MS,
  onAbort,
  sleep,
  sleepOrAborted,
  stopwatch,
} from '../../src/shared/time';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('onAbort', () => {
  it('calls a callback when the signal fires, unless the callback was removed before', () => {
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

  it('shares one listener between many callbacks, until the last one is removed', () => {
    const { signal } = new AbortController();
    const stops = [1, 2, 3].map(() => onAbort(signal, () => undefined));
    for (const stop of stops) {
      expect(getEventListeners(signal, 'abort')).toHaveLength(1);
      stop();
    }
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('does nothing without a signal', () => {
    const callback = vi.fn();
    expect(onAbort(undefined, callback)()).toBeUndefined();
    expect(callback).not.toHaveBeenCalled();
  });

  it('hides no result when a double of a signal cannot be left', () => {
    const { signal } = new AbortController();
    signal.removeEventListener = () => {
      throw new Error('a double');
    };
    expect(onAbort(signal, () => undefined)()).toBeUndefined();
  });
});

const never = new Promise<never>(() => undefined);

describe('inTime', () => {
  it('settles like its promise, or like a plain value', async () => {
    expect(await inTime(Promise.resolve(1), 1_000)).toBe(1);
    expect(await inTime(1 as never, 1_000)).toBe(1);
    await expect(inTime(Promise.reject(new Error('m')), 1_000)).rejects.toThrow('m');
  });

  it.each([-5, 0, 5])('settles like its last argument when %d ms are over', async (ms) => {
    expect(await inTime(never, ms, () => 'late')).toBe('late');
    const fail = () => {
      throw new Error('m');
    };
    await expect(inTime(never, ms, fail)).rejects.toThrow('m');
  });

  it('rejects when the time is over, without a last argument', async () => {
    const late = { name: 'DeadlineExceeded', message: 'took longer than 5 ms' };
    await expect(inTime(never, 5)).rejects.toMatchObject(late);
  });

  it('arms no timer for a promise that has settled, and clears that of another one', async () => {
    const set = vi.spyOn(globalThis, 'setTimeout');
    const clear = vi.spyOn(globalThis, 'clearTimeout');
    await inTime(Promise.resolve(), 60_000);
    await Promise.resolve();
    expect(set).not.toHaveBeenCalled();
    await inTime(new Promise((resolve) => setImmediate(resolve)), 60_000);
    expect(clear).toHaveBeenCalledWith(set.mock.results[0]?.value);
  });
});

describe('inTimeOrAborted', () => {
  it('is as inTime, and leaves no listener', async () => {
    const { signal } = new AbortController();
    expect(await inTimeOrAborted(Promise.resolve(1), 1_000, () => 2, signal)).toBe(1);
    expect(await inTimeOrAborted(never, 5, () => 2, signal)).toBe(2);
    expect(await inTimeOrAborted(never, 5, () => 2, undefined)).toBe(2);
    await expect(inTimeOrAborted(Promise.reject(new Error('m')), 5, () => 2, signal)).rejects.toThrow('m');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('gives ABORTED when the signal fires or has fired, and leaves no listener and no timer', async () => {
    const clear = vi.spyOn(globalThis, 'clearTimeout');
    const set = vi.spyOn(globalThis, 'setTimeout');
    const controller = new AbortController();
    const tooLate = vi.fn();
    const waiting = inTimeOrAborted(never, 60_000, tooLate, controller.signal);
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect(await waiting).toBe(ABORTED);
    expect(clear).toHaveBeenCalledWith(set.mock.results[0]?.value);
    for (const promise of [never, Promise.resolve(1)]) {
      expect(await inTimeOrAborted(promise, 60_000, tooLate, controller.signal)).toBe(ABORTED);
    }
    expect(tooLate).not.toHaveBeenCalled();
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});

it('sleepOrAborted ends with the signal, or when its time is over', async () => {
  await sleepOrAborted(60_000, AbortSignal.abort());
  await sleepOrAborted(1, new AbortController().signal);
});

it('sleep ends when its time is over', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const over = vi.fn();
  sleep(100).then(over);
  await vi.advanceTimersByTimeAsync(99);
  expect(over).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(over).toHaveBeenCalledOnce();
});

it('the longest timer has 31 bits', () => {
  expect(LONGEST_TIMER_MS).toBe(0x7fff_ffff);
});

it('a stopwatch follows the faster of the two clocks, in whole milliseconds, and never runs backwards', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 1_000 });
  vi.advanceTimersByTime(50);
  const elapsed = stopwatch();
  expect(elapsed()).toBe(0);
  vi.advanceTimersByTime(7);
  expect(elapsed()).toBe(7);
  vi.setSystemTime(500);
  expect(elapsed()).toBe(7);
  vi.setSystemTime(11_000);
  expect(elapsed()).toBe(9_950);
});
