import { ConfigurationError } from '../../errors';
import { documentedNames } from '../../service/kinds';
import { ownOptions } from '../../shared/objects';
import type { IdempotencyStore } from '../../stores/idempotency-store';
import { MemoryStore } from '../../stores/memory-store';
import { checkDuration, checkFunction, checkPositive } from '../../values/option-checks';
import { type EncodedPair, encodeCredentials } from '../authorization';
import { type AnyDefinition, checkKinds } from '../notification/define-notification';
import type { WebhookCallback, WebhookHandlerOptions } from './options';
import { Parking, type ParkingStore } from './parking';
import { logReport, type WebhookReport } from './report';
import type { RequestHead } from './request';

/** The handler's options, checked and with their defaults. */
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
  /** Only with `park: true`. */
  readonly parking: Parking | undefined;
  readonly getAuthorization: (request: RequestHead) => string | null | undefined;
  readonly onReport: (report: WebhookReport) => unknown;
}

const MAX_CALLBACK_MS = 45_000;
/**
 * By how much a lease outlasts its callback. The lease may begin when the claim is sent, but the callback begins when
 * the claim is answered. So the margin covers two steps of the store, that answer and the record: a callback that ends
 * in time is recorded before another claim can take the subject.
 */
const LEASE_MARGIN_MS = 15_000;
const MAX_STORE_STEP_MS = LEASE_MARGIN_MS / 2;
const MONTH_MS = 30 * 24 * 60 * 60 * 1000;

/** @throws `ConfigurationError` for the first option that cannot work */
export function resolveHandlerOptions<Kinds extends readonly AnyDefinition[], Transaction>(
  given: WebhookHandlerOptions<Kinds, Transaction>,
): ResolvedHandlerOptions {
  if (typeof given !== 'object' || given === null) {
    throw new ConfigurationError(
      'Expected `createWebhookHandler({ credentials, on: { payment: … } })`. ' +
        '`credentialsFromEnv()` reads the credentials from the environment.',
    );
  }
  const options = ownOptions(given);
  if ('onError' in options) {
    throw new ConfigurationError('`onError` is called `onReport`: it is also told of what was answered 200.');
  }
  const kinds = options.kinds ?? [];
  checkKinds(kinds);
  const getAuthorization = options.getAuthorization ?? (({ headers }) => headers.get('authorization'));
  checkFunction('getAuthorization', getAuthorization, "({ headers }) => headers.get('x-auth')");
  const onReport = options.onReport ?? logReport;
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
  const store = options.store ?? defaultStore();
  checkStore(
    store,
    // All that the handler calls: a store that works in transactions claims and completes in them.
    store.transact === undefined ? ['claim', 'complete', 'release'] : ['transact'],
    'Pass a store, such as `new RedisStore(redis)`, instead of the client that it uses.',
  );
  const park = options.park ?? false;
  if (typeof park !== 'boolean') throw new ConfigurationError('Expected `park` to be true or false.');
  if (park) {
    checkStore(
      store,
      ['park', 'parked', 'unpark'],
      '`park: true` needs it: leave `park` out, or use a store of this package.',
    );
  }
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
    retentionMs,
    parking: park ? new Parking(store as ParkingStore, { storeTimeoutMs, retentionMs }) : undefined,
    getAuthorization,
    onReport,
  };
}

function checkStore(
  store: IdempotencyStore,
  steps: readonly (keyof IdempotencyStore)[],
  wayOut: string,
): void {
  const missing = steps.find((step) => typeof store[step] !== 'function');
  if (missing !== undefined) {
    throw new ConfigurationError(`Expected a \`store\` with \`${missing}\`. ${wayOut}`);
  }
}

function resolveCallbacks(on: object, kinds: readonly AnyDefinition[]): ResolvedHandlerOptions['callbacks'] {
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
    // Deno throws without permission to read the environment. A warning is not worth asking for it.
    return false;
  }
}
