import { type CallContext, FailedCall } from './failed-call';
import { brand } from './payments-error';

/**
 * The caller's `signal` ended the call. Its `name` is `'AbortError'`, as everywhere on the platform, and its `cause`
 * is the signal's reason. Look at `outcome`: an `AbortSignal.timeout()` that fires during a POST may leave a journey
 * behind.
 */
export class AbortedError extends FailedCall {
  static {
    brand(this, 'AbortedError', 'AbortError');
  }

  /** Identifies this class; see `docs/errors.md#aborted` in the package. */
  declare readonly code: 'aborted';

  /** For your test doubles; the library creates its own errors. */
  constructor(message: string, context: CallContext & { readonly cause: unknown }) {
    super('aborted', message, context);
  }
}
