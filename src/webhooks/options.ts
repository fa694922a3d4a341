import { ConfigurationError } from '../errors';
import type { Credentials } from '../service/credentials';
import { type DocumentedNotification, documentedNames } from '../service/notifications';
import { ownOptions } from '../shared/objects';
import { type DeadLetters, MONTH_MS } from '../stores/dead-letters';
import type { IdempotencyStore } from '../stores/idempotency-store';
import { MemoryStore } from '../stores/memory-store';
import type { PaymentConfirmation, TransactionSource } from '../values/confirm-payment';
import { checkDuration, checkFunction, checkPositive } from '../values/option-checks';
import { encodeCredentials } from './authorization';
import type { RequestHead } from './http';
import type { UnrecognizedNotification } from './kinds';
import { type AnyDefinition, checkKinds, type DefinedNotification } from './kinds';
import { defaultReport, type WebhookReport } from './report';

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
  /** What the service says about a payment, with the option `confirm`; `undefined` otherwise. */
  readonly confirmation: PaymentConfirmation | undefined;
}

/**
 * Acts on a notification. It may return anything: a promise is awaited, and so is a thenable, such as a query of Prisma,
 * Drizzle or Knex, which runs only when it is awaited. Return it, or await it: `({ payload }) => { query(); }` with
 * braces would never run it. Once that has resolved and is recorded, the service is answered 200. If it rejects, the
 * service is answered 500 and sends the notification again.
 */
export type WebhookCallback<Given, Transaction> = (
  notification: Given,
  context: WebhookContext<Transaction>,
) => unknown;

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
  /** Your pair of credentials, or, during a rotation, every pair that is valid now. */
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
   * Asks the service about each payment before its callback runs, by `confirmPayment`: Basic authentication does not
   * cover the body, so anyone with the credentials could report any payment. Pass your `PaymentsClient`.
   *
   * If the service says otherwise (`not_confirmed`) or cannot be asked (`confirm_failed`), the callback does not run and
   * the answer is 500. It is asked after the store has said that the payment is not done, within `callbackTimeoutMs`.
   * `context.confirmation` has what it said. With `acceptRefunded`, a refund alone does not stop a payment: without it,
   * one that was refunded since can never be replayed.
   *
   * @defaultValue nobody is asked
   */
  readonly confirm?:
    | TransactionSource
    | {
        /** Your `PaymentsClient`. */
        readonly client: TransactionSource;
        /** Whether a payment that was refunded since may still be acted on. Default: `false`. */
        readonly acceptRefunded?: boolean | undefined;
      }
    | undefined;

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
   * How long a callback may take, in milliseconds, with the question of `confirm`. After that its `signal` fires and the
   * answer is 500. At most 40_000: the lease lasts 15 s longer and must be over when the service tries again, after about
   * 60 s.
   *
   * A callback that still succeeds within its lease (in a transaction: within its hold) is recorded all the same, and the
   * next delivery finds it done. Until it ends, or its lease is over, no other one runs beside it. One that is not over by
   * then runs with each delivery, six times: longer work belongs in a queue. Let the callback return after the durable
   * write.
   *
   * @defaultValue 25_000
   */
  readonly callbackTimeoutMs?: number | undefined;

  /**
   * How long one step of the store may take, in milliseconds. After that the answer is 503, or 500 if a transaction may
   * have been committed; recording a success is first retried while its lease lasts. At most 7_500: the claim's answer
   * and the record of the callback's success must both come within the 15 s by which a lease outlasts its callback.
   *
   * @defaultValue 5_000
   */
  readonly storeTimeoutMs?: number | undefined;

  /**
   * How long a notification that was acted on is remembered at least, in milliseconds. If it comes again after that,
   * the callback runs again. The service itself delivers within about five minutes. The 30 days are for deliveries that
   * come later by other ways: from a queue in front with its dead letters, from a backlog after an incident, or repeated
   * by hand while the month's books are closed. An `unrecognized` notification is remembered for one hour, because
   * without an identity the same body may come again on purpose; with `deadLetters`, for as long as they are kept.
   *
   * @defaultValue 30 days
   */
  readonly retentionMs?: number | undefined;

  /**
   * Keeps each notification that could not be acted on, whatever the reason: its callback threw or took too long, there
   * is no callback for its kind (unless that is `'ignore'`), or it is of no kind at all. After six deliveries the
   * service gives up; `handler.replay` can still run it. The answer stays the same, but what would be answered 200
   * without a callback is answered 503 if it cannot be kept. A delivery that succeeds forgets the entry, which costs one
   * more step for each success.
   *
   * **An entry holds the raw body, with its personal data** (names, e-mail, bank accounts), for as long as the dead
   * letters' own `retentionMs`; what is done is remembered for at least as long.
   *
   * @defaultValue nothing is kept
   */
  readonly deadLetters?: DeadLetters | undefined;

  /**
   * Where the `Authorization` value is, for a gateway that renames the header.
   *
   * @defaultValue the `authorization` header
   */
  readonly getAuthorization?: ((request: RequestHead) => string | null | undefined) | undefined;

  /**
   * Called with each report: requests that were not acted on, also an `unhandled` one, which is answered 200, and fields
   * that are not as documented. Errors that it throws are ignored.
   *
   * @defaultValue logs a line with `console.error`: `code`, `kind`, `key`, `message`, the fields that `issues` names, and
   *   the name, code and message of what your callback or your database threw. Equal reports within a minute are counted,
   *   not repeated. Such a message is yours: if it can hold personal data, pass a function of your own
   */
  readonly onReport?: ((report: WebhookReport) => unknown) | undefined;
}

/** The handler's options, checked and with their defaults. */
export type ResolvedHandlerOptions = ReturnType<typeof resolveHandlerOptions>;

const MAX_CALLBACK_MS = 40_000;
/**
 * By how much a lease outlasts its callback. The lease may begin when the claim is sent, but the callback begins when
 * the claim is answered. So the margin covers two steps of the store, that answer and the record: a callback that ends
 * in time is recorded before another claim can take the subject.
 */
const LEASE_MARGIN_MS = 15_000;
const MAX_STORE_STEP_MS = LEASE_MARGIN_MS / 2;
/** Without an identity, the same `unrecognized` body may come again on purpose. */
const HOUR_MS = 60 * 60 * 1000;

/** @throws `ConfigurationError` for the first option that cannot work */
export function resolveHandlerOptions<Kinds extends readonly AnyDefinition[], Transaction>(
  given: WebhookHandlerOptions<Kinds, Transaction>,
) {
  if (typeof given !== 'object' || given === null) {
    throw new ConfigurationError(
      'Expected `createWebhookHandler({ credentials, on: { payment: … } })`. ' +
        '`credentialsFromEnv()` reads the credentials from the environment.',
    );
  }
  const options = ownOptions(given);
  const kinds: readonly AnyDefinition[] = options.kinds ?? [];
  checkKinds(kinds);
  const getAuthorization =
    options.getAuthorization ?? (({ headers }: RequestHead) => headers.get('authorization'));
  checkFunction('getAuthorization', getAuthorization, "({ headers }) => headers.get('x-auth')");
  const onReport = options.onReport ?? defaultReport();
  checkFunction('onReport', onReport, '(report) => void');
  const callbackTimeoutMs = checkPositive('callbackTimeoutMs', options.callbackTimeoutMs ?? 25_000);
  if (callbackTimeoutMs > MAX_CALLBACK_MS) {
    throw new ConfigurationError(
      `Expected \`callbackTimeoutMs\` to be at most ${MAX_CALLBACK_MS}: the service tries again after about 60 s, ` +
        'and the lease, 15 s longer, would still turn that attempt away. Write long work to a queue, and return.',
    );
  }
  const storeTimeoutMs = checkPositive('storeTimeoutMs', options.storeTimeoutMs ?? 5_000);
  if (storeTimeoutMs > MAX_STORE_STEP_MS) {
    throw new ConfigurationError(
      `Expected \`storeTimeoutMs\` to be at most ${MAX_STORE_STEP_MS}: a lease lasts 15 s longer than its callback, ` +
        'and a slow claim and a slow record could outlast it, with two callbacks at a time. Make the store faster.',
    );
  }
  const retentionMs = checkDuration('retentionMs', options.retentionMs ?? MONTH_MS);
  const store: IdempotencyStore<unknown> = options.store ?? defaultStore();
  // All that the handler calls: a store that works in transactions claims and completes in them.
  const steps = store.transact === undefined ? ['claim', 'complete', 'release'] : ['transact'];
  checkMethods('store', store, steps, 'new RedisStore(redis)');
  const { deadLetters } = options;
  checkMethods('deadLetters', deadLetters, ['keep', 'forget'], 'new SqlDeadLetters(query, { dialect })');
  const deadLettersMs =
    deadLetters && checkDuration('deadLetters.retentionMs', deadLetters.retentionMs ?? MONTH_MS) + HOUR_MS;
  return {
    expectedAuthorizations: encodeCredentials(options.credentials),
    callbacks: resolveCallbacks(options.on, kinds),
    kinds,
    store,
    maxBodyBytes: checkPositive('maxBodyBytes', options.maxBodyBytes ?? 1024 * 1024, Number.MAX_SAFE_INTEGER),
    bodyTimeoutMs: checkPositive('bodyTimeoutMs', options.bodyTimeoutMs ?? 10_000),
    callbackTimeoutMs,
    storeTimeoutMs,
    leaseMs: callbackTimeoutMs + LEASE_MARGIN_MS,
    // What is done is remembered for as long as a dead letter of it may be replayed, and an hour more for the clocks.
    retentionMs: Math.max(retentionMs, deadLettersMs ?? 0),
    /** How long an `unrecognized` body is remembered. */
    unrecognizedRetentionMs: deadLettersMs ?? HOUR_MS,
    deadLetters,
    confirm: resolveConfirm(options.confirm),
    getAuthorization,
    onReport,
  };
}

function checkMethods(name: string, value: object | undefined, methods: string[], example: string): void {
  if (value === undefined) return;
  const missing = methods.find((method) => typeof Reflect.get(Object(value), method) !== 'function');
  if (missing !== undefined) {
    throw new ConfigurationError(
      `Expected \`${name}\` with \`${missing}\`. Pass \`${example}\`, for example.`,
    );
  }
}

function resolveConfirm(confirm: WebhookHandlerOptions['confirm']) {
  if (confirm === undefined) return undefined;
  const { client = confirm as TransactionSource, acceptRefunded = false } = Object(confirm) as {
    readonly client?: TransactionSource;
    readonly acceptRefunded?: boolean;
  };
  checkMethods('confirm', client ?? {}, ['getTransaction'], 'PaymentsClient.fromEnv()');
  if (typeof acceptRefunded !== 'boolean') {
    throw new ConfigurationError('Expected `confirm.acceptRefunded` to be true or false.');
  }
  return { client, acceptRefunded };
}

type Callbacks = Readonly<Record<string, WebhookCallback<unknown, unknown> | 'ignore' | undefined>>;

function resolveCallbacks(on: object, kinds: readonly AnyDefinition[]): Callbacks {
  const own = kinds.map(({ kind }) => kind);
  if (new Set(own).size < own.length) {
    throw new ConfigurationError('Expected each definition in `kinds` to have a `kind` of its own.');
  }
  if (typeof on !== 'object' || on === null) {
    throw new ConfigurationError('Expected `on` to be an object with a callback for each kind you act on.');
  }
  const known = [...documentedNames, ...own];
  for (const [kind, callback] of Object.entries(on)) {
    if (!known.includes(kind)) {
      throw new ConfigurationError(`\`on\` has no kind \`${kind}\`. The kinds are ${known.join(', ')}.`);
    }
    if (callback === undefined) {
      throw new ConfigurationError(
        `\`on.${kind}\` is undefined, so such notifications would be answered 200 without a callback. ` +
          "If you want that, leave the kind out, or say 'ignore'.",
      );
    }
    if (callback !== 'ignore' && typeof callback !== 'function') {
      throw new ConfigurationError(`Expected \`on.${kind}\` to be a function or 'ignore'.`);
    }
  }
  // Without a prototype, so that no kind is found on it.
  return ownOptions(on as Callbacks);
}

function defaultStore(): IdempotencyStore {
  if (isProduction()) {
    console.warn(
      'pix-automatic-sdk: createWebhookHandler has no `store`, so duplicates are noticed by this process only. ' +
        'Pass a store of pix-automatic-sdk/stores, or `new MemoryStore()` if there is only ever one process.',
    );
  }
  return new MemoryStore();
}

function isProduction(): boolean {
  try {
    return globalThis.process?.env?.['NODE_ENV'] === 'production';
  } catch {
    // Deno throws without permission to read the environment. A warning is not worth asking for it.
    return false;
  }
}
