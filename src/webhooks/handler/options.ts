import type { Credentials } from '../../service/credentials';
import type { DocumentedNotification } from '../../service/kinds';
import type { IdempotencyStore } from '../../stores/idempotency-store';
import type { AnyDefinition, DefinedNotification } from '../notification/define-notification';
import type { UnrecognizedNotification } from '../notification/notification';
import type { WebhookReport } from './report';
import type { RequestHead } from './request';

/** What a callback gets besides the notification. */
export interface WebhookContext<Transaction = undefined> {
  /** The notification's idempotency key. */
  readonly key: string;
  /**
   * The states of the same subject that were acted on before, oldest first: a `PENDING` that comes after `PAID` was
   * overtaken on its way.
   */
  readonly handledStates: readonly string[];
  /** Which of the handler's credentials the service used; 0 when one pair was given. */
  readonly credentialIndex: number;
  /** Fires when `callbackTimeoutMs` is over. What you do after that may be done again by another delivery. */
  readonly signal: AbortSignal;
  /** Grows with each claim of the subject, so that your writes can refuse those of an earlier claim. */
  readonly fence: number;
  /** The transaction to write in, with a store in transactional mode. It commits when the callback resolves. */
  readonly transaction: Transaction;
}

/**
 * Acts on a notification. Once the returned promise has resolved and that is recorded, the service is answered 200. If
 * it rejects, the service is answered 500 and sends the notification again.
 */
export type WebhookCallback<Given, Transaction> = (
  notification: Given,
  context: WebhookContext<Transaction>,
) => void | Promise<void>;

/**
 * Callbacks by kind. `'ignore'` answers 200 and does nothing; so does a kind that is left out, but it is reported. An
 * `undefined` is refused, because it may not be on purpose.
 */
export type WebhookCallbacks<Kinds extends readonly AnyDefinition[], Transaction> = {
  readonly [Kind in HandledKind]?:
    | WebhookCallback<OfKind<DocumentedNotification | UnrecognizedNotification, Kind>, Transaction>
    | 'ignore';
} & {
  readonly [Kind in Kinds[number]['kind']]?: OwnCallback<OfKind<Kinds[number], Kind>, Transaction>;
};

type OfKind<All, Kind extends string> = Extract<All, { readonly kind: Kind }>;

type HandledKind = (DocumentedNotification | UnrecognizedNotification)['kind'];

// While TypeScript infers `Kinds`, it also looks up the callbacks of the documented kinds here. It must not find a
// second type for them, or their parameters would become `any`.
type OwnCallback<Definition extends AnyDefinition, Transaction> = [Definition] extends [never]
  ? unknown
  : WebhookCallback<DefinedNotification<Definition>, Transaction> | 'ignore';

/** How to receive notifications. */
export interface WebhookHandlerOptions<
  Kinds extends readonly AnyDefinition[] = readonly [],
  Transaction = undefined,
> {
  /** Your pair of credentials, or, during a rotation, every pair that is valid now (document section 5). */
  readonly credentials: Credentials | readonly Credentials[];

  /** What to do, by kind of notification. */
  readonly on: WebhookCallbacks<Kinds, Transaction>;

  /** Your own kinds, made with `defineNotification`. */
  readonly kinds?: Kinds | undefined;

  /**
   * Remembers what was acted on.
   *
   * @defaultValue a `MemoryStore`, which protects this process only; in production there is a warning
   */
  readonly store?: IdempotencyStore<Transaction> | undefined;

  /**
   * The largest body to read, in bytes. A larger one is answered 413.
   *
   * @defaultValue 1 MiB
   */
  readonly maxBodyBytes?: number | undefined;

  /**
   * How long the body may take to arrive, in milliseconds. A slower one is answered 408.
   *
   * @defaultValue 10_000
   */
  readonly bodyTimeoutMs?: number | undefined;

  /**
   * How long a callback may take, in milliseconds. After that its `signal` fires and the answer is 500. At most 45_000:
   * the lease lasts 15 s longer and must be over when the service tries again, after about 60 s (document section 6.1).
   *
   * A callback that always takes a little longer runs with each delivery, six times, and is never recorded: the report
   * says so from the second time on. Longer work belongs in a queue: let the callback return after the durable write.
   *
   * A callback that goes on after that still holds its subject until its lease is over: no other one runs beside it in
   * that time. With a store in transactional mode, its transaction is rolled back, and holds the subject until the
   * callback ends, or for as long as the store allows.
   *
   * @defaultValue 25_000
   */
  readonly callbackTimeoutMs?: number | undefined;

  /**
   * How long one step of the store may take, in milliseconds. After that the answer is 503, or 500 if a transaction may
   * have been committed; recording a success is first retried while its lease lasts. A claim that the store answers
   * later is released. At most 7_500: the claim's answer and the record of the callback's success must both come within
   * the 15 s by which a lease outlasts its callback.
   *
   * @defaultValue 5_000
   */
  readonly storeTimeoutMs?: number | undefined;

  /**
   * How long a notification that was acted on is remembered at least, in milliseconds. If it comes again after that,
   * the callback runs again. The service itself delivers within about five minutes (document section 6.1). The 30 days
   * are for deliveries that come later by other ways: from a queue in front with its dead letters, from a backlog after
   * an incident, or repeated by hand while the month's books are closed. An `unrecognized` notification is always
   * remembered for one hour: without an identity, the same body may come again on purpose.
   *
   * @defaultValue 30 days
   */
  readonly retentionMs?: number | undefined;

  /**
   * Parks a notification in the store if its callback threw or took too long, so that a bug in a callback loses none:
   * after six deliveries the service gives up, and `handler.replay` can still run it. The answer is 500 all the same. A
   * later delivery that succeeds removes it again, which costs one more step of the store for each success.
   *
   * The store then keeps the raw body, with its personal data (names, e-mail, bank accounts), the URL with its query,
   * and the name and code of the error, never its message. It keeps them for `retentionMs`, and whoever can read the
   * store can read them.
   *
   * @defaultValue false
   */
  readonly park?: boolean | undefined;

  /**
   * Where the `Authorization` value is, for a gateway that renames the header.
   *
   * @defaultValue the `authorization` header
   */
  readonly getAuthorization?: ((request: RequestHead) => string | null | undefined) | undefined;

  /**
   * Called with the reason for each request that was not acted on, also for an `unhandled` one, which is answered 200.
   * Errors that it throws are ignored.
   *
   * @defaultValue logs a line with `console.error`: `code`, `kind` and `key`, the `reason` of a 401, and the name, code
   *   and message of what your callback or your database threw. Such a message is yours: if it can hold personal data,
   *   pass a function of your own
   */
  readonly onReport?: ((report: WebhookReport) => unknown) | undefined;
}
