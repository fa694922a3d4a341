import { describe, expect, it } from 'vitest';
import type { Incarnation } from './fleet';
import { type Evidence, judge } from './judge';
import type { LogLine } from './log';
import type { Delivered } from './sender';

// The crash test is only as good as its judge. Each test here gives the judge one fault that it must find.

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
  pauses: [],
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

  it('finds two callbacks of a subject at a time', () => {
    const incarnations = [listener([begin(1, 0), end(1, 50)]), listener([begin(1, 30), end(1, 60)])];
    expect(violationsOf({ incarnations })).toEqual(['reversal:1 had two callbacks at a time: PAID and PAID']);
  });

  it('excuses two callbacks at a time in a transaction when the server went away in between, but not under a lease', () => {
    const incarnations = [listener([begin(1, 0), end(1, 50)]), listener([begin(1, 30), end(1, 60)])];
    const written = { effects: new Map(), states: new Map() };
    const during = [{ from: 10, to: 20 }];
    expect(violationsOf({ incarnations, written, outages: during })).toEqual([]);
    expect(violationsOf({ incarnations, written, outages: [{ from: 40, to: 45 }] })).toHaveLength(1);
    expect(violationsOf({ incarnations, outages: during })).toHaveLength(1);
  });

  it('takes a callback as ended when its process was killed, and not before', () => {
    const second = listener([begin(1, 30), end(1, 60)]);
    expect(violationsOf({ incarnations: [listener([begin(1, 0)], 29), second] })).toEqual([]);
    expect(violationsOf({ incarnations: [listener([begin(1, 0)], 31), second] })).toHaveLength(1);
  });

  it('counts a callback that outlasted its lease as an overrun, unless the next claim’s fence is no greater', () => {
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
    expect(violationsOf({ incarnations, delivered: [delivered('PAID', 20)] })).toContain(
      'reversal:1:PAID ran again after it had been answered 200',
    );
  });

  it('finds a PENDING that undid a PAID', () => {
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
    // A failover may have lost the record of PENDING, so PENDING may run again.
    expect(violationsOf({ incarnations, delivered: both, mayLoseWrites: true })).toEqual([]);
  });

  it('finds one effect too many, one too few, and a wrong state in the database', () => {
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

  it('counts notifications whose attempts all failed separately', () => {
    const incarnations = [listener([begin(1, 0), end(1, 10)])];
    const verdict = judge({ delivered: [delivered('PAID', undefined)], incarnations, leaseMs: LEASE_MS });
    expect(verdict).toMatchObject({ figures: { exhausted: 1, lost: 0 }, violations: [] });
  });

  it('finds a notification without an effect, whatever it was answered', () => {
    const lost = 'reversal:1:PAID is lost: none of its deliveries has taken effect';
    const notFinished = [listener([begin(1, 0)], 10)];
    const nothingWritten = { effects: new Map(), states: new Map() };
    expect(violationsOf({ delivered: [delivered('PAID', undefined)] })).toEqual([lost]);
    const { figures } = judge({
      delivered: [delivered('PAID', undefined)],
      incarnations: [],
      leaseMs: LEASE_MS,
    });
    expect(figures['lost']).toBe(1);
    expect(violationsOf({ delivered: [delivered('PAID', undefined)], incarnations: notFinished })).toEqual([
      lost,
    ]);
    const written = [listener([begin(1, 0), end(1, 10)])];
    expect(
      violationsOf({
        delivered: [delivered('PAID', undefined)],
        incarnations: written,
        written: nothingWritten,
      }),
    ).toEqual([lost]);
  });

  describe('for an effect that came twice,', () => {
    const TWICE = 'reversal:1:PAID has taken effect twice without a crash or a pause in between';
    const AGAIN = 'reversal:1:PAID has taken effect again after it had been recorded';
    const second = listener([begin(1, 200), end(1, 210)]);
    const found = (first: Incarnation, evidence: Partial<Evidence> = {}) =>
      judge({
        delivered: [delivered('PAID', 220)],
        incarnations: [first, second],
        leaseMs: LEASE_MS,
        ...evidence,
      });
    const recorded = (at: number, isRecorded: boolean): LogLine => ({
      type: 'recorded',
      run: 1,
      recorded: isRecorded,
      at,
    });
    const alive = [begin(1, 0), end(1, 10)];

    it('finds one without an excuse, and counts it', () => {
      expect(found(listener(alive))).toMatchObject({ figures: { doubled: 1, lost: 0 }, violations: [TWICE] });
    });

    it('accepts a kill before the second effect as an excuse, and none after it', () => {
      expect(found(listener(alive, 199))).toMatchObject({ figures: { doubled: 1 }, violations: [] });
      expect(found(listener(alive, 201)).violations).toEqual([TWICE]);
    });

    it('accepts a pause of the same process as an excuse, and none of another process or at another time', () => {
      const paused = (from: number, to: number) => ({ ...listener(alive), pauses: [{ from, to }] });
      expect(found(paused(5, 190)).violations).toEqual([]);
      expect(found(paused(300, 400)).violations).toEqual([TWICE]);
      const other = { ...listener([]), pauses: [{ from: 5, to: 190 }] };
      expect(found(listener(alive), { incarnations: [listener(alive), second, other] }).violations).toEqual([
        TWICE,
      ]);
    });

    it('accepts an outage of the store in between as an excuse, and none before or after', () => {
      const during = (from: number, to: number) =>
        found(listener(alive), { outages: [{ from, to }] }).violations;
      expect(during(5, 50)).toEqual([]);
      expect(during(-50, -1)).toEqual([TWICE]);
      expect(during(201, 300)).toEqual([TWICE]);
    });

    it('accepts the end of the lease as an excuse, whether the callback or its record came too late', () => {
      expect(found(listener([begin(1, 0), end(1, LEASE_MS)])).violations).toEqual([]);
      expect(found(listener([...alive, recorded(LEASE_MS, false)])).violations).toEqual([]);
      expect(found(listener([...alive, recorded(LEASE_MS - 1, false)])).violations).toEqual([TWICE]);
    });

    it('accepts no excuse once the effect was recorded, except a store that may lose acknowledged writes', () => {
      const killed = listener([...alive, recorded(20, true)], 30);
      expect(found(killed, { outages: [{ from: 0, to: 50 }] }).violations).toEqual([AGAIN]);
      expect(found(killed, { mayLoseWrites: true })).toMatchObject({
        figures: { doubled: 1 },
        violations: [],
      });
    });
  });

  it('accepts a callback after the answer of 200 only when its process was stopped in between', () => {
    const first = listener([begin(1, 0), end(1, 10)]);
    const late = listener([begin(1, 300, { claimAsked: 15 }), end(1, 310)]);
    const ranAgain = 'reversal:1:PAID ran again after it had been answered 200';
    const found = (other: Incarnation) =>
      violationsOf({ incarnations: [first, other], delivered: [delivered('PAID', 20)] });
    expect(found(late)).toContain(ranAgain);
    expect(found({ ...late, pauses: [{ from: 16, to: 290 }] })).not.toContain(ranAgain);
  });

  it('ignores, by its fence, the state of a former owner that finishes late', () => {
    const former = listener([begin(1, 0, { state: 'PENDING' }), end(1, 600)]);
    const incarnations = [former, listener([begin(1, 200), end(1, 210)])];
    const both = [delivered('PAID', 220), delivered('PENDING', 620)];
    expect(violationsOf({ incarnations, delivered: both })).toEqual([]);
  });

  it('finds a listener that ended without being killed', () => {
    const incarnations = [{ ...listener([]), diedByItself: true, stderr: 'unhandled rejection' }];
    expect(violationsOf({ incarnations })).toEqual([
      'a listener died without being killed: unhandled rejection',
    ]);
  });
});
