// Not in src/errors, whose classes every entry loads.
import { brand, PaymentsError } from '../errors/payments-error';

/** What keeps an order from being opened, or a case from being decided. */
type BusyReason = 'opening' | 'attempts' | 'deciding';

const BUSY: Readonly<Record<BusyReason, string>> = {
  opening:
    'Another call is creating the journey of this order, and has not ended within `waitMs`. Call `open` again with ' +
    'the same order key: it returns that journey, or makes one once the other call can no longer be on its way.',
  attempts:
    'The order has 50 journeys of the last 40 days that may still be paid, and gets no other one until the oldest is ' +
    'older. Something calls `open` with `replace`, or `close`, again and again: give each purchase an order key of its own.',
  deciding:
    'The case is being acted on now, by a delivery, by `maintain` or by another `decide`. Look at `orders.cases()` in a ' +
    'minute, and decide it if it is still there.',
};

/**
 * The order, or a case of it, is being acted on by somebody else, or the order has too many journeys; the message says
 * which. This call has sent nothing, and changed nothing.
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
  constructor(reason: BusyReason = 'opening') {
    super('order_busy', BUSY[reason], { outcome: 'not-sent' });
  }
}

/** The order has a journey for a different amount than this request asks for. Nothing was sent. */
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

  /**
   * What keeps the order as it is: `'open'` is replaced by `{ replace: true }`, `'authorized'` and `'paid'` never. `'authorized'`:
   * the payer has approved its recurrence, and nothing is paid yet.
   */
  readonly state: 'open' | 'authorized' | 'paid';

  /** For your test doubles; the library creates its own errors. */
  constructor(
    paths: readonly string[],
    uuid?: string | undefined,
    state: 'open' | 'authorized' | 'paid' = 'open',
  ) {
    const differ = paths.length === 1 ? `${paths[0]} differs` : `${paths.join(', ')} differ`;
    super(
      'order_conflict',
      state === 'paid'
        ? `The order is paid, for a different amount: ${differ} from this request. A paid order is never replaced: if this is ` +
            'another purchase, or the price of a recurrence has changed, give it an order key of its own.'
        : state === 'authorized'
          ? `The payer has approved a recurrence of the order, for a different amount: ${differ} from this request. It is never ` +
            'replaced: have it ended (`orders.cancelRecurrence`), and call `open` again once the service has said that it is over.'
          : `The order has a journey for a different amount: ${differ} from this request. If the order has ` +
            'changed, call `open` with `{ replace: true }`; if this is another purchase, give it an order key of its own.',
      { outcome: 'not-sent' },
    );
    this.paths = paths;
    this.uuid = uuid;
    this.state = state;
  }
}
