import { ApiError } from '../errors/call-errors';
import { getAuthorization } from '../recurrence/authorizations';
import type { CallSource } from '../recurrence/scheduled-payments';
import { isSameId } from '../shared/uuid';
import type { ValidationIssue } from '../shared/validation-issue';

// What a charge is proven by, besides its transaction. The document shows no call for it, the service's public pages do.

/** The body's `status` by which the service says that there is no such thing, and so that it has the call. */
const NOTHING_THERE = 998;

/** As long as the query for its transaction may take. */
export const PROOF_TIMEOUT_MS = 5_000;

/** What is missing for a charge that is not proven. */
export const UNPROVEN: readonly ValidationIssue[] = [
  {
    path: ['saleToken'],
    message:
      'is none of the charges of this recurrence, as the service says, and its transaction has not the reference of the journey',
  },
];

/** Whether an error says that the service does not know what was asked for, or does not have the call. */
export function isNotFound(error: unknown): error is ApiError {
  return error instanceof ApiError && error.httpStatus === 404;
}

/** Whether an error says that the service does not have the call. */
export function isNoCall(error: unknown): boolean {
  return isNotFound(error) && !isNothingThere(error);
}

/** Whether an error says that the service has the call, and not what was asked for. */
export function isNothingThere(error: unknown): boolean {
  return isNotFound(error) && error.status === NOTHING_THERE;
}

/** Whether a client makes such calls: a `PaymentsClient` does. */
export function makesCalls(client: object): client is CallSource {
  return typeof (client as Partial<CallSource>).request === 'function';
}

/** What asking about a charge takes. */
export interface ProofContext {
  readonly client: object;
  /** The service does not have the call. */
  readonly onNoCall: (error: unknown) => void;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs: number;
}

/**
 * Whether the service names a sale among the charges of a recurrence, where the transaction does not carry the reference of
 * the journey: else any paid sale of the account, of the same sum, could be told as a month. Where the service does not have
 * the call, the transaction alone counts.
 *
 * @throws what the call throws, save a 404
 */
export async function isChargeOf(idRec: string, sale: string, context: ProofContext): Promise<boolean> {
  const { client, onNoCall, signal, timeoutMs } = context;
  if (!makesCalls(client)) {
    onNoCall(undefined);
    return true;
  }
  try {
    const limits = { timeoutMs, totalTimeoutMs: timeoutMs, signal };
    const { paymentSchedules } = await getAuthorization(client, idRec, limits);
    return (paymentSchedules ?? []).some((each) => isSameId(each.sale?.uuid, sale));
  } catch (error) {
    if (isNothingThere(error)) return false;
    if (!isNoCall(error)) throw error;
    onNoCall(error);
    return true;
  }
}
