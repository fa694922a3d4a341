import type { ValidationIssue } from '../errors';
import type { PayoutPayload } from '../schemas/notifications/payout';
import type { RefundPayload } from '../schemas/notifications/refund';
import type { ReversalPayload } from '../schemas/notifications/reversal';
import type { SalePayload } from '../schemas/notifications/sale';
import type { AnyDefinition, DefinedNotification } from './define-notification';

/** What every notification has. */
export interface ReceivedNotification {
  /** The body as it came, before anything was read from it. */
  readonly raw: Readonly<Record<string, unknown>>;
  /**
   * The idempotency key: kind, identity and state, such as `reversal:v-1:PENDING`. Two deliveries of one notification
   * have the same key; two notifications never do.
   */
  readonly key: string;
}

/** What every notification of a documented kind has. */
export interface ReadNotification extends ReceivedNotification {
  /**
   * Fields of another type than documented, which `payload` is without and `raw` has: the first twenty, by path, without
   * their values. Missing when there are none.
   */
  readonly issues?: readonly ValidationIssue[] | undefined;
}

/** A sale is paid (document section 6.2). */
export interface PaymentNotification extends ReadNotification {
  /** A sale is paid. */
  readonly kind: 'payment';
  /** The sale (document section 6.2). */
  readonly payload: SalePayload;
}

/** A sale has a status other than `PAID`, such as `REVERSAL`. No goods leave for it (document sections 6.1 and 6.2). */
export interface SaleStatusNotification extends ReadNotification {
  /** A sale has a status other than `PAID`. */
  readonly kind: 'saleStatus';
  /** The sale, with its status in `newStatus` (document section 6.2). */
  readonly payload: SalePayload;
}

/** Funds are on their way back to the payer (document section 6.3). */
export interface ReversalNotification extends ReadNotification {
  /** Funds are on their way back to the payer. */
  readonly kind: 'reversal';
  /** The reversal, with its state in `status` (document section 6.3). */
  readonly payload: ReversalPayload;
}

/** A refund that you asked for was credited (document section 6.4). */
export interface RefundNotification extends ReadNotification {
  /** A refund was credited. */
  readonly kind: 'refund';
  /** The refund (document section 6.4). */
  readonly payload: RefundPayload;
}

/** A payout was made, or failed (document section 6.5). */
export interface PayoutNotification extends ReadNotification {
  /** A payout was made, or failed. */
  readonly kind: 'payout';
  /** The payout; `success` tells whether it was made (document section 6.5). */
  readonly payload: PayoutPayload;
}

/**
 * A notification of none of the documented kinds: the document says that the recurring journey has some and does not
 * show them (section 6.1). Describe the ones you receive with `defineNotification`.
 */
export interface UnrecognizedNotification extends ReceivedNotification {
  /** None of the documented kinds, and none of yours. */
  readonly kind: 'unrecognized';
  /** Why it is not of the kind it seems to be; missing when it seems to be of none. Only the handler gives such. */
  readonly issues?: readonly ValidationIssue[] | undefined;
}

/** The kinds that the document shows. */
export type DocumentedNotification =
  | PaymentNotification
  | SaleStatusNotification
  | ReversalNotification
  | RefundNotification
  | PayoutNotification;

/**
 * A notification, told apart by `kind`.
 *
 * @typeParam Kinds - the merchant's own definitions
 */
export type Notification<Kinds extends readonly AnyDefinition[] = readonly []> =
  | DocumentedNotification
  | UnrecognizedNotification
  | DefinedNotification<Kinds[number]>;
