import { type CallContext, FailedCall } from './failed-call';
import { brand } from './payments-error';

/**
 * No whole response came, because the connection failed: refused, name not resolved, certificate not trusted, lost
 * during the TLS handshake (outcome `'not-sent'`), or lost later (outcome `'unknown'`).
 */
export class ConnectionError extends FailedCall {
  static {
    brand(this, 'ConnectionError');
  }

  /** Tells this class from the others; `docs/errors.md#connection_failed` in the package says more. */
  declare readonly code: 'connection_failed';

  /** The platform's own code for the failure (`'ECONNREFUSED'`, `'CERT_HAS_EXPIRED'`, …), when it gave one. */
  readonly reason: string | undefined;

  /** For a double in your tests; the library makes its own. */
  constructor(message: string, context: CallContext & { readonly reason?: string | undefined }) {
    super('connection_failed', message, context);
    this.reason = context.reason;
  }
}
