import { InvalidRequestError, PaymentsError, StoreError } from '../errors';
import type { QrCode, RecurringCheckoutRequest } from '../service/operations/create-recurring-checkout';
import { newToken } from '../shared/bytes';
import { sleep } from '../shared/time';
import type { SingleRecords } from '../stores/steps';
import { toJson } from '../values/to-json';
import { type Attempt, type CallResult, nextStep, type Opening, type Step, withAttempt } from './attempt';
import { OrderBusyError, OrderConflictError } from './errors';
import { type OrderReading, readOrder, takeReference, writeOrder } from './order-records';

/** A request whose `referenceCode` is made from the order's key. */
export type OrderRequest = WithoutReference<RecurringCheckoutRequest>;

type WithoutReference<Request> = Request extends unknown ? Omit<Request, 'referenceCode'> : never;

/** The part of a `PaymentsClient` that creates a journey. */
export interface CheckoutSource {
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

/** What `open` resolves with. */
export type OpenedOrder =
  | (JourneyOfOrder & {
      /** The payer can pay it by this QR code. */
      readonly state: 'open';
      /** The transaction's uuid. */
      readonly uuid: string;
      /** The QR code to show to the payer. After the request's `maxAge` it is dead. */
      readonly qrCode: QrCode;
      /** When the journey was begun, in milliseconds since 1970, by the database's clock. */
      readonly createdAt: number;
    })
  | (JourneyOfOrder & {
      /** Its payment was acted on. */
      readonly state: 'paid';
      /** The transaction's uuid, if it is known. */
      readonly uuid?: string | undefined;
    })
  | (JourneyOfOrder & {
      /** The service says that it is paid, and does not confirm the payment. A person has to look, and to `close` it. */
      readonly state: 'review';
      /** The transaction's uuid, if it is known. */
      readonly uuid?: string | undefined;
    });

interface JourneyOfOrder {
  /** 1 for the order's first attempt. */
  readonly attempt: number;
  /** What the service knows the journey by. */
  readonly referenceCode: string;
}

/** What `open` works with. */
export interface OpenContext {
  readonly client: CheckoutSource;
  readonly records: SingleRecords;
  readonly totalTimeoutMs: number;
  readonly waitMs: number;
}

/** How long after its call's end an attempt counts as lost. */
const LEASE_MARGIN_MS = 60_000;

/** How many writes `open` makes, before its call and after it, until it pauses after each. */
const WRITES_WITHOUT_PAUSE = 5;

/** Gives the order its journey: the one there is, or one created now. */
export async function openOrder(
  { client, records, totalTimeoutMs, waitMs }: OpenContext,
  key: string,
  request: OrderRequest,
): Promise<OpenedOrder> {
  checkOrderKey('open', key);
  // What is hashed is what is sent, even if the caller changes its object meanwhile.
  const copy: OrderRequest = JSON.parse(toJson('The request of `open`', () => request));
  checkReference(copy);
  let opening: Opening = { token: newToken(), money: await hashesOfMoney(key, copy) };
  let patience = new Patience(waitMs);
  let writes = 0;
  for (;;) {
    let step: Step = { do: 'wait' };
    let failure: unknown;
    try {
      const reading = await readOrder(records, key);
      step = nextStep(reading.order.attempts, reading.now, opening);
      // Whether a write was made, and by whom, shows when the record is read again.
      if (step.do === 'change') await writeOrder(records, withAttempt(reading.order, step.attempt), reading);
      if (step.do === 'begin') await begin(records, reading, step.attempt, opening, totalTimeoutMs);
    } catch (cause) {
      step = { do: 'wait' };
      failure = cause;
    }
    const isWrite = step.do === 'change' || step.do === 'begin';
    if (isWrite) writes += 1;
    // Others may win a few times. After that, our writes are probably not visible, as when reads go to a replica.
    if (step.do === 'wait' || (isWrite && writes > WRITES_WITHOUT_PAUSE)) {
      if (!(await patience.pause())) throw notRecorded(opening, failure ?? new OrderBusyError());
    }
    if (step.do === 'give') return given(step.attempt);
    if (step.do === 'throw') throw step.error;
    if (step.do === 'conflict') throw new OrderConflictError(step.paths, step.attempt.uuid);
    if (step.do === 'send') {
      const { attempt, referenceCode } = step.attempt;
      const result = await send(client, { ...copy, referenceCode }, totalTimeoutMs);
      opening = { ...opening, sent: { attempt, result } };
      patience = new Patience(waitMs);
      writes = 0;
    }
  }
}

async function begin(
  records: SingleRecords,
  reading: OrderReading,
  attempt: number,
  { token, money }: Opening,
  totalTimeoutMs: number,
): Promise<void> {
  const { order, now } = reading;
  const referenceCode = await takeReference(records, order, attempt);
  const leaseUntil = now + totalTimeoutMs + LEASE_MARGIN_MS;
  const times = { startedAt: now, leaseUntil, changedAt: now };
  const begun = { attempt, referenceCode, state: 'sending' as const, token, money, ...times };
  await writeOrder(records, withAttempt(order, begun), reading);
}

/** Never throws: what came of the call is recorded first. */
async function send(
  client: CheckoutSource,
  request: RecurringCheckoutRequest,
  totalTimeoutMs: number,
): Promise<CallResult> {
  try {
    const { response } = await client.createRecurringCheckout(request, { totalTimeoutMs });
    return { uuid: response.uuid, qrCode: response.instructions.qrCode };
  } catch (error) {
    const { outcome, uuid } = error instanceof PaymentsError ? { uuid: undefined, ...fieldsOf(error) } : {};
    const refused = outcome === 'refused' || outcome === 'not-sent';
    return { error, refused, uuid: typeof uuid === 'string' && uuid !== '' ? uuid : undefined };
  }
}

function fieldsOf(error: PaymentsError): { readonly outcome?: unknown; readonly uuid?: unknown } {
  return { outcome: error.outcome, uuid: 'uuid' in error ? error.uuid : undefined };
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

function given({ state, attempt, referenceCode, uuid, qrCode, startedAt }: Attempt): OpenedOrder {
  if (state === 'paid' || state === 'review') return { state, attempt, referenceCode, uuid };
  if (uuid === undefined || qrCode === undefined) {
    throw new StoreError(
      'An attempt is recorded as created, without a uuid or a QR code. Something else wrote there.',
    );
  }
  return { state: 'open', attempt, referenceCode, uuid, qrCode, createdAt: startedAt };
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

const MAX_ORDER_KEY_LENGTH = 200;

/** @throws `InvalidRequestError` for a key that a database would refuse, or not tell from another one */
export function checkOrderKey(call: string, key: string): void {
  const isKey =
    typeof key === 'string' &&
    key.length <= MAX_ORDER_KEY_LENGTH &&
    /^[^\p{C}]+$/u.test(key) &&
    key.trim() === key;
  if (isKey) return;
  const expected =
    `a text of 1 to ${MAX_ORDER_KEY_LENGTH} characters, ` +
    'without control characters, and without spaces at its ends';
  const message =
    typeof key === 'string'
      ? `expected ${expected}`
      : `expected a text, got ${key === null ? 'null' : `a ${typeof key}`}: ${expected}`;
  throw new InvalidRequestError(`The call of ${call}`, [{ path: ['orderKey'], message }]);
}

/** A `referenceCode` would be replaced in silence by one that is made from the key. */
function checkReference(request: object): void {
  const { referenceCode } = request as { readonly referenceCode?: unknown };
  if (referenceCode === undefined || referenceCode === null) return;
  const message =
    'expected none: `orderKey`, the first argument, becomes the reference. Is this your key of the order?';
  throw new InvalidRequestError('The call of open', [{ path: ['referenceCode'], message }]);
}

/**
 * The hash of each field that is about money, by its path. With the order's key in it, because the same amount of two
 * orders should not look alike.
 */
async function hashesOfMoney(key: string, request: OrderRequest): Promise<Record<string, string>> {
  const { currency, amount, recurrence } = request;
  const fields = {
    currency,
    amount,
    'recurrence.immediatePayment': recurrence?.immediatePayment,
    'recurrence.amount.recurrenceAmount': recurrence?.amount?.recurrenceAmount,
    'recurrence.calendar.periodicity': recurrence?.calendar?.periodicity,
  };
  const hashes = Object.entries(fields).map(async ([path, value]): Promise<[string, string]> => {
    const text = JSON.stringify([key, path, value ?? null]);
    const digest = await globalThis.crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
    return [
      path,
      [...new Uint8Array(digest, 0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
    ];
  });
  return Object.fromEntries(await Promise.all(hashes));
}
