/** A notification whose callback threw, as it is given to `park`. */
export interface ParkRequest {
  /** `notification.key`; a notification that fails again replaces what was parked under its key. */
  readonly key: string;
  /** `notification.kind`. */
  readonly kind: string;
  /** Kind and identity, as `claim` is given them. */
  readonly subject: string;
  /** What the notification reports of the subject. */
  readonly state: string;
  /** The JSON text as it was received. **It holds personal data**: names, e-mail addresses, bank accounts. */
  readonly body: string;
  /** The path and query that it came with; `''` where they are not known. */
  readonly url: string;
  /** The `name` of what the callback threw; never its message, which can hold anything. */
  readonly errorName: string;
  /** Its `code`, where it had one. */
  readonly errorCode?: string | undefined;
}

/** A notification that is parked. */
export interface ParkedNotification extends ParkRequest {
  /** When its callback threw for the first time, in milliseconds since 1970 by the store's clock. */
  readonly firstFailedAt: number;
  /** When its callback threw last, in milliseconds since 1970 by the store's clock. */
  readonly lastFailedAt: number;
  /** How often it was parked; a command that a driver sent twice counts twice. */
  readonly attempts: number;
}

/** Which parked notifications are wanted. */
export interface ParkedQuery {
  /** Those whose last failure was then or later, in milliseconds since 1970. Default: all. */
  readonly since?: number | undefined;
  /** How many at most. Default: 100. */
  readonly limit?: number | undefined;
  /** The one with this key. Default: any. */
  readonly key?: string | undefined;
}
