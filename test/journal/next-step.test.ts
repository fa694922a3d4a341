import { describe, expect, it } from 'vitest';
import { afterLookUp, type CallResult, nextStep, type Opening } from '../../src/journal/next-step';
import { record } from './support';

const NOW = 1_500;
const OVER = 2_000;
const qrCode = { plain: 'qr' };
const seen = { uuid: 'u', qrCode };
const error = new Error('of the call');

function opening(fields: Partial<Opening> = {}): Opening {
  return { token: 'mine', money: { amount: 'a' }, canLookUp: () => false, ...fields };
}
const sent = (result: CallResult, attempt = 1) => opening({ sent: { attempt, result } });

describe('without an attempt of its own', () => {
  it('begins the first attempt', () => {
    expect(nextStep([], NOW, opening())).toEqual({ do: 'begin', attempt: 1 });
  });

  it.each(['refused', 'lost', 'closed'] as const)('begins the next attempt after one that is %s', (state) => {
    expect(nextStep([record(1, state)], NOW, opening())).toEqual({ do: 'begin', attempt: 2 });
  });

  it('numbers by the highest attempt, because older ones are deleted', () => {
    expect(nextStep([record(7, 'refused'), record(4, 'closed')], NOW, opening())).toMatchObject({
      attempt: 8,
    });
  });

  it('shows the one that is created, wherever it is among the others', () => {
    const attempts = [record(1, 'lost'), record(2, 'created', seen), record(3, 'surplus', seen)];
    expect(nextStep(attempts, NOW, opening())).toEqual({ do: 'show', attempt: attempts[1] });
  });

  it('waits for one that another call is sending', () => {
    expect(nextStep([record(1, 'sending')], NOW, opening())).toEqual({ do: 'wait' });
  });

  it('sends the one that it has begun itself', () => {
    const attempt = record(1, 'sending', { token: 'mine' });
    expect(nextStep([attempt], NOW, opening())).toEqual({ do: 'send', attempt });
  });

  it.each([
    ['at the end of its lease', OVER],
    ['when the clock was set back by more than a minute', 1_000 - 60_001],
  ])('gives up one that is being sent, %s, even its own', (_, now) => {
    for (const token of ['mine', 'theirs']) {
      const attempt = record(1, 'sending', { token });
      expect(nextStep([attempt], now, opening())).toMatchObject({ do: 'change', to: { state: 'lost' } });
    }
  });

  it.each([OVER - 1, 1_000 - 60_000])('does not give one up before, at %s', (now) => {
    expect(nextStep([record(1, 'sending')], now, opening())).toEqual({ do: 'wait' });
  });

  it.each(['sending', 'created'] as const)('refuses other money than that of one that is %s', (state) => {
    const money = { amount: 'b', currency: 'c' };
    const other = record(1, state, { ...seen, money: { amount: 'a', currency: 'd' } });
    expect(nextStep([other], NOW, opening({ money }))).toEqual({
      do: 'conflict',
      paths: ['amount', 'currency'],
      attempt: expect.objectContaining({ state }),
    });
  });

  it('compares only fields that both releases of the library hash', () => {
    const created = record(1, 'created', { ...seen, money: { amount: 'a', formerly: 'x' } });
    const today = opening({ money: { amount: 'a', lately: 'y' } });
    expect(nextStep([created], NOW, today)).toEqual({ do: 'show', attempt: created });
  });

  it('gives up a lost one over other money, instead of refusing for ever', () => {
    const step = nextStep([record(1, 'sending')], OVER, opening({ money: { amount: 'b' } }));
    expect(step).toMatchObject({ do: 'change', to: { state: 'lost' } });
  });

  it('makes a surplus journey the order’s before it begins another', () => {
    const attempts = [record(1, 'surplus', seen), record(2, 'closed', seen)];
    expect(nextStep(attempts, NOW, opening())).toMatchObject({
      do: 'change',
      attempt: attempts[0],
      to: { state: 'created', ...seen },
    });
  });

  it('leaves a surplus journey over other money alone', () => {
    const attempts = [record(1, 'surplus', { ...seen, money: { amount: 'b' } })];
    expect(nextStep(attempts, NOW, opening())).toEqual({ do: 'begin', attempt: 2 });
  });

  it('looks each lost attempt up before it begins another', () => {
    const attempts = [record(1, 'lost'), record(2, 'lost')];
    const asked = (...numbers: number[]) =>
      nextStep(attempts, NOW, opening({ canLookUp: ({ attempt }) => !numbers.includes(attempt) }));
    expect(asked()).toEqual({ do: 'look-up', attempt: attempts[0] });
    expect(asked(1)).toEqual({ do: 'look-up', attempt: attempts[1] });
    expect(asked(1, 2)).toEqual({ do: 'begin', attempt: 3 });
  });
});

describe('after its own call', () => {
  const failed = (refused: boolean, uuid?: string) => sent({ error, refused, uuid });

  it('records the journey of the attempt as the order’s', () => {
    const attempt = record(1, 'sending', { token: 'mine' });
    expect(nextStep([attempt], OVER, sent(seen))).toEqual({
      do: 'change',
      attempt,
      to: { state: 'created', ...seen },
    });
  });

  it('records a refusal, then throws its error', () => {
    const attempt = record(1, 'sending', { token: 'mine' });
    expect(nextStep([attempt], NOW, failed(true))).toMatchObject({ do: 'change', to: { state: 'refused' } });
    expect(nextStep([record(1, 'refused')], NOW, failed(true))).toEqual({ do: 'throw', error });
  });

  it('records an unknown outcome as lost, with the uuid if one came, then throws its error', () => {
    const attempt = record(1, 'sending', { token: 'mine' });
    const step = nextStep([attempt], NOW, failed(false, 'u'));
    expect(step).toMatchObject({ do: 'change', to: { state: 'lost', uuid: 'u' } });
    expect(nextStep([record(1, 'lost', { uuid: 'u' })], NOW, failed(false, 'u'))).toEqual({
      do: 'throw',
      error,
    });
  });

  it('makes a journey that comes late the order’s, if the order has no other', () => {
    const step = nextStep([record(1, 'lost'), record(2, 'refused')], NOW, sent(seen));
    expect(step).toMatchObject({ do: 'change', attempt: { attempt: 1 }, to: { state: 'created', ...seen } });
  });

  it.each(['sending', 'created'] as const)(
    'makes a journey that comes late surplus, if another is %s, and goes on with that one',
    (state) => {
      const other = record(2, state, seen);
      const step = nextStep([record(1, 'lost'), other], NOW, sent(seen));
      expect(step).toMatchObject({
        do: 'change',
        attempt: { attempt: 1 },
        to: { state: 'surplus', ...seen },
      });
      const next = nextStep([record(1, 'surplus', seen), other], NOW, sent(seen));
      expect(next).toEqual(state === 'created' ? { do: 'show', attempt: other } : { do: 'wait' });
    },
  );

  it('adds a uuid that comes late to a lost attempt, and leaves it lost after a late refusal', () => {
    const step = nextStep([record(1, 'lost')], NOW, failed(false, 'u'));
    expect(step).toMatchObject({ do: 'change', to: { state: 'lost', uuid: 'u' } });
    expect(nextStep([record(1, 'lost')], NOW, failed(true))).toEqual({ do: 'throw', error });
  });

  it.each(['created', 'closed', 'surplus'] as const)(
    'changes nothing about one that is %s already',
    (state) => {
      const step = nextStep([record(1, state, { uuid: 'other', qrCode })], NOW, sent(seen));
      expect(step).not.toMatchObject({ to: { uuid: 'u' } });
    },
  );
});

describe('after a look-up', () => {
  const lost = record(1, 'lost');

  it('makes a journey with a QR code the order’s', () => {
    expect(afterLookUp(lost, seen, opening())).toEqual({ state: 'created', ...seen });
  });

  it('keeps one without a QR code lost, with its uuid', () => {
    expect(afterLookUp(lost, { uuid: 'u' }, opening())).toEqual({ state: 'lost', uuid: 'u' });
  });

  it('makes one over other money surplus: nobody is shown another price', () => {
    const other = opening({ money: { amount: 'b' } });
    expect(afterLookUp(lost, seen, other)).toEqual({ state: 'surplus', ...seen });
  });
});
