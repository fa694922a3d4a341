import { expect, it } from 'vitest';
import type { Incarnation } from './fleet';
import { type Evidence, judge } from './judge';
import type { LogLine } from './log';
import type { Delivered } from './sender';

// The crash test is only as good as its judge: each row gives it evidence, and the violations that it must find.

const LEASE_MS = 100;
const LOST = 'reversal:1:PAID is lost: none of its deliveries has taken effect';
const UNDONE = 'reversal:1:PAID was answered 200, and has not taken effect';
const AGAIN = 'reversal:1:PAID ran again after it had been answered 200';
const AT_A_TIME = 'reversal:1 had two callbacks at a time: PAID and PAID';
const TWICE = 'reversal:1:PAID has taken effect twice without a crash or a pause in between';
const RECORDED = 'reversal:1:PAID has taken effect again after it had been recorded';

type Begin = Partial<Extract<LogLine, { type: 'begin' }>>;

const begin = (run: number, at: number, given: Begin = {}): LogLine => ({
  ...{ type: 'begin', run, subject: 'reversal:1', state: 'PAID', fence: at },
  ...{ handledStates: [], claimAsked: at, at, ...given },
});
/** A callback from its beginning to its end. */
const ran = (run: number, from: number, to: number, given: Begin = {}): LogLine[] => [
  begin(run, from, given),
  { type: 'end', run, at: to },
];
const recorded = (at: number, isRecorded: boolean): LogLine => ({
  ...{ type: 'recorded', run: 1, recorded: isRecorded, at },
});
const listener = (lines: LogLine[], more: Partial<Incarnation> = {}): Incarnation => ({
  ...{ lines, killedAt: 10_000, pauses: [], stderr: '', diedByItself: false, ...more },
});
const answered = (acknowledgedAt: number | undefined, state = 'PAID'): Delivered => ({
  notification: { subject: 'reversal:1', state, query: '', body: {}, deliveriesAt: [0] },
  answers: [acknowledgedAt === undefined ? 503 : 200],
  acknowledgedAt,
});
const written = (times: number, state: string) => ({
  effects: new Map([['reversal:1:PAID', times]]),
  states: new Map([['reversal:1', state]]),
});

const once = listener(ran(1, 0, 10));
/** Two callbacks at a time, and two that came one after the other. */
const together = [listener(ran(1, 0, 50)), listener(ran(1, 30, 60))];
const later = listener(ran(1, 200, 210));
const late = listener(ran(1, 300, 310, { claimAsked: 15 }));
const twice = (first: Incarnation, more: Partial<Evidence> = {}): Partial<Evidence> => ({
  ...{ delivered: [answered(220)], incarnations: [first, later], ...more },
});
const outage = (from: number, to: number) => ({ outages: [{ from, to }] });
const paused = (from: number, to: number) => ({ pauses: [{ from, to }] });
const undoing = listener([...ran(1, 0, 10), ...ran(2, 200, 210, { state: 'PENDING' })]);
const both = [answered(20), answered(220, 'PENDING')];

const table: Readonly<Record<string, readonly [Partial<Evidence>, ...violations: string[]]>> = {
  'a retry after a kill': [
    {
      delivered: [answered(250, 'PENDING'), answered(520)],
      incarnations: [
        listener([begin(1, 0, { state: 'PENDING' })], { killedAt: 10 }),
        listener([
          ...ran(1, 200, 240, { state: 'PENDING' }),
          ...ran(2, 500, 510, { handledStates: ['PENDING'] }),
        ]),
      ],
    },
  ],
  'two callbacks of a subject at a time': [{ incarnations: together }, AT_A_TIME],
  'two in a transaction, with the server gone in between': [
    { incarnations: together, written: written(0, ''), ...outage(10, 20) },
  ],
  'two in a transaction, with the server gone later': [
    { incarnations: together, written: written(0, ''), ...outage(40, 45) },
    AT_A_TIME,
  ],
  'two under a lease, with the server gone in between': [
    { incarnations: together, ...outage(10, 20) },
    AT_A_TIME,
  ],
  'a second callback after the process of the first was killed': [
    { incarnations: [listener([begin(1, 0)], { killedAt: 29 }), listener(ran(1, 30, 60))] },
  ],
  'a second callback before the process of the first was killed': [
    { incarnations: [listener([begin(1, 0)], { killedAt: 31 }), listener(ran(1, 30, 60))] },
    AT_A_TIME,
  ],
  'a callback that outlasted its lease': [
    { incarnations: [listener(ran(1, 0, 300)), listener(ran(1, 200, 310))] },
  ],
  'a next claim whose fence is no greater': [
    { incarnations: [listener(ran(1, 0, 300)), listener(ran(1, 200, 310, { fence: 0 }))] },
    'reversal:1 was claimed with the fence 0 after 0',
  ],
  'a 200 without the effect': [
    { incarnations: [listener([begin(1, 0)], { killedAt: 10 })], delivered: [answered(20)] },
    UNDONE,
    'reversal:1 ended as undefined, not as PAID',
  ],
  'a callback after the 200': [
    { incarnations: [listener([...ran(1, 0, 10), ...ran(2, 200, 210)])], delivered: [answered(20)] },
    TWICE,
    AGAIN,
  ],
  'a callback that began late after the 200': [
    { incarnations: [once, late], delivered: [answered(20)] },
    TWICE,
    AGAIN,
  ],
  'the same, of a process that was stopped': [
    { incarnations: [once, { ...late, ...paused(16, 290) }], delivered: [answered(20)] },
    TWICE,
  ],
  'a PENDING that undid a PAID': [
    { incarnations: [undoing], delivered: both },
    'reversal:1 ended as PENDING, not as PAID',
  ],
  'the same after a failover that may have lost the record': [
    { incarnations: [undoing], delivered: both, mayLoseWrites: true },
  ],
  'a former owner that finishes late, whose fence is smaller': [
    {
      incarnations: [listener(ran(1, 0, 600, { state: 'PENDING' })), later],
      delivered: [answered(220), answered(620, 'PENDING')],
    },
  ],
  'one effect in the database': [
    { incarnations: [once], delivered: [answered(20)], written: written(1, 'PAID') },
  ],
  'two effects in the database': [
    { incarnations: [once], delivered: [answered(20)], written: written(2, 'PAID') },
    'reversal:1:PAID has taken effect 2 times',
  ],
  'no effect in the database': [
    { incarnations: [once], delivered: [answered(20)], written: written(0, 'PAID') },
    UNDONE,
  ],
  'a wrong state in the database': [
    { incarnations: [once], delivered: [answered(20)], written: written(1, 'PENDING') },
    'reversal:1 ended as PENDING, not as PAID',
  ],
  'an effect whose attempts all failed': [{ incarnations: [once], delivered: [answered(undefined)] }],
  'no effect, and no 200': [{ delivered: [answered(undefined)] }, LOST],
  'no whole effect, and no 200': [
    { incarnations: [listener([begin(1, 0)], { killedAt: 10 })], delivered: [answered(undefined)] },
    LOST,
  ],
  'no effect in the database, and no 200': [
    { incarnations: [once], delivered: [answered(undefined)], written: written(0, '') },
    LOST,
  ],
  'an effect twice': [twice(once), TWICE],
  'an effect twice, after a kill': [twice({ ...once, killedAt: 199 })],
  'an effect twice, before a kill': [twice({ ...once, killedAt: 201 }), TWICE],
  'an effect twice, around a pause': [twice({ ...once, ...paused(5, 190) })],
  'an effect twice, before a pause': [twice({ ...once, ...paused(300, 400) }), TWICE],
  'an effect twice, around a pause of another process': [
    twice(once, { incarnations: [once, later, listener([], paused(5, 190))] }),
    TWICE,
  ],
  'an effect twice, around an outage': [twice(once, outage(5, 50))],
  'an effect twice, after an outage': [twice(once, outage(-50, -1)), TWICE],
  'an effect twice, before an outage': [twice(once, outage(201, 300)), TWICE],
  'an effect twice, after a callback as long as its lease': [twice(listener(ran(1, 0, LEASE_MS)))],
  'an effect twice, whose record came too late': [
    twice(listener([...ran(1, 0, 10), recorded(LEASE_MS, false)])),
  ],
  'an effect twice, whose record was refused in time': [
    twice(listener([...ran(1, 0, 10), recorded(LEASE_MS - 1, false)])),
    TWICE,
  ],
  'an effect twice, after its record, with every excuse': [
    twice(listener([...ran(1, 0, 10), recorded(20, true)], { killedAt: 30 }), outage(0, 50)),
    RECORDED,
  ],
  'the same, of a store that may lose what it acknowledged': [
    twice(listener([...ran(1, 0, 10), recorded(20, true)], { killedAt: 30 }), { mayLoseWrites: true }),
  ],
  'a listener that ended without being killed': [
    { incarnations: [listener([], { diedByItself: true, stderr: 'unhandled rejection' })] },
    'a listener died without being killed: unhandled rejection',
  ],
};

it.each(Object.entries(table))('The judge of the crash test, given %s', (_, [evidence, ...violations]) => {
  const verdict = judge({ delivered: [], incarnations: [], leaseMs: LEASE_MS, ...evidence });
  expect(verdict.violations).toEqual(violations);
});

it('The judge counts what was lost, doubled, overrun, cut off and repeated', () => {
  const figuresOf = (evidence: Partial<Evidence>) =>
    judge({ delivered: [], incarnations: [], leaseMs: LEASE_MS, ...evidence }).figures;
  expect(figuresOf({ delivered: [answered(undefined)] })).toMatchObject({
    lost: 1,
    exhausted: 1,
    effects: 0,
  });
  expect(figuresOf(twice({ ...once, killedAt: 199 }))).toMatchObject({ doubled: 1, lost: 0, kills: 2 });
  const cutOff = [listener([begin(1, 0)], { killedAt: 10 }), listener(ran(1, 200, 240))];
  expect(figuresOf({ incarnations: cutOff })).toMatchObject({ callbacksCutOff: 1, repeatedCallbacks: 1 });
  expect(figuresOf({ incarnations: together })).toMatchObject({ overlaps: 1, overruns: 0 });
  const overrun = [listener(ran(1, 0, 300)), listener(ran(1, 200, 310))];
  expect(figuresOf({ incarnations: overrun })).toMatchObject({ overlaps: 0, overruns: 1 });
});
