import type { Attempt, AttemptState } from '../../src/orders/attempt';

/** An attempt in a state. */
export function attemptIn(attempt: number, state: AttemptState, fields: Partial<Attempt> = {}): Attempt {
  return {
    attempt,
    referenceCode: attempt === 1 ? 'order-1' : `order-1-${attempt}`,
    state,
    token: `token-${attempt}`,
    money: { amount: 'a' },
    currency: 'BRL',
    startedAt: 1_000,
    leaseUntil: 2_000,
    changedAt: 1_000,
    ...fields,
  };
}
