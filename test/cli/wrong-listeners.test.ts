import { beforeAll, describe, expect, it } from 'vitest';
import type { CheckResult } from '../../src/cli/verify/check';
import { checklist } from '../../src/cli/verify/run-checklist';
import { hasPython, wrongInPython } from './listeners/styles/python';
import { verifyAll } from './listeners/verify-listener';
import { wrongListeners } from './listeners/wrong-listeners';

let resultOf: (listener: (typeof wrongListeners)[number]) => CheckResult[];

beforeAll(async () => {
  resultOf = await verifyAll(wrongListeners);
}, 600_000);

describe('verify finds a listener that', () => {
  it.each(wrongListeners.map((listener) => [listener.does, listener] as const))('%s', (_does, listener) => {
    const failed = resultOf(listener).filter(({ verdict }) => verdict === 'failed');
    expect(failed.map(({ id }) => id).toSorted(), JSON.stringify(failed, undefined, 1)).toEqual(
      listener.fails.toSorted(),
    );
    expect(failed.find(({ id }) => id === listener.fails[0])?.fix).toMatch(listener.advice);
  });

  it('is one of at least 120 different ones, which every check names some of', () => {
    expect(new Set(wrongListeners.map(({ does }) => does)).size).toBe(wrongListeners.length);
    expect(wrongListeners.length).toBeGreaterThanOrEqual(120);
    const named = new Set(wrongListeners.map(({ fails }) => fails[0]));
    expect([...named].toSorted()).toEqual(checklist.map(({ id }) => id).toSorted());
  });

  it.skipIf(!hasPython)('may be written in Python, where `python3` is there', () => {
    expect(wrongListeners).toEqual(expect.arrayContaining([...wrongInPython]));
  });
});
