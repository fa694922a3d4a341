import { beforeAll, describe, expect, it } from 'vitest';
import { exitCodeOf } from '../../src/cli/verify/report';
import type { Report } from '../../src/cli/verify/run';
import { hasPython, wrongInPython } from './listeners/styles/python';
import { verifyAll } from './listeners/verify-listener';
import { wrongListeners } from './listeners/wrong-listeners';

let reportOf: (listener: (typeof wrongListeners)[number]) => Report;

beforeAll(async () => {
  reportOf = await verifyAll(wrongListeners);
}, 3_000_000);

describe('verify fails a listener that', () => {
  it.each(wrongListeners.map((listener) => [listener.does, listener] as const))('%s', (_does, listener) => {
    const report = reportOf(listener);
    const failed = report.steps.filter(({ verdict }) => verdict === 'failed');
    expect(exitCodeOf(report, true), JSON.stringify({ ended: report.ended, failed })).toBe(1);
    expect(failed.every(({ hint, problems }) => hint !== undefined || problems.length > 0)).toBe(true);
  });

  it('is one of at least 120 different ones', () => {
    expect(new Set(wrongListeners.map(({ does }) => does)).size).toBe(wrongListeners.length);
    expect(wrongListeners.length).toBeGreaterThanOrEqual(120);
  });

  it.skipIf(!hasPython)('may be written in Python, where `python3` is there', () => {
    expect(wrongListeners).toEqual(expect.arrayContaining([...wrongInPython]));
  });
});
