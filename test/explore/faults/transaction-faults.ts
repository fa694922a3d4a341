import type { SeededFault } from './fault';

/** Faults of a store's transaction. */
export const transactionFaults: readonly SeededFault[] = [
  { name: 'the lock is not taken', transaction: { lockNotTaken: true }, hazards: { faults: 0 } },
  {
    name: 'the rollback is forgotten',
    transaction: { rollbackForgotten: true },
    hazards: { faults: 1, throw: true },
  },
  {
    name: 'the commit is not awaited',
    transaction: { commitNotAwaited: true },
    hazards: { faults: 1, lose: true },
  },
  {
    name: 'a failed commit counts as a commit',
    transaction: { commitFailureIgnored: true },
    hazards: { faults: 1, lose: true },
  },
  {
    name: 'the completion is a step after the commit',
    transaction: { recordedAfterCommit: true },
    hazards: { faults: 1, crash: true },
  },
  {
    name: 'the completion is a step before the callback, outside of its transaction',
    transaction: { recordedBeforeWork: true },
    hazards: { faults: 1, throw: true },
  },
  {
    name: 'the effect is written outside of the transaction',
    transaction: { effectOutside: true },
    hazards: { faults: 1, crash: true },
  },
  {
    name: 'a callback that threw is committed',
    transaction: { commitsAfterThrow: true },
    hazards: { faults: 1, throw: true },
  },
];
