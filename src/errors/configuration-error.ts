import { brand, PaymentsError } from './payments-error';

/**
 * The library was set up or called in a way that cannot work: a credential with a line break in it, a base URL
 * without https, a time-out of zero. Thrown before anything is sent.
 */
export class ConfigurationError extends PaymentsError {
  static {
    brand(this, 'ConfigurationError');
  }

  declare readonly code: 'configuration';
  declare readonly outcome: 'not-sent';

  constructor(message: string) {
    super('configuration', message, { outcome: 'not-sent' });
  }
}
