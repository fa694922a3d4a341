import { beforeAll, describe, expect, it } from 'vitest';
import type { CauseId } from '../../src/cli/texts';
import { texts } from '../../src/cli/texts';
import { exitCodeOf } from '../../src/cli/verify/report';
import type { Report } from '../../src/cli/verify/run';
import { hasPython, wrongInPython } from './listeners/styles/python';
import { verifyAll } from './listeners/verify-listener';
import { wrongListeners } from './listeners/wrong-listeners';

let reportOf: (listener: (typeof wrongListeners)[number]) => Report;

beforeAll(async () => {
  reportOf = await verifyAll(wrongListeners);
}, 600_000);

/** They need a shop or a restart: commands/verify.test.ts has them. */
const ELSEWHERE: readonly CauseId[] = [
  'refusesPayment',
  'secondTakesBack',
  'secondRefused',
  'forgetsAtRestart',
];

const causes = Object.keys(texts.en).flatMap((key) =>
  key.startsWith('cause.') ? [key.slice(6) as CauseId] : [],
);

/** The mistakes that a report names, by their texts. */
function causesIn({ steps }: Report): (CauseId | undefined)[] {
  const named = steps.flatMap(({ cause }) => cause ?? []);
  const patternOf = (id: CauseId) =>
    new RegExp(
      `^${(texts.en[`cause.${id}`] ?? '')
        .split(/\{\w+\}/)
        .map(escaped)
        .join('.*')}$`,
    );
  const ids = named.map((text) => causes.find((id) => patternOf(id).test(text)));
  return [...new Set(ids)];
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

describe('verify names the mistake of a listener that', () => {
  it.each(wrongListeners.map((listener) => [listener.does, listener] as const))('%s', (_does, listener) => {
    const report = reportOf(listener);
    const { cause, also, words } = listener;
    const failed = report.steps.filter(({ verdict }) => verdict === 'failed');
    const shown = JSON.stringify({ ended: report.ended, failed }, undefined, 1);
    const [first, ...others] = causesIn(report);
    expect(first, shown).toBe(cause);
    expect([...others].toSorted(), shown).toEqual([...also].toSorted());
    const said = failed.flatMap(({ problems, cause = '', fix = '' }) => [...problems, cause, fix]);
    expect([...said, report.ended ?? ''].join('\n')).toMatch(words);
    expect(exitCodeOf(report, true)).toBe(1);
  });

  it('is one of at least 120 different ones, and of them every cause is named', () => {
    expect(new Set(wrongListeners.map(({ does }) => does)).size).toBe(wrongListeners.length);
    expect(wrongListeners.length).toBeGreaterThanOrEqual(120);
    const named = wrongListeners.flatMap(({ cause, also }) => [cause, ...also]);
    expect(causes.filter((id) => !named.includes(id) && !ELSEWHERE.includes(id))).toEqual([]);
  });

  it.skipIf(!hasPython)('may be written in Python, where `python3` is there', () => {
    expect(wrongListeners).toEqual(expect.arrayContaining([...wrongInPython]));
  });
});
