import type { Transaction } from '../service/operations/get-transaction';
import { type CallContext, FailedCall } from './failed-call';
import { brand } from './payments-error';

/** A time limit ran out: of one attempt (`timeoutMs`), of the whole call (`totalTimeoutMs`), or of a wait. */
export class TimeoutError extends FailedCall {
  static {
    brand(this, 'TimeoutError');
  }

  /** Identifies this class; see `docs/errors.md#timeout` in the package. */
  declare readonly code: 'timeout';

  readonly #transaction: Transaction | undefined;

  /** For your test doubles; the library creates its own errors. */
  constructor(message: string, context: CallContext & { readonly transaction?: Transaction | undefined }) {
    super('timeout', message, context);
    this.#transaction = context.transaction;
  }

  /**
   * The transaction as the service last reported it, when `waitForTransaction` ran out of time and a query had
   * succeeded. Logging does not print it: it may hold personal data.
   */
  get transaction(): Transaction | undefined {
    return this.#transaction;
  }
}
