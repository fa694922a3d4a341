import { ConfigurationError, StoreError } from '../../errors';
import type { IdempotencyStore } from '../../stores/idempotency-store';
import type { ParkedNotification, ParkedQuery, ParkRequest } from '../../stores/parked';
import { checkParkedQuery } from '../../stores/store-arguments';
import type { Identity } from '../notification/notification-key';
import { isBytes } from '../notification/parse-notification';
import { DeadlineExceeded, inTime } from './deadline';

/** Which parked notifications to run again. */
export interface ReplaySelection {
  /** Those whose last failure was then or later; a number is milliseconds since 1970. Default: all. */
  readonly since?: Date | number | undefined;
  /** How many at most, the one whose last failure is oldest first. Default: 100. */
  readonly limit?: number | undefined;
}

/** The members of a store that keep what has failed. */
export type ParkingStore = Required<Pick<IdempotencyStore, 'park' | 'parked' | 'unpark'>>;

/** What became of a parked notification that ran again. */
export interface ReplayResult {
  /** The idempotency key that it is parked under. */
  readonly key: string;
  /**
   * - `done`: its effect is recorded, now or before, and it is parked no more
   * - `busy`: somebody is acting on its subject, so that it stays parked
   * - `failed`: it stays parked; `code` says why
   */
  readonly status: 'done' | 'busy' | 'failed';
  /** The code of its report, where it is not done. */
  readonly code?: string | undefined;
}

/** @throws `ConfigurationError` for a store that cannot keep what has failed */
export function parkingOf(store: object, limits: ParkingLimits): Parking {
  const members: { readonly [Name in keyof ParkingStore]?: unknown } = store;
  for (const name of ['park', 'parked', 'unpark'] as const) {
    if (typeof members[name] !== 'function') {
      throw new ConfigurationError(
        `Expected a \`store\` with \`${name}\`, as \`park: true\` needs it. Leave \`park\` out, or use a store of this package.`,
      );
    }
  }
  return new Parking(store as ParkingStore, limits);
}

interface ParkingLimits {
  readonly storeTimeoutMs: number;
  readonly retentionMs: number;
}

/** Keeps notifications whose callback has failed, each step within the store's time. */
export class Parking {
  readonly #store: ParkingStore;
  readonly #limits: ParkingLimits;

  constructor(store: ParkingStore, limits: ParkingLimits) {
    this.#store = store;
    this.#limits = limits;
  }

  /** Whether it is kept now. Never rejects: the answer is a failure already, and the service delivers again. */
  async keep(
    kind: string,
    { key, subject, state }: Identity,
    { body, url }: { readonly body: unknown; readonly url: string },
    error: unknown,
  ): Promise<boolean> {
    const { storeTimeoutMs, retentionMs } = this.#limits;
    try {
      const entry = { key, kind, subject, state, body: textOf(body), url, ...nameAndCode(error) };
      await inTime(storeTimeoutMs, this.#store.park(entry, retentionMs));
      return true;
    } catch {
      return false;
    }
  }

  /** Never rejects: what stays parked though it is done is found to be done when it runs again. */
  async forget(key: string): Promise<void> {
    try {
      await inTime(this.#limits.storeTimeoutMs, this.#store.unpark(key));
    } catch {
      // See above.
    }
  }

  /**
   * @throws `ConfigurationError` for a time, a limit or a key that is none, what the store throws, or a `StoreError` when
   *   it takes too long
   */
  async list(which: string | ReplaySelection): Promise<readonly ParkedNotification[]> {
    const { storeTimeoutMs } = this.#limits;
    const query = checkParkedQuery(queryOf(which));
    try {
      return await inTime(storeTimeoutMs, this.#store.parked(query));
    } catch (error) {
      if (!(error instanceof DeadlineExceeded)) throw error;
      throw new StoreError(`The store did not list what is parked within ${storeTimeoutMs} ms. Try again.`);
    }
  }
}

function queryOf(which: string | ReplaySelection): ParkedQuery {
  if (typeof which === 'string') return { key: which };
  const { since, limit } = which;
  return { since: since === undefined ? undefined : Number(since), limit };
}

/** As it came, or, where a parser has read it before the handler, as it would be written. */
function textOf(body: unknown): string {
  if (typeof body === 'string') return body;
  if (isBytes(body)) return new TextDecoder().decode(body);
  // A parser of the merchant's may read large numbers as BigInt, which JSON.stringify refuses.
  return JSON.stringify(body, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

/** Never the message, which may quote personal data. */
function nameAndCode(error: unknown): Pick<ParkRequest, 'errorName' | 'errorCode'> {
  const { name, code }: { readonly name?: unknown; readonly code?: unknown } = Object(error);
  const errorName = typeof name === 'string' && name !== '' ? name : typeof error;
  const hasCode = typeof code === 'string' || typeof code === 'number';
  return { errorName: short(errorName), ...(hasCode && { errorCode: short(String(code)) }) };
}

function short(text: string): string {
  return text.slice(0, 100);
}
