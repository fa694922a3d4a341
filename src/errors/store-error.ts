import { brand, PaymentsError } from './payments-error';

/**
 * An idempotency store could not do its work: it is full, its server gave an unexpected answer, or a transaction could
 * not be completed. Whatever it was doing, do not acknowledge the notification: the service delivers it again. `cause`
 * is the driver's error, if there is one.
 */
export class StoreError extends PaymentsError {
  static {
    brand(this, 'StoreError');
  }

  /** Identifies this class; see `docs/errors.md#store_failed` in the package. */
  declare readonly code: 'store_failed';
  /** Always `undefined`: a notification belongs to no call. */
  declare readonly outcome: undefined;

  /**
   * For a store of your own, and for doubles in your tests.
   *
   * @param message - what happened, its likely cause and the way out; without credentials or personal data
   * @param options - `cause`: the driver's error
   */
  constructor(message: string, options: { cause?: unknown } = {}) {
    super('store_failed', message, options);
  }
}
