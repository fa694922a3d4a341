import { beforeAll, describe, expect, it } from 'vitest';
import { exitCodeOf } from '../../src/cli/verify/report';
import type { Report } from '../../src/cli/verify/run';
import { rightListeners } from './listeners/right-listeners';
import { hasPython, rightInPython } from './listeners/styles/python';
import { verifyAll } from './listeners/verify-listener';

let reportOf: (listener: (typeof rightListeners)[number]) => Report;

beforeAll(async () => {
  reportOf = await verifyAll(rightListeners);
}, 600_000);

describe('verify holds, with nothing left unchecked that it can check, a listener that', () => {
  it.each(rightListeners.map((listener) => [listener.does, listener] as const))('%s', (_does, listener) => {
    const report = reportOf(listener);
    const others = report.steps.filter(({ verdict }) => verdict !== 'passed');
    // Only with a sandbox can verify see whether a listener confirms payments.
    const cannotTell = [...(listener.open ?? []), ...(listener.asksService ? [] : ['unconfirmed'])];
    expect(
      others.map(({ id, verdict }) => [id, verdict]),
      JSON.stringify({ ended: report.ended, others }, undefined, 1),
    ).toEqual(cannotTell.map((id) => [id, 'not-checked']));
    expect(report.ended).toBe(undefined);
    expect(exitCodeOf(report, false)).toBe(cannotTell.length === 0 ? 0 : 3);
  });

  it('is one of at least 35 different ones', () => {
    expect(new Set(rightListeners.map(({ does }) => does)).size).toBeGreaterThanOrEqual(35);
  });

  it.skipIf(!hasPython)('may be written in Python, where `python3` is there', () => {
    expect(rightListeners).toEqual(expect.arrayContaining([...rightInPython]));
  });
});
