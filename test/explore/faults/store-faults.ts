import type { SeededFault } from './fault';

const TWO_STATES = ['PENDING', 'PAID', 'CANCELLED'];

/** Mistakes of a store. */
export const storeFaults: readonly SeededFault[] = [
  {
    name: 'claim: a live lease is not checked',
    store: { ignoresLease: true },
    hazards: { faults: 0 },
  },
  {
    name: 'claim: checks first, and takes the lease in a second step',
    store: { looksThenTakes: true },
    hazards: { faults: 0 },
  },
  {
    name: 'claim: a busy claim renews the lease',
    store: { renewsWhenBusy: true },
    hazards: { faults: 1, stop: true, hang: true },
  },
  { name: 'claim: the fence does not grow', store: { sameFence: true }, hazards: { faults: 1, throw: true } },
  {
    name: 'claim: the state is recorded with the claim',
    store: { doneAtClaim: true },
    hazards: { faults: 1, crash: true },
  },
  { name: 'claim: the lease never ends', store: { neverEnds: true }, hazards: { faults: 1, crash: true } },
  {
    name: 'claim: the lease ends a millisecond late',
    store: { endsTooLate: true },
    hazards: { faults: 1, hang: true },
  },
  {
    name: 'claim: the done states are not returned',
    store: { tellsNoStates: true },
    states: TWO_STATES,
    hazards: { faults: 0 },
  },
  {
    name: 'claim: the done states are returned newest first',
    store: { newestFirst: true },
    states: TWO_STATES,
    hazards: { faults: 0 },
  },
  {
    name: 'complete: the token is not checked',
    store: { completesWithoutToken: true },
    states: TWO_STATES,
    hazards: { faults: 1, stop: true },
  },
  {
    name: 'complete: accepted after the end of the lease',
    store: { completesAfterLease: true },
    hazards: { faults: 1, stop: true },
  },
  { name: 'complete: the done state is not kept', store: { forgetsDone: true }, hazards: { faults: 0 } },
  {
    name: 'release: any token is accepted',
    store: { releasesWithoutToken: true },
    hazards: { faults: 2, stop: true, throw: true },
  },
  {
    name: 'release: the done states are forgotten',
    store: { releaseForgetsDone: true },
    states: TWO_STATES,
    hazards: { faults: 1, throw: true },
  },
];
