import type { SeededFault } from './fault';

const TWO_STATES = ['PENDING', 'PAID', 'CANCELLED'];

/** Mistakes of a store. */
export const storeFaults: readonly SeededFault[] = [
  {
    name: 'claim: a lease that lives is not looked at',
    store: { ignoresLease: true },
    hazards: { faults: 0 },
  },
  {
    name: 'claim: looks first, and takes in a second step',
    store: { looksThenTakes: true },
    hazards: { faults: 0 },
  },
  {
    name: 'claim: one that is busy renews the lease',
    store: { renewsWhenBusy: true },
    hazards: { faults: 1, stop: true, hang: true },
  },
  { name: 'claim: the fence does not grow', store: { sameFence: true }, hazards: { faults: 1, throw: true } },
  {
    name: 'claim: the state is done with it',
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
    name: 'claim: the states that are done are not told',
    store: { tellsNoStates: true },
    states: TWO_STATES,
    hazards: { faults: 0 },
  },
  {
    name: 'claim: the states that are done are told newest first',
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
  { name: 'complete: done is forgotten', store: { forgetsDone: true }, hazards: { faults: 0 } },
  {
    name: 'release: by a stranger',
    store: { releasesWithoutToken: true },
    hazards: { faults: 2, stop: true, throw: true },
  },
  {
    name: 'release: forgets what is done',
    store: { releaseForgetsDone: true },
    states: TWO_STATES,
    hazards: { faults: 1, throw: true },
  },
];
