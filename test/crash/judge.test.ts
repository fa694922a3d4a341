import { describe, expect, it } from 'vitest';
import type { Incarnation } from './fleet';
import { type Evidence, judge } from './judge';
import type { LogLine } from './log';
import type { Delivered } from './sender';

// The crash test is as good as its judge: here is what it must find, one fault each.

const LEASE_MS = 100;

const begin = (
  run: number,
  at: number,
  given: Partial<Extract<LogLine, { type: 'begin' }>> = {},
): LogLine => ({
  type: 'begin',
  run,
  subject: 'reversal:1',
  state: 'PAID',
  fence: at,
  handledStates: [],
  claimAsked: at,
  at,
  ...given,
});
const end = (run: number, at: number): LogLine => ({ type: 'end', run, at });

const listener = (lines: LogLine[], killedAt = 10_000): Incarnation => ({
  lines,
  killedAt,
  stderr: '',
  diedByItself: false,
});

const delivered = (state: string, acknowledgedAt: number | undefined): Delivered => ({
  notification: { subject: 'reversal:1', state, query: '', body: {}, deliveriesAt: [0] },
  answers: [acknowledgedAt === undefined ? 503 : 200],
  acknowledgedAt,
});

const violationsOf = (evidence: Partial<Evidence>) =>
  judge({ delivered: [], incarnations: [], leaseMs: LEASE_MS, ...evidence }).violations;

describe('The judge of the crash test', () => {
  it('finds nothing in a retry after a kill', () => {
    const verdict = judge({
      delivered: [delivered('PENDING', 250), delivered('PAID', 520)],
      incarnations: [
        listener([begin(1, 0, { state: 'PENDING' })], 10),
        listener([
          begin(1, 200, { state: 'PENDING' }),
          end(1, 240),
          begin(2, 500, { handledStates: ['PENDING'] }),
          end(2, 510),
        ]),
      ],
      leaseMs: LEASE_MS,
    });
    expect(verdict.violations).toEqual([]);
    expect(verdict.figures).toMatchObject({
      effects: 2,
      kills: 2,
      callbacksCutOff: 1,
      repeatedCallbacks: 1,
      overlaps: 0,
    });
  });

  it('finds two callbacks at a time', () => {
    const incarnations = [listener([begin(1, 0), end(1, 50)]), listener([begin(1, 30), end(1, 60)])];
    expect(violationsOf({ incarnations })).toEqual(['reversal:1 had two callbacks at a time: PAID and PAID']);
  });

  it('ends a callback at the kill of its process, and not before', () => {
    const second = listener([begin(1, 30), end(1, 60)]);
    expect(violationsOf({ incarnations: [listener([begin(1, 0)], 29), second] })).toEqual([]);
    expect(violationsOf({ incarnations: [listener([begin(1, 0)], 31), second] })).toHaveLength(1);
  });

  it('counts a callback apart that outlasted its lease, unless its fence is no smaller', () => {
    const first = listener([begin(1, 0), end(1, 300)]);
    const evidence = { incarnations: [first, listener([begin(1, 200), end(1, 310)])], leaseMs: LEASE_MS };
    expect(judge({ delivered: [], ...evidence })).toMatchObject({ figures: { overruns: 1 }, violations: [] });

    const sameFence = listener([begin(1, 200, { fence: 0 }), end(1, 310)]);
    expect(violationsOf({ incarnations: [first, sameFence] })).toEqual([
      'reversal:1 was claimed with the fence 0 after 0',
    ]);
  });

  it('finds an answer of 200 without the effect', () => {
    const incarnations = [listener([begin(1, 0)], 10)];
    expect(violationsOf({ incarnations, delivered: [delivered('PAID', 20)] })).toContain(
      'reversal:1:PAID was answered 200, and has not taken effect',
    );
  });

  it('finds a callback after the answer of 200', () => {
    const incarnations = [listener([begin(1, 0), end(1, 10), begin(2, 200), end(2, 210)])];
    expect(violationsOf({ incarnations, delivered: [delivered('PAID', 20)] })).toEqual([
      'reversal:1:PAID ran again after it had been answered 200',
    ]);
  });

  it('finds a PENDING that has undone a PAID', () => {
    const incarnations = [
      listener([
        begin(1, 0),
        end(1, 10),
        begin(2, 200, { state: 'PENDING', handledStates: [] }),
        end(2, 210),
      ]),
    ];
    const both = [delivered('PAID', 20), delivered('PENDING', 220)];
    expect(violationsOf({ incarnations, delivered: both })).toEqual([
      'reversal:1 ended as PENDING, not as PAID',
    ]);
  });

  it('finds in the database an effect too many, an effect too few, and a wrong state', () => {
    const incarnations = [listener([begin(1, 0), end(1, 10)])];
    const written = (times: number, state: string) => ({
      effects: new Map([['reversal:1:PAID', times]]),
      states: new Map([['reversal:1', state]]),
    });
    const found = (times: number, state: string) =>
      violationsOf({ incarnations, delivered: [delivered('PAID', 20)], written: written(times, state) });
    expect(found(1, 'PAID')).toEqual([]);
    expect(found(2, 'PAID')).toEqual(['reversal:1:PAID has taken effect 2 times']);
    expect(found(0, 'PAID')).toEqual(['reversal:1:PAID was answered 200, and has not taken effect']);
    expect(found(1, 'PENDING')).toEqual(['reversal:1 ended as PENDING, not as PAID']);
  });

  it('counts what was exhausted apart', () => {
    const verdict = judge({ delivered: [delivered('PAID', undefined)], incarnations: [], leaseMs: LEASE_MS });
    expect(verdict).toMatchObject({ figures: { exhausted: 1 }, violations: [] });
  });

  it('finds a listener that died by itself', () => {
    const incarnations = [{ ...listener([]), diedByItself: true, stderr: 'unhandled rejection' }];
    expect(violationsOf({ incarnations })).toEqual([
      'a listener died without being killed: unhandled rejection',
    ]);
  });
});
