/**
 * The statuses that the document names (sections 4.1 and 6.1), of any kind. A payout has `success` before it. Stores
 * always have a place for these, however many others a subject has reported.
 */
const DOCUMENTED_STATE = /^(?:(?:true|false):)?(?:PENDING|PAID|CANCELLED|FAILED|REVERSAL)$/;

/** Whether a state, as it is part of a notification's key, is one that the document names. */
export function isDocumentedState(state: string): boolean {
  return DOCUMENTED_STATE.test(state);
}
