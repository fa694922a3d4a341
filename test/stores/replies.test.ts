import { describe, expect, it } from 'vitest';
import { StoreError } from '../../src/errors';
import { newToken, parkedAsText, readClaim, readParked, unexpectedReply } from '../../src/stores/replies';

const asked = { subject: 'payment:1', state: 'PAID', token: 'ours' };
const claimed = { status: 'claimed', token: 'ours', fence: '7', states: ['PENDING'] };

describe('The reply to a claim', () => {
  it('is the requested claim, with its fence and the done states', () => {
    expect(readClaim(claimed, asked)).toEqual({
      status: 'claimed',
      ...asked,
      fence: 7,
      handledStates: ['PENDING'],
    });
    expect(readClaim({ ...claimed, fence: '1', states: [] }, asked)).toMatchObject({ fence: 1 });
  });

  it('is done, with the states in the form they had before they were stored', () => {
    const states = ['PENDING', '"\\ud800"'];
    expect(readClaim({ ...claimed, status: 'done', fence: null, states }, asked)).toEqual({
      status: 'done',
      handledStates: ['PENDING', '\uD800'],
    });
  });

  it('is busy, whatever else it holds', () => {
    expect(readClaim({ status: 'busy', token: 'ours', fence: 7, states: null }, asked)).toEqual({
      status: 'busy',
    });
  });

  it.each(['claimed', 'done', 'busy'])('is an error where it belongs to another command: %s', (status) => {
    for (const token of ['theirs', undefined, '']) {
      expect(() => readClaim({ ...claimed, status, token }, asked)).toThrow(StoreError);
    }
  });

  it.each([undefined, null, 'PAID', {}, [1], ['PAID', null]])(
    'is an error where the states are %j',
    (states) => {
      for (const status of ['claimed', 'done']) {
        expect(() => readClaim({ ...claimed, status, states }, asked)).toThrow(StoreError);
      }
    },
  );

  it.each(['0', '-1', '', 'abc', '1.5', '9007199254740992', 7, null, undefined, ['7']])(
    'is an error where the fence is %j',
    (fence) => {
      expect(() => readClaim({ ...claimed, fence }, asked)).toThrow(StoreError);
    },
  );

  it.each(['', 'CLAIMED', 'completed', 'lost', null, undefined, true])(
    'is an error where the status is %j',
    (status) => {
      expect(() => readClaim({ ...claimed, status }, asked)).toThrow(StoreError);
    },
  );

  it('is an error that names the step', () => {
    expect(() => readClaim({ ...claimed, states: null }, asked)).toThrow('a reply to claim that');
    expect(() => readClaim({ ...claimed, token: '' }, asked)).toThrow('a reply to claim that');
    expect(() => readClaim({ ...claimed, fence: '' }, asked)).toThrow('a reply to claim that');
    expect(unexpectedReply('release').message).toContain('a reply to release that');
  });
});

describe('A parked notification', () => {
  const request = {
    key: 'payment:1:PAID',
    kind: 'payment',
    subject: 'payment:1',
    state: 'PAID',
    body: '{"newStatus":"PAID"}',
    url: '/webhooks',
    errorName: 'TypeError',
    errorCode: 'E1',
  };

  it('is read as it was written, and only its own fields are written', () => {
    const text = parkedAsText(Object.assign({ card: '4111' }, request));
    expect(JSON.parse(text)).toEqual(request);
    const times = { firstFailedAt: 1, lastFailedAt: 2, attempts: 3 };
    expect(readParked(text, '1', '2', '3')).toEqual({ ...request, ...times });
    // SQLite gives numbers, not texts.
    expect(readParked(text, 1, 2, 3)).toEqual({ ...request, ...times });
  });

  it.each([
    [null, '1', '2', '3'],
    [{}, '1', '2', '3'],
    ['{}', 'x', '2', '3'],
    ['{}', '1', undefined, '3'],
    ['{}', '1', '2', '3.5'],
  ])('is an error where it is stored as %j, %j, %j, %j', (entry, first, last, attempts) => {
    expect(() => readParked(entry, first, last, attempts)).toThrow(StoreError);
    expect(() => readParked(entry, first, last, attempts)).toThrow('a reply to parked that');
  });
});

it('a token is a new one each time', () => {
  const tokens = Array.from({ length: 100 }, newToken);
  expect(new Set(tokens).size).toBe(100);
  for (const token of tokens) expect(token).toMatch(/^[\da-f-]{36}$/);
});
