/** A notification whose callback threw or took too long, as passed to `park`. */
export interface ParkRequest {
  /** `notification.key`; a notification that fails again replaces the one parked under its key. */
  readonly key: string;
  /** `notification.kind`. */
  readonly kind: string;
  /** Kind and identity, as `claim` is given them. */
  readonly subject: string;
  /** What the notification reports about the subject. */
  readonly state: string;
  /** The JSON text as it was received. **It holds personal data**: names, e-mail addresses, bank accounts. */
  readonly body: string;
  /** The path and query that it was sent to; `''` if unknown. */
  readonly url: string;
  /** The `name` of what the callback threw, or `DeadlineExceeded`; never the message, which can hold anything. */
  readonly errorName: string;
  /** The error's `code`, if it had one. */
  readonly errorCode?: string | undefined;
}

/** A parked notification. */
export interface ParkedNotification extends ParkRequest {
  /** When its callback failed for the first time, in milliseconds since 1970 by the store's clock. */
  readonly firstFailedAt: number;
  /** When its callback failed last, in milliseconds since 1970 by the store's clock. */
  readonly lastFailedAt: number;
  /** How many times it was parked; a command that the driver sent twice counts twice. */
  readonly attempts: number;
}

/** Which parked notifications to list. */
export interface ParkedQuery {
  /** Only those that last failed at this time or later, in milliseconds since 1970. Default: all. */
  readonly since?: number | undefined;
  /** How many at most. Default: 100. */
  readonly limit?: number | undefined;
  /** Only the one with this key. Default: any. */
  readonly key?: string | undefined;
}
