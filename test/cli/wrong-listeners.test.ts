import { describe, expect, it } from 'vitest';
import { exitCodeOf } from '../../src/cli/verify/report';
import { scaled } from '../helpers/scaled';
import { hasPython, wrongInPython } from './listeners/styles/python';
import { startAndVerify } from './listeners/verify-listener';
import { wrongListeners } from './listeners/wrong-listeners';

// At once, because a run mostly waits for what does not come.
describe.concurrent('verify fails a listener, first in the step about its mistake, whose hint names it', () => {
  it.for(wrongListeners.map((listener) => [listener.step, listener.does, listener] as const))(
    '%s: it %s',
    { timeout: scaled(300_000) },
    async ([step, , listener], { expect }) => {
      const report = await startAndVerify(listener);
      const failed = report.steps.filter(({ verdict }) => verdict === 'failed');
      const [first] = failed;
      const seen = JSON.stringify({ ended: report.ended, failed }, undefined, 1);
      expect([first?.id, exitCodeOf(report, true)], seen).toEqual([step, 1]);
      expect(first?.hint).toBeDefined();
      // A hint that names other mistakes sends people the wrong way.
      const causes: Readonly<Record<string, string>> = { ...listener.laterCauses, [step]: listener.cause };
      for (const { id, hint } of failed)
        if (hint !== undefined) expect(hint, seen).toContain(causes[id] ?? `a cause in ${id}`);
      // What fails in the same way says so, in place of a hint of its own.
      const told = failed.map(({ hint, follows }) => (hint === undefined) !== (follows === undefined));
      expect(told.every(Boolean), seen).toBe(true);
    },
  );
});

describe('the wrong listeners', () => {
  it('are at least 120 different ones', () => {
    expect(new Set(wrongListeners.map(({ does }) => does)).size).toBe(wrongListeners.length);
    expect(wrongListeners.length).toBeGreaterThanOrEqual(120);
  });

  it.skipIf(!hasPython)('are in Python too, where `python3` is there', () => {
    expect(wrongListeners).toEqual(expect.arrayContaining([...wrongInPython]));
  });
});
