import { type CallContext, CallError } from './call-error';
import { brand } from './payments-error';

/** A limit of time ran out: of one attempt (`timeoutMs`), of the whole call (`totalTimeoutMs`), or of a wait. */
export class TimeoutError extends CallError {
  static {
    brand(this, 'TimeoutError');
  }

  declare readonly code: 'timeout';

  constructor(message: string, context: CallContext) {
    super('timeout', message, context);
  }
}
