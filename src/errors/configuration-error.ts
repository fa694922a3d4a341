import { brand, PaymentsError } from './payments-error';

/**
 * The library was set up or called in a way that cannot work: a credential with a line break in it, a base URL
 * without https, a timeout of zero. Thrown before anything is sent.
 */
export class ConfigurationError extends PaymentsError {
  static {
    brand(this, 'ConfigurationError');
  }

  /** Identifies this class; see `docs/errors.md#configuration` in the package. */
  declare readonly code: 'configuration';
  /** Always `'not-sent'`. */
  declare readonly outcome: 'not-sent';

  /** For your test doubles; the library creates its own errors. */
  constructor(message: string) {
    super('configuration', message, { outcome: 'not-sent' });
  }
}
