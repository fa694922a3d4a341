import type { ValidationIssue } from '../../shared/validation-issue';
import type { Schema } from '../schema/schema';

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

/**
 * A kind of notification that the document shows, in the form that merchants describe their own in
 * (`defineNotification`), and what the document says besides: its query flag, and what messages call its body.
 */
export interface DocumentedKind<
  Given extends ReadNotification & { readonly kind: string; readonly payload: unknown },
> {
  readonly kind: Given['kind'];
  /** What messages call such a body: `sale`. */
  readonly body: string;
  /** The query flag: `reversing` of `?reversing=true` or `?type=reversing`. `undefined` where the document shows none. */
  readonly flag: string | undefined;
  /** The query as the service sends it; empty where the document shows none. */
  readonly query: string;
  /** Whether the body looks like one. Read with {@link given}, so that a field that is null says nothing. */
  readonly match: (body: Readonly<Record<string, unknown>>) => boolean;
  readonly schema: Schema<unknown, Given['payload']>;
  /** What the subject begins with: both kinds of a sale share theirs. */
  readonly subjectKind: string;
  /** The identity of what the notification is about. */
  readonly subject: (payload: Given['payload']) => string;
  /** What it reports of that; the parts are joined with colons in the key. */
  readonly state: (payload: Given['payload']) => readonly string[];
}

/** The notification of a documented kind. */
export type NotificationOf<Kind> = Kind extends DocumentedKind<infer Given> ? Given : never;

/** A field of a body's own that says something. The service may send every field of every kind, as null. */
export function given(body: Readonly<Record<string, unknown>>, field: string): unknown {
  return Object.hasOwn(body, field) ? (body[field] ?? undefined) : undefined;
}
