import { expect } from 'vitest';
import type { Claim } from '../../src/stores/steps';
import type { TestStore } from '../helpers/store-of';
import { lease, retain } from './limits';

type Claims = Pick<TestStore, 'claim' | 'complete'>;

/** A claim of the state. Fails where the store says that it is done or busy. */
export async function claimed(
  store: Claims,
  subject: string,
  state = 'PAID',
  leaseMs = 60_000,
): Promise<Claim> {
  const result = await store.claim(subject, state, lease(leaseMs));
  if (result.status !== 'claimed') throw new Error(`expected a claim, got ${result.status}`);
  return result;
}

/** Claims the state and completes it. */
export async function completed(store: Claims, subject: string, state = 'PAID', retentionMs = 60_000) {
  expect(await store.complete(await claimed(store, subject, state), retain(retentionMs))).toBe(true);
}

/** What a claim comes to, with the states that are done: `busy`, `claimed PENDING`, `done PENDING PAID`. */
export async function tryClaim(store: Claims, subject: string, state = 'PAID'): Promise<string> {
  const { status, ...more } = await store.claim(subject, state, lease(60_000));
  return [status, ...('handledStates' in more ? more.handledStates : [])].join(' ');
}

/** Any dead letter. */
export const letter = {
  key: 'payment:1:PAID',
  subject: 'payment:1',
  state: 'PAID',
  kind: 'payment',
  body: '{}',
  url: '/',
  credential: '0a1b2c3d',
  code: 'callback_failed',
};
