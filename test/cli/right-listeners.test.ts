import { beforeAll, describe, expect, it } from 'vitest';
import type { CheckResult } from '../../src/cli/verify/check';
import { rightListeners } from './listeners/right-listeners';
import { hasPython, rightInPython } from './listeners/styles/python';
import { verifyAll } from './listeners/verify-listener';

let resultOf: (listener: (typeof rightListeners)[number]) => CheckResult[];

beforeAll(async () => {
  resultOf = await verifyAll(rightListeners);
}, 600_000);

describe('verify passes, with nothing left unchecked that it can check, a listener that', () => {
  it.each(rightListeners.map((listener) => [listener.does, listener] as const))('%s', (_does, listener) => {
    const others = resultOf(listener).filter(({ verdict }) => verdict !== 'passed');
    // Only with a sandbox can verify see whether a listener confirms payments.
    const cannotTell = [...(listener.open ?? []), ...(listener.asksService ? [] : ['confirms'])];
    expect(
      others.map(({ id, verdict }) => [id, verdict]),
      JSON.stringify(others, undefined, 1),
    ).toEqual(cannotTell.map((id) => [id, 'not-checked']));
  });

  it('is one of at least 35 different ones', () => {
    expect(new Set(rightListeners.map(({ does }) => does)).size).toBeGreaterThanOrEqual(35);
  });

  it.skipIf(!hasPython)('may be written in Python, where `python3` is there', () => {
    expect(rightListeners).toEqual(expect.arrayContaining([...rightInPython]));
  });
});
