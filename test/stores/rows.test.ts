import { describe, expect, it } from 'vitest';
import { StoreError } from '../../src/errors';
import {
  isConfirmed,
  readClaimRow,
  readParkedRows,
  readStart,
  tokensOf,
  transactionOf,
} from '../../src/stores/rows';

const NO_ROWS = [undefined, null, 'rows', {}, { length: 0 }];

describe('The rows of a claim', () => {
  const asked = { subject: 'payment:1', state: 'PAID', token: 'ours' };
  const row = { status: 'claimed', token: 'ours', fence: '7' };

  it.each([[['PENDING']], ['["PENDING"]']])('have the states as a list or as JSON: %j', (states) => {
    expect(readClaimRow([{ ...row, states }], asked)).toEqual({
      status: 'claimed',
      ...asked,
      fence: 7,
      handledStates: ['PENDING'],
    });
  });

  it('mean busy where there are none, because a race was lost', () => {
    expect(readClaimRow([], asked)).toEqual({ status: 'busy' });
  });

  it('are an error where they are missing, two, or rows of something else', () => {
    const busy = { status: 'busy', token: 'ours' };
    for (const rows of [...NO_ROWS, [busy, busy], [null], ['busy'], [{}]]) {
      expect(() => readClaimRow(rows, asked)).toThrow(StoreError);
      expect(() => readClaimRow(rows, asked)).toThrow('a reply to claim that');
    }
  });

  it('name the transaction that made the claim, or are an error', () => {
    expect(transactionOf([{ transaction: '12' }])).toBe('12');
    for (const rows of [[{ transaction: 12 }], [{}], [null], []]) {
      expect(() => transactionOf(rows)).toThrow(StoreError);
      expect(() => transactionOf(rows)).toThrow('a reply to claim that');
    }
  });
});

describe('The rows that a transaction begins with', () => {
  const start = { locked: false, table: 'public.records', role: 'none' };

  it('say whether the lock was free, and the table and the role', () => {
    expect(readStart([{ ...start, more: 1 }])).toEqual(start);
    expect(readStart([{ ...start, locked: true }])).toEqual({ ...start, locked: true });
  });

  it('are an error where one of the three is missing or something else', () => {
    const wrong = [{ locked: 't' }, { locked: undefined }, { table: 1 }, { role: null }];
    const rows = wrong.map((each) => [{ ...start, ...each }]);
    for (const each of [...NO_ROWS, ...rows, [], [null]]) {
      expect(() => readStart(each)).toThrow(StoreError);
      expect(() => readStart(each)).toThrow('a reply to lock that');
    }
  });
});

describe('The rows of a completion', () => {
  it('confirm it by the token of the claim, and do not where there is no row', () => {
    expect(isConfirmed('complete', [{ token: 'ours' }], 'ours')).toBe(true);
    expect(isConfirmed('complete', [], 'ours')).toBe(false);
  });

  it('are an error where they are missing, two, or those of another claim', () => {
    const [ours, theirs] = [{ token: 'ours' }, { token: 'theirs' }];
    for (const rows of [...NO_ROWS, [ours, ours], [theirs], [{}], [null]]) {
      expect(() => isConfirmed('complete', rows, 'ours')).toThrow(StoreError);
      expect(() => isConfirmed('complete', rows, 'ours')).toThrow('a reply to complete that');
    }
  });
});

describe('The rows of claims that were released late', () => {
  it('have one token each', () => {
    expect(tokensOf([{ token: 'a' }, { token: 'b' }])).toEqual(['a', 'b']);
  });

  it('give no token where they are something else', () => {
    for (const rows of NO_ROWS) expect(tokensOf(rows)).toEqual([]);
    expect(tokensOf([null, 'a', {}])).toEqual([undefined, undefined, undefined]);
  });
});

describe('The rows of parked notifications', () => {
  it('are one notification each', () => {
    const row = { entry: '{"key":"a"}', first: '1', last: '2', attempts: '3' };
    expect(readParkedRows([row])).toEqual([{ key: 'a', firstFailedAt: 1, lastFailedAt: 2, attempts: 3 }]);
    expect(readParkedRows([])).toEqual([]);
  });

  it('are an error where they are something else', () => {
    for (const rows of [...NO_ROWS, [null], [{}]]) {
      expect(() => readParkedRows(rows)).toThrow(StoreError);
      expect(() => readParkedRows(rows)).toThrow('a reply to parked that');
    }
  });
});
