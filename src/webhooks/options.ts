import { ConfigurationError } from '../errors/configuration-error';
import type { Credentials } from '../service/credentials';
import { type DocumentedNotification, documentedNames } from '../service/notifications';
import { isObject, ownOptions } from '../shared/objects';
import { DAY_MS, HOUR_MS } from '../shared/time';
import { MemoryStore } from '../stores/memory-store';
import { type Store, stepsOf } from '../stores/steps';
import type { PaymentConfirmation, TransactionSource } from '../values/confirm-payment';
import {
  checkDuration,
  checkFunction,
  checkPositive,
  type OptionNames,
  readNamedOptions,
} from '../values/option-checks';
import { encodeCredentials, fingerprintOf } from './authorization';
import type { UnrecognizedNotification } from './kinds';
import { type AnyDefinition, checkKinds, type DefinedNotification } from './kinds';
import type { OrderLink } from './order-link';
import type { WebhookDone, WebhookReport } from './report';
import { defaultReport } from './report-log';
import type { RequestHead } from './request';

/**
 * What a callback gets besides the notification.
 *
 * @typeParam Transaction - what the store passes in transactional mode
 * @typeParam Order - what is known of the order, in a handler that knows orders
 */
export interface WebhookContext<Transaction = undefined, Order = undefined> {
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
  /** The order that the notification is about; `undefined` in a handler that knows no orders. */
  readonly order: Order;
}

/**
 * Acts on a notification. It may return anything: a promise is awaited, and so is a thenable, such as a query of Prisma,
 * Drizzle or Knex, which runs only when it is awaited. Return it, or await it: `({ payload }) => { query(); }` with
 * braces would never run it. Once that has resolved and is recorded, the service is answered 200. If it rejects, the
 * service is answered 500 and sends the notification again.
 *
 * @typeParam More - what else the context has, in a handler that knows orders
 */
export type WebhookCallback<Given, Transaction, Order = undefined, More = unknown> = (
  notification: Given,
  context: WebhookContext<Transaction, Order> & More,
) => unknown;

/**
 * Callbacks by kind. `'ignore'` answers 200 and does nothing; so does a kind that is left out, but it is reported. An
 * `undefined` is refused, because it may not be on purpose.
 */
export type WebhookCallbacks<
  Kinds extends readonly AnyDefinition[],
  Transaction,
  Order = undefined,
  More = unknown,
> = {
  readonly [Kind in HandledKind]?: KindCallback<Kind, Transaction, Order, More>;
} & OwnCallbacks<Kinds, Transaction, Order, More>;

/** The callback of a documented kind, or of what none knows. */
export type KindCallback<Kind extends HandledKind, Transaction, Order, More> =
  | WebhookCallback<
      Extract<DocumentedNotification | UnrecognizedNotification, { readonly kind: Kind }>,
      Transaction,
      Order,
      More
    >
  | 'ignore';

type HandledKind = (DocumentedNotification | UnrecognizedNotification)['kind'];

/**
 * The callbacks of your own kinds.
 *
 * While TypeScript infers `Kinds`, it also looks up the callbacks of the documented kinds here. It must not find a second
 * type for them, or their parameters would become `any`.
 */
export type OwnCallbacks<Kinds extends readonly AnyDefinition[], Transaction, Order, More> = {
  readonly [Kind in Kinds[number]['kind']]?: [Extract<Kinds[number], { readonly kind: Kind }>] extends [never]
    ? unknown
    :
        | WebhookCallback<
            DefinedNotification<Extract<Kinds[number], { readonly kind: Kind }>>,
            Transaction,
            Order,
            More
          >
        | 'ignore';
};

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
  readonly store?: Store<Transaction> | undefined;

  /**
   * Asks the service about each payment before its callback runs, by `confirmPayment`: Basic authentication does not
   * cover the body, so anyone with the credentials could report any payment. Pass your `PaymentsClient`.
   *
   * If the service says otherwise (`not_confirmed`) or cannot be asked (`confirm_failed`), the callback does not run and
   * the answer is 500. It is asked after the store has said that the payment is not done, within `callbackTimeoutMs`.
   * `context.confirmation` has what it said, and `payload.amount` and `payload.currency` are the service's, also where
   * the notification has none. With `acceptRefunded`, a refund alone does not stop a payment: without it, one that was
   * refunded since can never be replayed.
   *
   * @defaultValue `false`: nobody is asked
   */
  readonly confirm?:
    | TransactionSource
    | {
        /** Your `PaymentsClient`. */
        readonly client: TransactionSource;
        /** Whether a payment that was refunded since may still be acted on. Default: `false`. */
        readonly acceptRefunded?: boolean | undefined;
      }
    | false
    | undefined;

  /**
   * The largest body to read, in bytes; of an object that a parser has made, of its JSON text. A larger one is answered 413.
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
   * then runs with each delivery: longer work belongs in a queue. Let the callback return after the durable
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
   * the callback runs again. The service itself delivers within about five minutes. The 400 days are for what comes later:
   * each month of a subscription meets the months before, so that a key which is the same for all of them is seen. An
   * `unrecognized` notification is always remembered for one hour: without an identity the same body may come again on
   * purpose.
   *
   * @defaultValue 400 days
   */
  readonly retentionMs?: number | undefined;

  /**
   * Keeps each notification that could not be acted on in the store, whatever the reason: its callback threw or took too
   * long, the service does not confirm it, there is no callback for its kind (unless that is `'ignore'`), or it is of no
   * kind at all. After six deliveries the service gives up; `handler.replay` can still run it. The answer stays the same,
   * but what would be answered 200 without a callback is answered 503 if it cannot be kept. A delivery that succeeds
   * forgets the letter, if there is one, which costs a read for each success.
   *
   * **A letter holds the raw body, with its personal data** (names, e-mail, bank accounts), for `retentionMs` after its
   * first failure, and never longer: 30 days by default, and less than the handler's own `retentionMs`, so that no replay
   * repeats what was done.
   *
   * @defaultValue `false`: nothing is kept
   */
  readonly deadLetters?:
    | boolean
    | {
        /** How long a letter is kept after its first failure, in milliseconds. Default: 30 days. */
        readonly retentionMs?: number | undefined;
      }
    | undefined;

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

  /**
   * Called with each notification that is done, once that is recorded, and with each repeat of one: for metrics. What is
   * no repeat, counted by `kind`, is what your callbacks did. A callback that succeeds after `callbackTimeoutMs` counts
   * when its success is recorded, although the answer was 500. `onReport` tells of everything else, save what is
   * `'ignore'`. Errors that it throws are ignored.
   *
   * @defaultValue nothing is called
   */
  readonly onDone?: ((done: WebhookDone) => unknown) | undefined;
}

/** The handler's options, checked and with their defaults. */
export type ResolvedHandlerOptions = ReturnType<typeof resolveHandlerOptions> & {
  /** How the orders of notifications are found; set by `createOrders`. */
  readonly orders?: OrderLink | undefined;
};

/**
 * By how much a lease outlasts its callback. The lease may begin when the claim is sent, but the callback begins when
 * the claim is answered. So the margin covers two steps of the store, that answer and the record: a callback that ends
 * in time is recorded before another claim can take the subject.
 */
const LEASE_MARGIN_MS = 15_000;

/** What an option is if it is left out. */
const defaults = {
  kinds: [] as readonly AnyDefinition[],
  maxBodyBytes: 1024 * 1024,
  bodyTimeoutMs: 10_000,
  callbackTimeoutMs: 25_000,
  storeTimeoutMs: 5_000,
  retentionMs: 400 * DAY_MS,
  getAuthorization: ({ headers }: RequestHead): string | null | undefined => headers.get('authorization'),
};

type AnyOptions = WebhookHandlerOptions<readonly AnyDefinition[], unknown>;

export const LISTENER_OPTIONS: OptionNames<AnyOptions> = {
  credentials: true,
  on: true,
  kinds: true,
  store: true,
  confirm: true,
  maxBodyBytes: true,
  bodyTimeoutMs: true,
  callbackTimeoutMs: true,
  storeTimeoutMs: true,
  retentionMs: true,
  deadLetters: true,
  getAuthorization: true,
  onReport: true,
  onDone: true,
};

/** How each option is checked that is not made into something else. */
const checks: { readonly [Name in keyof AnyOptions]?: (value: never, name: string) => void } = {
  kinds: checkKinds,
  getAuthorization: (value, name) => checkFunction(name, value, "({ headers }) => headers.get('x-auth')"),
  onReport: (value, name) => checkFunction(name, value, '(report) => void'),
  onDone: (value, name) => checkFunction(name, value, '({ kind, isRepeat }) => void'),
  maxBodyBytes: (value, name) => checkPositive(name, value, Number.MAX_SAFE_INTEGER),
  bodyTimeoutMs: (value, name) => checkPositive(name, value),
  callbackTimeoutMs: checkCallbackTimeout,
  storeTimeoutMs: checkStoreTimeout,
  retentionMs: (value, name) => checkDuration(name, value),
};

/** @throws `ConfigurationError` for the first option that cannot work */
export function resolveHandlerOptions<Kinds extends readonly AnyDefinition[], Transaction>(
  given: WebhookHandlerOptions<Kinds, Transaction>,
) {
  if (!isObject(given)) {
    throw new ConfigurationError(
      'Expected `createWebhookHandler({ credentials, on: { payment: … } })`. ' +
        '`credentialsFromEnv()` reads the credentials from the environment.',
    );
  }
  const own = readNamedOptions<AnyOptions>('createWebhookHandler', given as AnyOptions, LISTENER_OPTIONS);
  const options = ownOptions({ ...defaults, ...own } as AnyOptions & typeof defaults);
  for (const [name, check] of Object.entries(checks)) {
    const value: unknown = Reflect.get(options, name);
    if (value !== undefined) check(value as never, name);
  }
  const { callbackTimeoutMs } = options;
  const expectedAuthorizations = encodeCredentials(options.credentials);
  return {
    ...options,
    expectedAuthorizations,
    fingerprints: expectedAuthorizations.map(fingerprintOf),
    callbacks: resolveCallbacks(options.on, options.kinds),
    store: stepsOf(options.store ?? defaultStore()),
    onReport: options.onReport ?? defaultReport(),
    confirm: resolveConfirm(options.confirm),
    leaseMs: callbackTimeoutMs + LEASE_MARGIN_MS,
    retentionMs: Math.ceil(options.retentionMs),
    lettersMs: resolveLetters(options),
    // Without an identity, the same body may come again on purpose.
    unrecognizedRetentionMs: HOUR_MS,
  };
}

type LetterOptions = Exclude<AnyOptions['deadLetters'], boolean | undefined>;

/** How long dead letters are kept; `undefined` if none are. */
function resolveLetters({ deadLetters, retentionMs }: Pick<AnyOptions, 'deadLetters'> & typeof defaults) {
  if (deadLetters === undefined || deadLetters === false) return undefined;
  if (deadLetters !== true && !isObject(deadLetters)) {
    throw new ConfigurationError('Expected `deadLetters` to be `true`, `false` or `{ retentionMs }`.');
  }
  const { retentionMs: ms = 30 * DAY_MS } =
    deadLetters === true
      ? {}
      : readNamedOptions<LetterOptions>('deadLetters', deadLetters, { retentionMs: true });
  const lettersMs = checkDuration('deadLetters.retentionMs', ms);
  // An hour more, for the clocks.
  if (lettersMs + HOUR_MS <= retentionMs) return lettersMs;
  throw new ConfigurationError(
    'Expected `deadLetters.retentionMs` (30 days if it is left out) to be at least an hour less than `retentionMs`: a letter ' +
      'that outlives the record of what was done would be acted on twice by a replay.',
  );
}

/** The service tries again after about 60 s: a lease must be over by then. */
function checkCallbackTimeout(ms: number, name: string): void {
  const most = 40_000;
  if (checkPositive(name, ms) <= most) return;
  throw new ConfigurationError(
    `Expected \`callbackTimeoutMs\` to be at most ${most}: the service tries again after about 60 s, ` +
      'and the lease, 15 s longer, would still turn that attempt away. Write long work to a queue, and return.',
  );
}

/** The answer to a claim and the record of a success must both come within the margin of a lease. */
function checkStoreTimeout(ms: number, name: string): void {
  const most = LEASE_MARGIN_MS / 2;
  if (checkPositive(name, ms) <= most) return;
  throw new ConfigurationError(
    `Expected \`storeTimeoutMs\` to be at most ${most}: a lease lasts 15 s longer than its callback, ` +
      'and a slow claim and a slow record could outlast it, with two callbacks at a time. Make the store faster.',
  );
}

/** @param example - what to pass, such as `PaymentsClient.fromEnv()` */
export function checkMethods(name: string, value: unknown, methods: string[], example: string): void {
  const missing = methods.find((method) => typeof Reflect.get(Object(value), method) !== 'function');
  if (missing !== undefined) {
    const which = value === undefined || value === null ? '' : ` with \`${missing}\``;
    throw new ConfigurationError(`Expected \`${name}\`${which}: \`${example}\`, for example.`);
  }
}

type ConfirmingClient = Extract<AnyOptions['confirm'], { readonly client: unknown }>;

const CONFIRM_NAMES: OptionNames<ConfirmingClient> = { client: true, acceptRefunded: true };

function resolveConfirm(confirm: WebhookHandlerOptions['confirm']) {
  if (confirm === undefined || confirm === false) return undefined;
  const { client = confirm as TransactionSource, acceptRefunded = false } =
    isObject(confirm) && 'client' in confirm
      ? readNamedOptions<ConfirmingClient>('confirm', confirm as ConfirmingClient, CONFIRM_NAMES)
      : {};
  checkMethods('confirm', client ?? {}, ['getTransaction'], 'PaymentsClient.fromEnv()');
  if (typeof acceptRefunded !== 'boolean') {
    throw new ConfigurationError('Expected `confirm.acceptRefunded` to be true or false.');
  }
  return { client, acceptRefunded };
}

const OF_ORDERS: ReadonlySet<string> = new Set(['paid', 'returned', 'foreign']);

type Callbacks = Readonly<Record<string, WebhookCallback<unknown, unknown, unknown> | 'ignore' | undefined>>;

function resolveCallbacks(on: object, kinds: readonly AnyDefinition[]): Callbacks {
  const own = kinds.map(({ kind }) => kind);
  if (new Set(own).size < own.length) {
    throw new ConfigurationError('Expected each definition in `kinds` to have a `kind` of its own.');
  }
  if (!isObject(on)) {
    throw new ConfigurationError('Expected `on` to be an object with a callback for each kind you act on.');
  }
  const known = [...documentedNames, ...own];
  for (const [kind, callback] of Object.entries(on)) {
    if (!known.includes(kind)) {
      const hint = OF_ORDERS.has(kind)
        ? '`paid`, `returned` and `foreign` are callbacks of `createOrders`. '
        : '';
      throw new ConfigurationError(
        `\`on\` has no kind \`${kind}\`. ${hint}The kinds are ${known.join(', ')}.`,
      );
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

function defaultStore(): Store {
  if (isProduction()) {
    console.warn(
      'pix-automatic-sdk: createWebhookHandler has no `store`, so duplicates are noticed by this process only. ' +
        'Pass a store of pix-automatic-sdk/stores, or `new MemoryStore()` if there is only ever one process.',
    );
  }
  return new MemoryStore();
}

/** Whether `NODE_ENV` says so, where the environment may be read. */
export function isProduction(): boolean {
  try {
    return globalThis.process?.env?.['NODE_ENV'] === 'production';
  } catch {
    // Deno throws without permission to read the environment. A warning is not worth asking for it.
    return false;
  }
}
