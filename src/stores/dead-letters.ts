/** A notification that the handler could not act on, kept so that it is not lost after the sixth delivery. */
export interface DeadLetter {
  /** `notification.key`. A notification that fails again replaces the entry under its key. */
  readonly key: string;
  /** Kind and identity, as the store was asked to claim them. */
  readonly subject: string;
  /** What the notification reports about the subject. */
  readonly state: string;
  /** `notification.kind` at the last failure. */
  readonly kind: string;
  /** The JSON text as it was received. **It holds personal data**: names, e-mail addresses, bank accounts. */
  readonly body: string;
  /** Of the URL it was sent to, the query's flags of the documented kinds: `?refund=true`; empty if it has none. */
  readonly url: string;
  /** When it failed for the first time, in milliseconds since 1970. */
  readonly firstFailedAt: number;
  /** When it failed last, in milliseconds since 1970. */
  readonly lastFailedAt: number;
  /** How many times it was kept. */
  readonly attempts: number;
  /** Why it was kept: the `code` of the report, such as `callback_failed`. */
  readonly code: string;
  /** The `name` of what was thrown, if anything was; never the message, which can quote anything. */
  readonly errorName?: string | undefined;
}

/** A letter as the handler keeps it; the store adds its times and attempts. */
export type NewDeadLetter = Omit<DeadLetter, 'firstFailedAt' | 'lastFailedAt' | 'attempts'>;
