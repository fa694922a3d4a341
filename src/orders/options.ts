import type { Credentials } from '../service/credentials';
import type { Store } from '../stores/steps';
import type { TransactionSource } from '../values/confirm-payment';
import type { OptionNames } from '../values/option-checks';
import type { AnyDefinition } from '../webhooks/kinds';
import {
  type KindCallback,
  LISTENER_OPTIONS,
  type OwnCallbacks,
  type WebhookContext,
  type WebhookHandlerOptions,
} from '../webhooks/options';
import type { MeantPayment, NotifiedOrder } from '../webhooks/order-link';
import type { CheckoutSource } from './open';
import type { RecurrenceEvent } from './recurrence-events';
import type { RecurrenceCharge } from './recurrences';

// What a merchant passes to `createOrders`, and what its callbacks get.

/** Money of an order that was expected. */
export interface PaidOrder {
  /** Your key of the order. */
  readonly order: string;
  /** The uuid of the transaction. */
  readonly sale: string;
  /** In the currency's main unit. */
  readonly amount: number;
  /** The same in its smallest unit, such as cents of BRL; `undefined` for a currency that ISO 4217 does not list. */
  readonly minorUnits: number | undefined;
  /** An ISO 4217 code. */
  readonly currency: string;
  /** Whether it is the order's first payment; else it is a later charge, or one that a person has booked beside it. */
  readonly isFirst: boolean;
}

/** Money of an order that went back to the payer. */
export interface ReturnedOrder {
  /** Your key of the order. */
  readonly order: string;
  /** The uuid of the transaction that had paid it. */
  readonly sale: string;
  /** How much went back now, in the currency's main unit. */
  readonly amount: number;
  /** The same in its smallest unit, such as cents of BRL; `undefined` for a currency that ISO 4217 does not list. */
  readonly minorUnits: number | undefined;
  /** An ISO 4217 code. */
  readonly currency: string;
  /** What is left of that payment, in the currency's main unit; 0 if all of it has gone back. */
  readonly left: number;
  /** The same in its smallest unit; `undefined` for a currency that ISO 4217 does not list. */
  readonly leftMinorUnits: number | undefined;
}

/** What has happened to a recurrence of an order (the service's public pages; not in its document). */
export interface RecurrenceOfOrder {
  /** Your key of the order. */
  readonly order: string;
  /** Identifies the recurrence. */
  readonly idRec: string;
  /** What has happened. A charge that was paid runs `paid`. */
  readonly event: RecurrenceEvent;
  /** `APPROVED`, or how it has ended: `REJECTED`, `EXPIRED`, `CANCELLED` or `CONCLUDED`. */
  readonly status: string;
  /** When it is charged next, as the service says it: `yyyy-MM-dd HH:mm:ss`, in São Paulo time. */
  readonly nextChargeAt?: string | undefined;
  /** The charge that it is about. */
  readonly charge?:
    | (Omit<RecurrenceCharge, 'status'> & {
        /** Why it failed, as a text of a bank's. The order does not keep it. */
        readonly reason?: string | undefined;
      })
    | undefined;
}

/** What `paid`, `returned`, `foreign` and `recurrence` get besides. */
export interface OrderContext<Transaction = undefined>
  extends Omit<WebhookContext<Transaction>, 'order'>,
    NeedsPerson {
  /** The notification as it came. A payment that `maintain` has found has what the service says. */
  readonly notification: {
    /** Its kind: `payment`, `refund`, `reversal` or `recurrence`. */
    readonly kind: string;
    /** The body. **It holds personal data.** */
    readonly raw: Readonly<Record<string, unknown>>;
  };
}

/** What every callback of `createOrders` gets, own kinds and payouts too. */
export interface NeedsPerson {
  /**
   * Hands the notification to a person: it becomes a case `needs_person`. Throws, and is remembered: in a transaction,
   * whatever the callback writes is undone. Without one, call it before you write.
   *
   * @param why - what the person should know, of up to 200 characters; it is `note` of the case
   */
  readonly needsPerson: (why: string) => never;
}

/** Money, its return, or an event of a recurrence, that belongs to no order of yours. */
export interface ForeignNotification {
  /** `payment`, `saleStatus`, `refund`, `reversal` or `recurrence`. */
  readonly kind: string;
  /** What was read from the body (document sections 6.2 to 6.4; of an event the service's public pages). */
  readonly payload: unknown;
  /** The body as it arrived. **It holds personal data.** */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** What to do with the notifications of orders. */
export type OrderCallbacksOf<Kinds extends readonly AnyDefinition[], Transaction> = OwnCallbacks<
  Kinds,
  Transaction,
  NotifiedOrder | undefined,
  NeedsPerson
> & {
  /** Money on its way to you, or not (document section 6.5). */
  readonly payout?: KindCallback<'payout', Transaction, NotifiedOrder | undefined, NeedsPerson> | undefined;
  /** What no kind knows. */
  readonly unrecognized?:
    | KindCallback<'unrecognized', Transaction, NotifiedOrder | undefined, NeedsPerson>
    | undefined;
  /**
   * Books money that was expected, once: an order's first payment, and each later charge. Await or return what you
   * write: a promise, or a query that runs when it is awaited.
   */
  readonly paid: (payment: PaidOrder, context: OrderContext<Transaction>) => PromiseLike<unknown>;
  /** Books money that went back, once it is credited; `'ignore'` if nothing is to happen then. */
  readonly returned:
    | ((returned: ReturnedOrder, context: OrderContext<Transaction>) => PromiseLike<unknown>)
    | 'ignore';
  /**
   * What happens to a recurrence without moving money, each event once (the service's public pages; not in its document): the
   * payer has approved it, it has ended, a charge is scheduled, a charge failed and is tried again or not. Nobody confirms it.
   *
   * @defaultValue nothing runs; `find` shows `recurrences` all the same
   */
  readonly recurrence?:
    | ((event: RecurrenceOfOrder, context: OrderContext<Transaction>) => unknown)
    | undefined;
  /**
   * Payments, what goes back, and events of a recurrence, of no order: a walk-in (document section 6.2), another system of
   * the same account. Each once, as it came.
   *
   * @defaultValue money is a case `no_order`; an event is done
   */
  readonly foreign?:
    | ((notification: ForeignNotification, context: OrderContext<Transaction>) => unknown)
    | 'ignore'
    | undefined;
};

/** What `createOrders` works with: its own options, and the limits of `createWebhookHandler`. */
export interface OrdersOptions<Kinds extends readonly AnyDefinition[] = readonly [], Transaction = undefined>
  extends Omit<
    WebhookHandlerOptions<Kinds, Transaction>,
    'credentials' | 'store' | 'on' | 'confirm' | 'deadLetters'
  > {
  /**
   * Your `PaymentsClient`. It creates the journeys, confirms each payment, and is asked by `maintain`. Its credentials are
   * the listener's too, both pairs during a rotation.
   */
  readonly client: CheckoutSource & TransactionSource;

  /** Remembers everything: orders, their payments and returns, notifications and cases. */
  readonly store: Store<Transaction>;

  /**
   * What to do with money. Leave it out for a process that opens orders and receives no notifications.
   *
   * @defaultValue none: `open`, `close`, `find` and `list` alone
   */
  readonly on?: OrderCallbacksOf<Kinds, Transaction> | undefined;

  /**
   * The pairs that the listener accepts, where `client` is no `PaymentsClient`, or where another process has another pair.
   *
   * @defaultValue those of `client`
   */
  readonly credentials?: Credentials | readonly Credentials[] | undefined;

  /**
   * `false`: books what a notification says, and asks nobody. Basic authentication does not cover the body, so anyone with
   * the credentials could then report any payment of an order's sum.
   *
   * @defaultValue the service is asked about each payment
   */
  readonly confirm?: false | undefined;

  /**
   * Reads the payment that a body of the service's own means, such as one for each charge of a recurrence, which the
   * document does not show (section 6.1). Asked about bodies that would be `unrecognized`; gives `undefined` for any other
   * body. What it gives is confirmed and booked as a `payment` of that sale, so that the same money which comes in two
   * forms is booked once. Synchronous. What it throws is answered 500, and kept as a case.
   *
   * @defaultValue none means a payment
   */
  readonly asPayment?: ((body: Readonly<Record<string, unknown>>) => MeantPayment | undefined) | undefined;

  /**
   * Whether `maintain` looks once a day for paid charges, and for ends of recurrences, whose event was lost. Both calls are
   * those of the service's public pages; its document does not show them.
   *
   * @defaultValue once the listener has received an event of a recurrence; `false`: never; `true`: from the start
   */
  readonly recurrences?: boolean | undefined;

  /**
   * How long a call that creates a journey may take at most, in milliseconds, with all its attempts. A minute after that,
   * an attempt that has not ended counts as lost.
   *
   * @defaultValue 90_000
   */
  readonly totalTimeoutMs?: number | undefined;

  /**
   * How long `open` waits for another `open` of the same order, in milliseconds, before an `OrderBusyError`. For as long
   * it tries again when the database fails, before its call and once more after it.
   *
   * @defaultValue 10_000
   */
  readonly waitMs?: number | undefined;
}

const { deadLetters: _deadLetters, ...LIMITS } = LISTENER_OPTIONS;
export const ORDERS_OPTIONS: OptionNames<OrdersOptions> = {
  ...LIMITS,
  asPayment: true,
  client: true,
  recurrences: true,
  totalTimeoutMs: true,
  waitMs: true,
};
