import type { ValidationIssue } from '../../shared/validation-issue';
import type { Schema } from '../schema';

/** The fields of every notification. */
export interface ReceivedNotification {
  /** The body as it arrived, before anything was read from it. */
  readonly raw: Readonly<Record<string, unknown>>;
  /**
   * The idempotency key: kind, identity and state, such as `reversal:v-1:PENDING`. Two deliveries of one notification
   * have the same key; two notifications never do.
   */
  readonly key: string;
}

/** The fields of every notification of a documented kind. */
export interface ReadNotification extends ReceivedNotification {
  /**
   * Fields that do not have the documented type: `payload` leaves them out, `raw` has them. The first twenty, by path,
   * without their values. Missing when there are none.
   */
  readonly issues?: readonly ValidationIssue[] | undefined;
}

/**
 * A kind of notification that the document shows, in the form that merchants use to describe their own
 * (`defineNotification`), plus what only the document defines: the query flag, and the label in messages.
 */
export interface DocumentedKind<
  Read extends ReadNotification & { readonly kind: string; readonly payload: unknown },
> {
  readonly kind: Read['kind'];
  /** The name of such a body in messages: `sale`. */
  readonly label: string;
  /** The query flag: `reversing` of `?reversing=true` or `?type=reversing`. `undefined` if the document shows none. */
  readonly flag: string | undefined;
  /** The query as the service sends it; empty if the document shows none. */
  readonly query: string;
  /** Whether the body looks like this kind. A null field counts as missing. */
  readonly match: (body: Readonly<Record<string, unknown>>) => boolean;
  readonly schema: Schema<unknown, Read['payload']>;
  /** The first part of the subject. Both kinds of a sale have the same. */
  readonly subjectKind: string;
  /** The identity of what the notification is about. */
  readonly subject: (payload: Read['payload']) => string;
  /** The state that it reports; the parts are joined with colons in the key. */
  readonly state: (payload: Read['payload']) => readonly string[];
  /** What every delivery of it has in common, by field: its amounts and its reference. */
  readonly content: (payload: Read['payload']) => Readonly<Record<string, unknown>>;
  /** Whose order it is about: by the transaction's uuid, else by the journey's reference. */
  readonly order: (payload: Read['payload']) => OrderReference;
}

/** Whose order a notification is about. */
export interface OrderReference {
  /** The uuid of a transaction. */
  readonly uuid?: string | null | undefined;
  /** The reference of its journey. */
  readonly referenceCode?: string | null | undefined;
}

/** The notification of a documented kind. */
export type NotificationOf<Kind> = Kind extends DocumentedKind<infer Read> ? Read : never;
