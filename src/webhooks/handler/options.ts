import { ConfigurationError } from '../../errors';
import type { Credentials } from '../../schemas/credentials';
import { type EncodedPair, encodeCredentials } from '../authorization';
import { type AnyDefinition, type DefinedNotification, defineNotification } from '../define-notification';
import type { IdempotencyStore } from '../idempotency-store';
import { MemoryStore } from '../memory-store';
import type { DocumentedNotification, UnrecognizedNotification } from '../notification';
import { checkDuration } from '../store-arguments';
import { type Parking, parkingOf } from './parking';
import { logReport, type WebhookReport } from './report';
import type { RequestHead } from './request';

/** What a callback learns beside the notification. */
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
  /** Fires when `callbackTimeoutMs` is over. What you do after that may be done again by somebody else. */
  readonly signal: AbortSignal;
  /** Grows with each claim of the subject: a write guarded by it refuses a former owner's. */
  readonly fence: number;
  /** The transaction to write in, with a store in transactional mode. It commits when the callback resolves. */
  readonly transaction: Transaction;
}

/**
 * Acts on a notification. The service is answered 200 once the returned promise has resolved and that is recorded;
 * when it rejects, 500, and the notification comes again.
 */
export type WebhookCallback<Given, Transaction> = (
  notification: Given,
  context: WebhookContext<Transaction>,
) => void | Promise<void>;

/**
 * Callbacks by kind. `'ignore'` answers 200 and does nothing; a kind that is left out does so too, and is reported. An
 * `undefined` is refused: nobody could tell whether the kind was left out on purpose.
 */
export type WebhookCallbacks<Kinds extends readonly AnyDefinition[], Transaction> = {
  readonly [Kind in DocumentedKind]?:
    | WebhookCallback<OfKind<DocumentedNotification | UnrecognizedNotification, Kind>, Transaction>
    | 'ignore';
} & {
  readonly [Kind in Kinds[number]['kind']]?: OwnCallback<OfKind<Kinds[number], Kind>, Transaction>;
};

type OfKind<All, Kind extends string> = Extract<All, { readonly kind: Kind }>;

type DocumentedKind = (DocumentedNotification | UnrecognizedNotification)['kind'];

// While TypeScript infers `Kinds` it asks for the callbacks of the documented kinds here, too, and must find no second
// type for them: their parameters would become `any`.
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
   * How long a callback may take, in milliseconds. Then its `signal` fires and the answer is 500. At most 45_000: its
   * lease lasts 15 s longer and must be over when the service tries again, after about 60 s (document section 6.1).
   *
   * A callback that always takes a little longer runs with each delivery, six times, and is never recorded: the report
   * says so from the second time on. Longer work belongs in a queue: let the callback return after the durable write.
   *
   * A callback that goes on after that does so alone: its subject stays held until its lease is over. With a store in
   * transactional mode its transaction is rolled back, and holds the subject until the callback ends, or for as long as
   * the store allows.
   *
   * @defaultValue 25_000
   */
  readonly callbackTimeoutMs?: number | undefined;

  /**
   * How long one step of the store may take, in milliseconds. Then the answer is 503. A claim that is answered later is
   * released. At most 7_500: the claim's answer and the record of the callback's success must both come within the 15 s
   * by which a lease outlasts its callback.
   *
   * @defaultValue 5_000
   */
  readonly storeTimeoutMs?: number | undefined;

  /**
   * How long a notification that was acted on is remembered at least, in milliseconds. When it comes again after that,
   * it is acted on again. The service itself delivers within about six minutes (document section 6.1). 30 days are for
   * what comes later by other ways: a queue in front with its dead letters, a backlog after an incident, a delivery that
   * somebody repeats by hand while the month's books are closed. An `unrecognized` notification is remembered for one
   * hour, whatever this is: without an identity, the same body may well come again on purpose.
   *
   * @defaultValue 30 days
   */
  readonly retentionMs?: number | undefined;

  /**
   * Keeps a notification whose callback threw or took too long in the store, so that a bug in a callback loses none:
   * after six deliveries the service gives up, and `handler.replay` can still run it. The answer is 500 all the same. A
   * later delivery that succeeds takes it out again, which costs one more step of the store for each success.
   *
   * What is kept is the raw body, with its personal data (names, e-mail, bank accounts), the URL with its query, and the
   * name and code of the error, never its message. It is kept for `retentionMs`, readable by whoever reads the store.
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
   * Told of everything that was not acted on, and why; that includes an `unhandled` one, which is answered 200. What it
   * throws harms nothing.
   *
   * @defaultValue logs a line with `console.error`: `code`, `kind` and `key`, the `reason` of a 401, and the name, code
   *   and message of what your callback or your database threw. Such a message is yours: if it can hold personal data,
   *   pass a function of your own
   */
  readonly onReport?: ((report: WebhookReport) => unknown) | undefined;
}

/** The handler's options, checked and with nothing left open. */
export interface ResolvedHandlerOptions {
  readonly expectedAuthorizations: readonly EncodedPair[];
  readonly callbacks: Readonly<Record<string, WebhookCallback<unknown, unknown> | 'ignore' | undefined>>;
  readonly kinds: readonly AnyDefinition[];
  readonly store: IdempotencyStore<unknown>;
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
  readonly callbackTimeoutMs: number;
  readonly storeTimeoutMs: number;
  readonly leaseMs: number;
  readonly retentionMs: number;
  /** Only when it was asked for. */
  readonly parking: Parking | undefined;
  readonly getAuthorization: (request: RequestHead) => string | null | undefined;
  readonly onReport: (report: WebhookReport) => unknown;
}

const DOCUMENTED_KINDS = ['payment', 'saleStatus', 'reversal', 'refund', 'payout', 'unrecognized'];
const MAX_CALLBACK_MS = 45_000;
/**
 * By how much a lease outlasts its callback. The lease may begin when the claim is sent, and the callback begins when it
 * is answered: so the margin holds two steps of the store, that answer and the record, and what ends in time is recorded
 * before somebody else can have the subject.
 */
const LEASE_MARGIN_MS = 15_000;
const MAX_STORE_STEP_MS = LEASE_MARGIN_MS / 2;
const MONTH_MS = 30 * 24 * 60 * 60 * 1000;

/** @throws `ConfigurationError` for the first option that cannot work */
export function resolveHandlerOptions<Kinds extends readonly AnyDefinition[], Transaction>(
  given: WebhookHandlerOptions<Kinds, Transaction>,
): ResolvedHandlerOptions {
  // Own properties alone, so that a polluted `Object.prototype` adds no option.
  const options: typeof given = Object.assign(Object.create(null), given);
  if ('onError' in options) {
    throw new ConfigurationError('`onError` is called `onReport`: it is also told of what was answered 200.');
  }
  const kinds = options.kinds ?? [];
  const callbackTimeoutMs = positive('callbackTimeoutMs', options.callbackTimeoutMs ?? 25_000);
  if (callbackTimeoutMs > MAX_CALLBACK_MS) {
    throw new ConfigurationError(
      `Expected \`callbackTimeoutMs\` to be at most ${MAX_CALLBACK_MS}: the service tries again after about 60 s, and ` +
        'the lease, 15 s longer, would still turn that attempt away. Write long work to a queue, and return.',
    );
  }
  const storeTimeoutMs = positive('storeTimeoutMs', options.storeTimeoutMs ?? 5_000);
  if (storeTimeoutMs > MAX_STORE_STEP_MS) {
    throw new ConfigurationError(
      `Expected \`storeTimeoutMs\` to be at most ${MAX_STORE_STEP_MS}: a lease lasts 15 s longer than its callback, and a ` +
        'slow claim and a slow record would outlast it, which gives two callbacks at a time. Make the store faster.',
    );
  }
  const retentionMs = checkDuration('`retentionMs`', options.retentionMs ?? MONTH_MS);
  const store = options.store ?? defaultStore();
  const park = options.park ?? false;
  if (typeof park !== 'boolean') throw new ConfigurationError('Expected `park` to be true or false.');
  return {
    expectedAuthorizations: encodeCredentials(options.credentials),
    callbacks: resolveCallbacks(options.on, kinds),
    kinds,
    store,
    maxBodyBytes: positive('maxBodyBytes', options.maxBodyBytes ?? 1024 * 1024),
    bodyTimeoutMs: positive('bodyTimeoutMs', options.bodyTimeoutMs ?? 10_000),
    callbackTimeoutMs,
    storeTimeoutMs,
    leaseMs: callbackTimeoutMs + LEASE_MARGIN_MS,
    retentionMs,
    parking: park ? parkingOf(store, { storeTimeoutMs, retentionMs }) : undefined,
    getAuthorization: options.getAuthorization ?? (({ headers }) => headers.get('authorization')),
    onReport: options.onReport ?? logReport,
  };
}

function resolveCallbacks(on: object, kinds: readonly AnyDefinition[]): ResolvedHandlerOptions['callbacks'] {
  // Again, for definitions that were not made with it.
  const own = kinds.map((definition) => defineNotification(definition).kind);
  if (new Set(own).size < own.length) {
    throw new ConfigurationError('Expected each definition in `kinds` to have a `kind` of its own.');
  }
  if (typeof on !== 'object' || on === null) {
    throw new ConfigurationError('Expected `on` to be an object with a callback for each kind you act on.');
  }
  const known = [...DOCUMENTED_KINDS, ...own];
  for (const [kind, callback] of Object.entries(on)) {
    if (!known.includes(kind)) {
      throw new ConfigurationError(`\`on\` has no kind \`${kind}\`. The kinds are ${known.join(', ')}.`);
    }
    if (callback === undefined) {
      throw new ConfigurationError(
        `\`on.${kind}\` is undefined. Leave the kind out, or say 'ignore': each such notification would be answered 200.`,
      );
    }
    if (callback !== 'ignore' && typeof callback !== 'function') {
      throw new ConfigurationError(`Expected \`on.${kind}\` to be a function or 'ignore'.`);
    }
  }
  // Without a prototype, so that no kind is found on it.
  return Object.assign(Object.create(null), on);
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
    // Deno throws for what it has no permission to read. A warning is not worth asking for one.
    return false;
  }
}

function positive(name: string, value: number): number {
  if (typeof value !== 'number' || !(value > 0) || value > 2 ** 31 - 1) {
    throw new ConfigurationError(
      `Expected \`${name}\` to be a number above 0, and not above what a timer can take.`,
    );
  }
  return value;
}
