import { describe, expect, it } from 'vitest';
import { exitCodeOf } from '../../src/cli/verify/report';
import { scaled } from '../helpers/scaled';
import { rightListeners } from './listeners/right-listeners';
import { hasPython, rightInPython } from './listeners/styles/python';
import { startAndVerify } from './listeners/verify-listener';

// At once, because a run mostly waits for what does not come.
describe.concurrent('verify holds, with nothing left unchecked that it can check, a listener that', () => {
  it.for(rightListeners.map((listener) => [listener.does, listener] as const))(
    '%s',
    { timeout: scaled(300_000) },
    async ([, listener], { expect }) => {
      const report = await startAndVerify(listener);
      const others = report.steps.filter(({ verdict }) => verdict !== 'passed');
      // Only with a sandbox can verify see whether a listener confirms payments.
      const cannotTell = [...(listener.open ?? []), ...(listener.asksService ? [] : ['unconfirmed'])];
      expect(
        others.map(({ id, verdict }) => [id, verdict]),
        JSON.stringify({ ended: report.ended, others }, undefined, 1),
      ).toEqual(cannotTell.map((id) => [id, 'not-checked']));
      expect(report.ended).toBe(undefined);
      expect(exitCodeOf(report, false)).toBe(cannotTell.length === 0 ? 0 : 3);
    },
  );
});

describe('the right listeners', () => {
  it('are at least 35 different ones', () => {
    expect(new Set(rightListeners.map(({ does }) => does)).size).toBeGreaterThanOrEqual(35);
  });

  it.skipIf(!hasPython)('are in Python too, where `python3` is there', () => {
    expect(rightListeners).toEqual(expect.arrayContaining([...rightInPython]));
  });
});
