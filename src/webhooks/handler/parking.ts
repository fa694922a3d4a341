import { ConfigurationError, StoreError } from '../../errors';
import { isBytes, utf8 } from '../../shared/bytes';
import type { IdempotencyStore } from '../../stores/idempotency-store';
import type { ParkedNotification, ParkedQuery, ParkRequest } from '../../stores/parked';
import { checkParkedQuery } from '../../stores/store-arguments';
import type { Identity } from '../notification/notification-key';
import { DeadlineExceeded, inTime } from './deadline';

/** Which parked notifications to run again. */
export interface ReplaySelection {
  /** Only those that last failed at this time or later; a number is milliseconds since 1970. Default: all. */
  readonly since?: Date | number | undefined;
  /** How many at most, least recently failed first. Default: 100. */
  readonly limit?: number | undefined;
}

/** The members of a store that park notifications. */
export type ParkingStore = Required<Pick<IdempotencyStore, 'park' | 'parked' | 'unpark'>>;

/** The result of running a parked notification again. */
export interface ReplayResult {
  /** The idempotency key that it is parked under. */
  readonly key: string;
  /**
   * - `done`: its effect is recorded, now or before, and it is no longer parked
   * - `busy`: its subject is being acted on now, so it stays parked
   * - `failed`: it stays parked; `code` says why
   */
  readonly status: 'done' | 'busy' | 'failed';
  /** The report code that says why it is not done. */
  readonly code?: string | undefined;
}

interface ParkingLimits {
  readonly storeTimeoutMs: number;
  readonly retentionMs: number;
}

/** Parks notifications whose callback has failed. Each step of the store has its time limit. */
export class Parking {
  readonly #store: ParkingStore;
  readonly #limits: ParkingLimits;

  constructor(store: ParkingStore, limits: ParkingLimits) {
    this.#store = store;
    this.#limits = limits;
  }

  /** Parks a notification; `false` if that failed. Never rejects: the answer is 500 anyway, and the service retries. */
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

  /** Unparks a notification. Never rejects: if it stays parked although it is done, a replay finds it done. */
  async forget(key: string): Promise<void> {
    try {
      await inTime(this.#limits.storeTimeoutMs, this.#store.unpark(key));
    } catch {
      // Ignored: see above.
    }
  }

  /**
   * @throws `ConfigurationError` for an invalid time, limit or key; what the store throws; or a `StoreError` if the
   *   store takes too long
   */
  async list(which: string | ReplaySelection): Promise<readonly ParkedNotification[]> {
    const { storeTimeoutMs } = this.#limits;
    const query = checkParkedQuery(parkedQuery(which));
    try {
      return await inTime(storeTimeoutMs, this.#store.parked(query));
    } catch (error) {
      if (!(error instanceof DeadlineExceeded)) throw error;
      throw new StoreError(
        `The store did not list the parked notifications within ${storeTimeoutMs} ms. Try again.`,
      );
    }
  }
}

function parkedQuery(which: string | ReplaySelection): ParkedQuery {
  if (typeof which === 'string') return { key: which };
  // A list of keys would otherwise select everything.
  if (typeof which !== 'object' || which === null || Array.isArray(which)) {
    throw new ConfigurationError(
      'Expected `handler.replay(key)` for one notification, or `handler.replay({ since, limit })`.',
    );
  }
  const { since, limit } = which;
  return { since: since === undefined ? undefined : Number(since), limit };
}

/** Returns the body as received, or, if a parser has read it before the handler, as JSON. */
function textOf(body: unknown): string {
  if (typeof body === 'string') return body;
  if (isBytes(body)) return utf8.decode(body);
  // The merchant's parser may read large numbers as BigInt, which JSON.stringify refuses.
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
