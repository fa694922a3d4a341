import { ConnectionError, type Outcome, TimeoutError } from '../../errors';
import { advice } from '../../errors/failed-call';
import { isLoopback } from '../base-url';
import { describeConnectionFailure, NO_TLS } from './connection-failure';
import { type Attempt, abortedError, contextOf, FailedAttempt } from './failed-attempt';

/** Why an attempt was ended by the client itself. */
export const ATTEMPT_TIMED_OUT = Symbol('timeoutMs');
export const CALL_TIMED_OUT = Symbol('totalTimeoutMs');
export const ABORTED = Symbol('aborted');

/** What is known of an attempt that failed after a status had arrived. */
export interface Known {
  readonly httpStatus: number;
  readonly outcome: Outcome;
  readonly uuid: string | undefined;
}

/**
 * The failure of an attempt that was interrupted: by a lost connection, a time limit, or the caller's signal.
 *
 * @param thrown - one of the symbols above, or what the platform threw
 * @param known - missing if no status had arrived. Only then can it be proven that nothing was sent.
 */
export function interruption(thrown: unknown, attempt: Attempt, known?: Known): FailedAttempt {
  const { operation, limits, url } = attempt;
  const { reason, neverSent } = describeConnectionFailure(thrown);
  const outcome = known?.outcome ?? (neverSent ? 'not-sent' : 'unknown');
  if (thrown === ABORTED) {
    return new FailedAttempt(abortedError(attempt, outcome, known?.uuid), outcome, known?.httpStatus);
  }
  const context = contextOf(attempt, outcome, known?.uuid);
  if (thrown === ATTEMPT_TIMED_OUT || thrown === CALL_TIMED_OUT) {
    const limit = thrown === ATTEMPT_TIMED_OUT ? 'timeoutMs' : 'totalTimeoutMs';
    const message = `${operation.name} did not end within \`${limit}\` (${limits[limit]} ms). ${advice(context)}`;
    return new FailedAttempt(new TimeoutError(message, context), outcome, known?.httpStatus);
  }
  const cause = reason === undefined ? '' : ` (${reason})`;
  const message =
    outcome === 'not-sent'
      ? `${operation.name} could not connect to the service${cause}. ${hintFor(reason, url)} ${advice(context)}`
      : `The connection was lost during ${operation.name}${cause}. ${advice(context)}`;
  return new FailedAttempt(new ConnectionError(message, { ...context, reason }), outcome, known?.httpStatus);
}

function hintFor(reason: string | undefined, url: string): string {
  if (reason === NO_TLS) {
    return (
      'That port speaks plain HTTP, not HTTPS. Check the port of `baseUrl`. If it is a sandbox on this machine, ' +
      'write `http://`.'
    );
  }
  if (reason === 'ECONNREFUSED' && isLoopback(new URL(url).hostname)) {
    return 'Nothing listens there. Is the sandbox running (`npx pix-automatic-sdk sandbox`), and on this port?';
  }
  return 'Check `baseUrl`, the name service, certificates and proxies.';
}
