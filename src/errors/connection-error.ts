import { type CallContext, FailedCall } from './failed-call';
import { brand } from './payments-error';

/**
 * No complete response arrived, because the connection failed: refused, name not resolved, certificate not trusted,
 * lost during the TLS handshake (outcome `'not-sent'`), or lost later (outcome `'unknown'`).
 */
export class ConnectionError extends FailedCall {
  static {
    brand(this, 'ConnectionError');
  }

  /** Identifies this class; see `docs/errors.md#connection_failed` in the package. */
  declare readonly code: 'connection_failed';

  /** The platform's own code for the failure (`'ECONNREFUSED'`, `'CERT_HAS_EXPIRED'`, …), when it gave one. */
  readonly reason: string | undefined;

  /** For your test doubles; the library creates its own errors. */
  constructor(message: string, context: CallContext & { readonly reason?: string | undefined }) {
    super('connection_failed', message, context);
    this.reason = context.reason;
  }
}
