import { describe, expect, it } from 'vitest';
import { type Booking, judge, type Row } from '../../../src/cli/verify/judge';

const a: Row = { kind: 'payment', subject: 'a', amount: 10 };
const b: Row = { kind: 'payment', subject: 'b', amount: 10 };
const must = (row: Row): Booking => ({
  kind: row.kind,
  subjects: [row.subject ?? '', 'order-1'],
  amount: row.amount ?? 0,
});
const anonymous: Row = { kind: 'payment' };

/** What the judge says, one word a problem. */
function verdict(before: Row[], after: Row[], wanted: Booking[], may: Booking[] = [], none: Booking[] = []) {
  const { problems } = judge(before, after, { must: wanted, may, none }, new Set(['a']));
  return problems.map(({ type, kind, subject, got, times }) =>
    [type, kind, subject, got ?? times].join(' ').trim(),
  );
}

describe('the judge compares the rows before and after', () => {
  it.each<[what: string, before: Row[], after: Row[], wanted: Row[], says: string[]]>([
    ['nothing to say', [b], [b, a], [a], []],
    ['a missing row', [], [], [a], ['missing payment a']],
    ['a doubled row', [], [a, a, a], [a], ['doubled payment a 3']],
    ['a wrong amount', [], [{ ...a, amount: 9.99 }], [a], ['amount payment a 9.99']],
    ['another kind', [], [{ ...a, kind: 'refund' }], [a], ['missing payment a', 'kind refund a']],
    ['a row of before, again', [a], [a, a], [], ['again payment a']],
    ['a row of nothing that was sent', [], [{ ...a, subject: 'x' }], [], ['unexpected payment x']],
    ['a row that is taken back', [a], [], [], ['takenBack payment a']],
    ['a row whose amount changes', [a], [{ ...a, amount: 5 }], [], ['amount payment a 5']],
    ['one of two that are alike', [], [a], [a, b], ['missing payment b']],
    ['a row under the reference of the order', [], [{ ...a, subject: 'order-1' }], [a], []],
    ['one row too many without subjects', [], [anonymous, anonymous], [a], ['doubled payment a 2']],
    ['two rows without subjects', [], [anonymous, anonymous], [a, b], []],
    ['one row without a subject that must not come', [], [anonymous], [], ['unexpected payment']],
  ])('and finds %s', (_what, before, after, wanted, says) => {
    expect(verdict(before, after, wanted.map(must))).toEqual(says);
  });

  it('and lets a row come once that may', () => {
    expect(verdict([], [a], [], [must(a)])).toEqual([]);
    expect(verdict([], [a, a], [], [must(a)])).toEqual(['doubled payment a 2']);
  });

  it('and lets a row that may come have no other amount', () => {
    expect(verdict([], [{ ...a, amount: 9 }], [], [must(a)])).toEqual(['amount payment a 9']);
  });

  it('and takes a row of before for the one that must come, where it may be there already', () => {
    const booking = { ...must(a), orBefore: true };
    expect(verdict([a], [a], [booking])).toEqual([]);
    expect(verdict([a], [a, a], [booking])).toEqual(['doubled payment a 2']);
    expect(verdict([b], [b], [booking])).toEqual(['missing payment a']);
  });

  it('and lets a row go that must not be there, and finds one that stays', () => {
    expect(verdict([a, b], [b], [], [], [must(a)])).toEqual([]);
    expect(verdict([a, b], [a, b], [], [], [must(a)])).toEqual(['unexpected payment a']);
    expect(verdict([b], [a, b], [], [], [must(a)])).toEqual(['again payment a']);
    expect(verdict([anonymous], [anonymous], [], [], [must(a)])).toEqual([]);
    expect(verdict([a, b], [a], [], [], [must(a)])).toEqual(['unexpected payment a', 'takenBack payment b']);
  });
});
