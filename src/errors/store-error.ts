import { brand, PaymentsError } from './payments-error';

/**
 * An idempotency store could not do a step: it is full, its server answered something it never answers, or a
 * transaction could not be completed. Whatever the step was, the notification must not be acknowledged: the service
 * delivers it again. `cause` is the driver's error, where there is one.
 */
export class StoreError extends PaymentsError {
  static {
    brand(this, 'StoreError');
  }

  declare readonly code: 'store_failed';
  declare readonly outcome: undefined;

  constructor(message: string, options: { cause?: unknown } = {}) {
    super('store_failed', message, options);
  }
}
