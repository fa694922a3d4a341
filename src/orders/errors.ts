// Not in src/errors, whose classes every entry loads.
import { brand, PaymentsError } from '../errors/payments-error';

/**
 * Another call is creating the journey of this order, and has not ended within `waitMs`. This one has sent nothing. Call
 * `open` again with the same key: it returns that journey, or makes one once the other's lease is over.
 */
export class OrderBusyError extends PaymentsError {
  static {
    brand(this, 'OrderBusyError');
  }

  /** Identifies this class; see `docs/errors.md#order_busy` in the package. */
  declare readonly code: 'order_busy';
  /** Always `'not-sent'`. */
  declare readonly outcome: 'not-sent';

  /** For your test doubles; the library creates its own errors. */
  constructor() {
    super(
      'order_busy',
      'Another call is creating the journey of this order, and has not ended within `waitMs`. Call `open` again with ' +
        'the same order key: it returns that journey, or makes one once the other call can no longer be on its way.',
      { outcome: 'not-sent' },
    );
  }
}

/** The order has a journey over other money than this request asks for. Nothing was sent. */
export class OrderConflictError extends PaymentsError {
  static {
    brand(this, 'OrderConflictError');
  }

  /** Identifies this class; see `docs/errors.md#order_conflict` in the package. */
  declare readonly code: 'order_conflict';
  /** Always `'not-sent'`. */
  declare readonly outcome: 'not-sent';

  /** The fields that differ, such as `recurrence.amount.recurrenceAmount`; never their values. */
  readonly paths: readonly string[];

  /** The journey that the order has, to query it; `undefined` while another call is creating it. */
  readonly uuid: string | undefined;

  /** For your test doubles; the library creates its own errors. */
  constructor(paths: readonly string[], uuid?: string | undefined) {
    const differ = paths.length === 1 ? `${paths[0]} differs` : `${paths.join(', ')} differ`;
    super(
      'order_conflict',
      `The order has a journey over other money: ${differ} from this request. If the order has ` +
        'changed, `close` its journey once it can no longer be paid; if this is another order, give it a key of its own.',
      { outcome: 'not-sent' },
    );
    this.paths = paths;
    this.uuid = uuid;
  }
}
