import { expect, it, vi } from 'vitest';
import { notify } from '../../src/shared/notify';

it('calls the observer at once, with the event', () => {
  const observer = vi.fn();
  notify(observer, 1);
  expect(observer.mock.calls).toEqual([[1]]);
});

it('does nothing without an observer', async () => {
  await expect(notify(undefined, 1)).resolves.toBeUndefined();
});

it.each([
  [
    'throws',
    () => {
      throw new Error('disk full');
    },
  ],
  ['rejects', () => Promise.reject(new Error('disk full'))],
])('keeps the failure of an observer that %s away from its caller', async (_, observer) => {
  await expect(notify(observer, 1)).resolves.toBeUndefined();
});
