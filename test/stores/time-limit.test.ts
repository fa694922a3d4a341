import { describe, expect, it, vi } from 'vitest';
import { StoreError } from '../../src/errors';
import { TimeLimitError, withTimeLimit } from '../../src/stores/time-limit';

const never = new Promise<never>(() => undefined);
const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

describe('A promise with a time limit', () => {
  it('gives its result or its error when it settles in time', async () => {
    const error = new Error('relation does not exist');
    const ignored = vi.fn();
    expect(await withTimeLimit(1000, Promise.resolve(1), 'late', ignored)).toBe(1);
    expect(await withTimeLimit(1000, Promise.resolve(undefined), 'late', ignored)).toBeUndefined();
    await expect(withTimeLimit(1000, Promise.reject(error), 'late', ignored)).rejects.toBe(error);
    expect(ignored).not.toHaveBeenCalled();
  });

  it('rejects with a TimeLimitError, which is a StoreError, when it settles too late', async () => {
    const error = await withTimeLimit(5, never, 'no answer').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TimeLimitError);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ message: expect.stringContaining('no answer') });
  });

  it('hands over a late result once, and no late error', async () => {
    const ignored = vi.fn();
    let succeed: (value: string) => void = () => undefined;
    let fail: (error: Error) => void = () => undefined;
    const succeeding = new Promise<string>((resolve) => {
      succeed = resolve;
    });
    const failing = new Promise<string>((_, reject) => {
      fail = reject;
    });
    await expect(withTimeLimit(5, succeeding, 'late', ignored)).rejects.toBeInstanceOf(TimeLimitError);
    await expect(withTimeLimit(5, failing, 'late', ignored)).rejects.toBeInstanceOf(TimeLimitError);
    expect(ignored).not.toHaveBeenCalled();
    succeed('a connection');
    // Nothing waits for it any more. If its error were unhandled, it would end the process and fail this test run.
    fail(new Error('connection lost'));
    await turn();
    expect(ignored.mock.calls).toEqual([['a connection']]);
  });
});
