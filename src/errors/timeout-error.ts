import { type CallContext, FailedCall } from './failed-call';
import { brand } from './payments-error';

/** A limit of time ran out: of one attempt (`timeoutMs`), of the whole call (`totalTimeoutMs`), or of a wait. */
export class TimeoutError extends FailedCall {
  static {
    brand(this, 'TimeoutError');
  }

  /** Tells this class from the others; `docs/errors.md#timeout` in the package says more. */
  declare readonly code: 'timeout';

  /** For a double in your tests; the library makes its own. */
  constructor(message: string, context: CallContext) {
    super('timeout', message, context);
  }
}
