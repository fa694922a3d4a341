import type { Claim } from '../../src/stores/idempotency-store';
import type { ParkRequest } from '../../src/stores/parked';

/** The claim that steps get in tests where the store’s answers are scripted. */
export const claim: Claim = {
  subject: 'payment:1',
  state: 'PAID',
  token: 'token',
  fence: 1,
  handledStates: [],
};

export const request: ParkRequest = {
  key: 'payment:1:PAID',
  kind: 'payment',
  subject: 'payment:1',
  state: 'PAID',
  body: '{}',
  url: '',
  errorName: 'Error',
};
