import { ConfigurationError, InvalidRequestError, PaymentsError, StoreError, TimeoutError } from '../errors';
import { isScannable } from '../service/checks';
import type { QrCode, RecurringCheckoutRequest } from '../service/operations/create-recurring-checkout';
import { newToken } from '../shared/bytes';
import { ownOptions } from '../shared/objects';
import { LONGEST_TIMER_MS, sleep, TIMED_OUT, within } from '../shared/time';
import { checkDuration, checkFunction } from '../values/option-checks';
import { toJson } from '../values/to-json';
import { JourneyBusyError, JourneyConflictError } from './errors';
import type { JourneyRecord, JourneyRecords, JourneyState } from './journey-records';
import { afterLookUp, type CallResult, type Change, nextStep, type Opening, type Step } from './next-step';

/** A request whose `referenceCode` the journal makes from the order's key. */
export type JourneyRequest = WithoutReference<RecurringCheckoutRequest>;

type WithoutReference<Request> = Request extends unknown ? Omit<Request, 'referenceCode'> : never;

/** The part of a `PaymentsClient` that the journal uses. */
export interface JourneyClient {
  /** As `PaymentsClient` has it: an error says by its `outcome` whether there may be a journey. */
  createRecurringCheckout(
    request: RecurringCheckoutRequest,
    options: { readonly totalTimeoutMs: number },
  ): PromiseLike<{
    /** The journey. */
    readonly response: {
      /** The transaction's uuid. */
      readonly uuid: string;
      /** What the payer needs. */
      readonly instructions: {
        /** The QR code to show. */
        readonly qrCode: QrCode;
      };
    };
  }>;
}

/** What a journal works with. */
export interface JourneyJournalOptions {
  /** Your `PaymentsClient`. */
  readonly client: JourneyClient;
  /** Where the attempts are kept: `SqlJourneyRecords`, or `MemoryJourneyRecords` in tests. */
  readonly records: JourneyRecords;

  /**
   * Asks the service for the journey of a reference, if it has a call for that (the document shows none). Asked about
   * each lost attempt before a new one is made. `undefined` changes nothing: the journey may still come into being. What
   * it throws is thrown by `open`, and nothing is sent. One `open` waits for it for `totalTimeoutMs` in all, then throws a
   * `TimeoutError`.
   */
  readonly lookUp?:
    | ((referenceCode: string) => PromiseLike<
        | {
            /** The transaction's uuid. */
            readonly uuid: string;
            /** Its QR code, if the service gives it again. */
            readonly qrCode?: QrCode | undefined;
          }
        | undefined
      >)
    | undefined;

  /**
   * How long a call may take at most, in milliseconds, with all its attempts. A minute after that, an attempt that has
   * not ended counts as lost.
   *
   * @defaultValue 90_000
   */
  readonly totalTimeoutMs?: number | undefined;

  /**
   * How long `open` waits for another `open` of the same order, in milliseconds, before a `JourneyBusyError`. For as long
   * it tries again when the database fails, before its call and once more after it.
   *
   * @defaultValue 10_000
   */
  readonly waitMs?: number | undefined;
}

/** The journey of an order. */
export interface Journey {
  /** Your key of the order. */
  readonly orderKey: string;
  /** 1 for the order's first attempt. */
  readonly attempt: number;
  /** What the service knows the journey by. */
  readonly referenceCode: string;
  /** The transaction's uuid. */
  readonly uuid: string;
  /** The QR code to show to the payer. */
  readonly qrCode: QrCode;
}

/** Whose notification it is. */
export interface JourneyAttempt {
  /** Your key of the order. */
  readonly orderKey: string;
  /** 1 for the order's first attempt. */
  readonly attempt: number;
  /** What the service knows the attempt by. */
  readonly referenceCode: string;
  /** What became of the attempt. Show a payment of any but `'created'` and `'closed'` to a person. */
  readonly state: JourneyState;
  /** The transaction's uuid, if it is known. */
  readonly uuid?: string | undefined;
}

/** How long after its call's end an attempt counts as lost. */
const LEASE_MARGIN_MS = 60_000;

/** How many writes `open` makes, before its call and after it, until it pauses after each. */
const WRITES_WITHOUT_PAUSE = 5;

const MAX_ORDER_KEY_LENGTH = 200;

/**
 * Gives each order one journey. A double click, a job that runs again, two processes, a crash between the call and your
 * `UPDATE`: the service's document shows no idempotency keys, so each of these can give an order two journeys. The journal records
 * what it is about to do before it does it, and never shows two QR codes for one order.
 *
 * ```ts
 * const journal = new JourneyJournal({ client, records });
 * const { uuid, qrCode } = await journal.open('order-1001', request);
 * ```
 */
export class JourneyJournal {
  readonly #client: JourneyClient;
  readonly #records: JourneyRecords;
  readonly #lookUp: JourneyJournalOptions['lookUp'];
  readonly #totalTimeoutMs: number;
  readonly #waitMs: number;

  /** @throws `ConfigurationError` for an option that cannot work */
  constructor(options: JourneyJournalOptions) {
    const { client, records, lookUp, totalTimeoutMs, waitMs } = ownOptions(options);
    checkFunction('client.createRecurringCheckout', client?.createRecurringCheckout, 'a PaymentsClient');
    checkFunction('records.read', records?.read, 'SqlJourneyRecords or MemoryJourneyRecords');
    if (lookUp !== undefined) checkFunction('lookUp', lookUp, 'async (referenceCode) => ({ uuid, qrCode })');
    this.#client = client;
    this.#records = records;
    this.#lookUp = lookUp;
    this.#totalTimeoutMs = checkDuration('totalTimeoutMs', totalTimeoutMs ?? 90_000, LONGEST_TIMER_MS);
    this.#waitMs = checkDuration('waitMs', waitMs ?? 10_000, LONGEST_TIMER_MS);
  }

  /**
   * Resolves with the order's journey: the one there is, or one created now.
   *
   * The intent is recorded before anything is sent, and the journey before it is returned, so call it outside any
   * transaction. While another call is creating the journey, this one waits for it.
   *
   * @param orderKey - your key of the order, of up to 200 characters; the first attempt's `referenceCode`
   * @param request - the request, without `referenceCode`
   * @throws `InvalidRequestError` for an order key or a request that cannot be recorded; nothing was sent
   * @throws `JourneyBusyError` if another call has not ended within `waitMs`; nothing was sent
   * @throws `JourneyConflictError` if the order has a journey over other money; nothing was sent
   * @throws the error of `createRecurringCheckout`. The next `open` makes a new attempt: nobody has seen a QR code
   * @throws `StoreError` if the journey was created and could not be recorded; nobody sees it
   */
  async open(orderKey: string, request: JourneyRequest): Promise<Journey> {
    checkOrderKey(orderKey);
    // What is hashed is what is sent, even if the caller changes its object meanwhile.
    const copy: JourneyRequest = JSON.parse(toJson('The request of `open`', () => request));
    const lookUpUntil = performance.now() + this.#totalTimeoutMs;
    const lookedUp = new Set<number>();
    let opening: Opening = {
      token: newToken(),
      money: await hashesOfMoney(orderKey, copy),
      canLookUp: ({ attempt }) => this.#lookUp !== undefined && !lookedUp.has(attempt),
    };
    let patience = new Patience(this.#waitMs);
    let writes = 0;
    for (;;) {
      let step: Step = { do: 'wait' };
      let failure: unknown;
      try {
        const { now, attempts } = await this.#records.read(orderKey);
        step = nextStep(attempts, now, opening);
        if (step.do === 'change') await this.#change(step.attempt, step.to, now);
        if (step.do === 'begin') await this.#begin(orderKey, step.attempt, opening, now);
      } catch (cause) {
        // The write may have been made although its answer was lost: read again, and decide from what is there.
        step = { do: 'wait' };
        failure = cause;
      }
      const isWrite = step.do === 'change' || step.do === 'begin';
      if (isWrite) writes += 1;
      // Others may win a few times. After that, our writes are probably not visible, as when `query` reads a replica.
      if (step.do === 'wait' || (isWrite && writes > WRITES_WITHOUT_PAUSE)) {
        const hasTime = await patience.pause();
        if (!hasTime) throw notRecorded(opening, failure ?? new JourneyBusyError());
      }
      if (step.do === 'show') return journeyOf(step.attempt);
      if (step.do === 'throw') throw step.error;
      if (step.do === 'conflict') throw new JourneyConflictError(step.paths, step.attempt.uuid);
      if (step.do === 'send') {
        const { attempt, referenceCode } = step.attempt;
        opening = { ...opening, sent: { attempt, result: await this.#send({ ...copy, referenceCode }) } };
        patience = new Patience(this.#waitMs);
        writes = 0;
      }
      if (step.do === 'look-up') {
        lookedUp.add(step.attempt.attempt);
        await this.#askService(step.attempt, opening, lookUpUntil - performance.now());
      }
    }
  }

  /**
   * Whose notification is this? `undefined` if no attempt is known by it. With both, the uuid decides, and the reference
   * where no attempt has that uuid: those of a lost attempt, and of a later charge, are not known.
   */
  async find(
    by:
      | { readonly uuid: string; readonly referenceCode?: string | null | undefined }
      | { readonly referenceCode: string },
  ): Promise<JourneyAttempt | undefined> {
    const { uuid, referenceCode } = { uuid: undefined, ...by };
    if (!isText(uuid) && !isText(referenceCode)) {
      throw new ConfigurationError('Expected `find({ uuid })`, `find({ referenceCode })` or both.');
    }
    const found =
      (isText(uuid) ? await this.#records.find({ uuid }) : undefined) ??
      (isText(referenceCode) ? await this.#records.find({ referenceCode }) : undefined);
    if (found === undefined) return undefined;
    const { orderKey, attempt, state } = found;
    return { orderKey, attempt, referenceCode: found.referenceCode, state, uuid: found.uuid };
  }

  /**
   * Says that the order's journey can no longer be paid, so that the next `open` makes a new one. Does nothing if the
   * order has no journey. **Be sure of it**: a payer may be looking at the QR code.
   *
   * @param options - `uuid`: closes this journey only, so that a job that runs twice does not close the next one
   */
  async close(orderKey: string, { uuid }: { readonly uuid?: string | undefined } = {}): Promise<void> {
    checkOrderKey(orderKey);
    const { now, attempts } = await this.#records.read(orderKey);
    const created = attempts.find(({ state }) => state === 'created');
    if (created === undefined || (uuid !== undefined && created.uuid !== uuid)) return;
    // If this changes nothing, another call has closed it: a created attempt can only become closed.
    await this.#change(created, { ...created, state: 'closed' }, now);
  }

  async #begin(orderKey: string, attempt: number, { token, money }: Opening, now: number): Promise<void> {
    const referenceCode = await this.#freeReference(orderKey, attempt);
    const leaseUntil = now + this.#totalTimeoutMs + LEASE_MARGIN_MS;
    const times = { startedAt: now, leaseUntil, changedAt: now };
    await this.#records.insert({
      orderKey,
      attempt,
      referenceCode,
      state: 'sending',
      token,
      money,
      ...times,
    });
  }

  /** The order's key, or the next free of `<key>-2`, `-3`, …: another order's key may be one of these. */
  async #freeReference(orderKey: string, attempt: number): Promise<string> {
    for (let count = attempt; ; count += 1) {
      const referenceCode = count === 1 ? orderKey : `${orderKey}-${count}`;
      if ((await this.#records.find({ referenceCode })) === undefined) return referenceCode;
    }
  }

  async #change(attempt: JourneyRecord, to: Change, now: number): Promise<void> {
    const { state, uuid = attempt.uuid, qrCode = attempt.qrCode } = to;
    const changed = { ...attempt, state, uuid, qrCode, token: newToken(), changedAt: now };
    await this.#records.update(changed, attempt.token);
  }

  /** Never throws: what came of the call is recorded first. */
  async #send(request: RecurringCheckoutRequest): Promise<CallResult> {
    try {
      const { response } = await this.#client.createRecurringCheckout(request, {
        totalTimeoutMs: this.#totalTimeoutMs,
      });
      return { uuid: response.uuid, qrCode: response.instructions.qrCode };
    } catch (error) {
      const outcome = error instanceof PaymentsError ? error.outcome : undefined;
      const uuid = error instanceof PaymentsError && 'uuid' in error ? error.uuid : undefined;
      const refused = outcome === 'refused' || outcome === 'not-sent';
      return { error, refused, uuid: isText(uuid) ? uuid : undefined };
    }
  }

  async #askService(attempt: JourneyRecord, opening: Opening, withinMs: number): Promise<void> {
    const found = await within(withinMs, Promise.resolve(this.#lookUp?.(attempt.referenceCode)));
    if (found === TIMED_OUT) {
      throw new TimeoutError(
        `\`lookUp\` did not answer within totalTimeoutMs (${this.#totalTimeoutMs} ms), so it is not known whether the ` +
          'order has a journey, and nothing was sent. Check why the look-up hangs, then call `open` again.',
        { operation: 'createRecurringCheckout', attempts: 0, outcome: 'not-sent' },
      );
    }
    if (found === undefined || found === null) return;
    if (!isText(found.uuid)) {
      throw new ConfigurationError('Expected `lookUp` to resolve with { uuid, qrCode? } or undefined.');
    }
    const qrCode = found.qrCode && isScannable(found.qrCode) ? found.qrCode : undefined;
    const { now } = await this.#records.read(attempt.orderKey);
    await this.#change(attempt, afterLookUp(attempt, { uuid: found.uuid, qrCode }, opening), now);
  }
}

/** How long one `open` waits for another, and for a database that fails. */
class Patience {
  readonly #until: number;
  #pauseMs = 50;

  constructor(waitMs: number) {
    this.#until = performance.now() + waitMs;
  }

  /** Waits a moment, if there is time left; else gives `false`. */
  async pause(): Promise<boolean> {
    const leftMs = this.#until - performance.now();
    if (leftMs <= 0) return false;
    await sleep(Math.min(this.#pauseMs, leftMs));
    this.#pauseMs = Math.min(2 * this.#pauseMs, 1_000);
    return true;
  }
}

function journeyOf({ orderKey, attempt, referenceCode, uuid, qrCode }: JourneyRecord): Journey {
  if (uuid === undefined || qrCode === undefined) {
    throw new StoreError(
      'An attempt is recorded as created, without a uuid or a QR code. Something else wrote there.',
    );
  }
  return { orderKey, attempt, referenceCode, uuid, qrCode };
}

/** What `open` throws when it gives up, because the database has failed too often or another call is at work. */
function notRecorded({ sent }: Opening, cause: unknown): unknown {
  if (sent === undefined) return cause;
  if ('error' in sent.result) return sent.result.error;
  return new StoreError(
    `The journey ${sent.result.uuid} was created, and could not be made the order's; \`cause\` says why. Nobody sees ` +
      'its QR code. Call `open` again: it returns the journey that the order has by then, or makes one.',
    { cause },
  );
}

/** @throws `InvalidRequestError` for a key that a database would refuse, or not tell from another one */
function checkOrderKey(orderKey: string): void {
  const isKey =
    typeof orderKey === 'string' &&
    orderKey.length <= MAX_ORDER_KEY_LENGTH &&
    /^[^\p{C}]+$/u.test(orderKey) &&
    orderKey.trim() === orderKey;
  if (isKey) return;
  const message =
    `expected a text of 1 to ${MAX_ORDER_KEY_LENGTH} characters, ` +
    'without control characters, and without spaces at its ends';
  throw new InvalidRequestError('The call of open', [{ path: ['orderKey'], message }]);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/**
 * The hash of each field that is about money, by its path. With the order's key in it, because the same amount of two
 * orders should not look alike.
 */
async function hashesOfMoney(orderKey: string, request: JourneyRequest): Promise<Record<string, string>> {
  const { currency, amount, recurrence } = request;
  const fields = {
    currency,
    amount,
    'recurrence.amount.recurrenceAmount': recurrence?.amount?.recurrenceAmount,
    'recurrence.calendar.periodicity': recurrence?.calendar?.periodicity,
  };
  const hashes = Object.entries(fields).map(async ([path, value]): Promise<[string, string]> => {
    const text = JSON.stringify([orderKey, path, value ?? null]);
    const digest = await globalThis.crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
    return [
      path,
      [...new Uint8Array(digest, 0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
    ];
  });
  return Object.fromEntries(await Promise.all(hashes));
}
