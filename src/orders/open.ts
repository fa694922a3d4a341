import { ConfigurationError } from '../errors/configuration-error';
import { PaymentsError } from '../errors/payments-error';
import { StoreError } from '../errors/store-error';
import type { QrCode, RecurringCheckoutRequest } from '../service/operations/create-recurring-checkout';
import { newToken } from '../shared/bytes';
import { isObject, isText, nameOfType } from '../shared/objects';
import { MINUTE_MS, sleep } from '../shared/time';
import { saysNoConnection } from '../stores/driver-error';
import type { SingleRecords } from '../stores/steps';
import { type OptionNames, readNamedOptions } from '../values/option-checks';
import { toJson } from '../values/to-json';
import {
  type Attempt,
  type CallResult,
  nextStep,
  type Opening,
  type Order,
  type Return,
  type ReturnedMoney,
  type Step,
  withAttempt,
} from './attempt';
import { checkOrderKey, refusedCall } from './checks';
import { OrderBusyError, OrderConflictError } from './errors';
import { moneyOf, variableOf } from './money';
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
  | {
      /** The payer can pay it by this QR code. */
      readonly state: 'open';
      /** 1 for the order's first attempt. */
      readonly attempt: number;
      /** What the service knows the journey by. */
      readonly referenceCode: string;
      /** The transaction's uuid. */
      readonly uuid: string;
      /** The QR code to show to the payer, until `expiresAt`. */
      readonly qrCode: QrCode;
      /** When the journey was begun, in milliseconds since 1970, by the database's clock. */
      readonly createdAt: number;
      /**
       * When the QR code dies, in milliseconds since 1970, by the database's clock: the request's `maxAge` after its call was
       * begun. Missing without a `maxAge`. A minute or two after that, `open` makes a new one, unless it was paid.
       */
      readonly expiresAt?: number | undefined;
    }
  | (JourneyOfOrder & {
      /**
       * It is booked: `paid` has run. Also if all of its money has gone back, so give access by what is booked: to sell
       * again, take another order key.
       */
      readonly state: 'paid';
      /** What has gone back of it. */
      readonly returns: readonly ReturnedMoney[];
    })
  | (JourneyOfOrder & {
      /**
       * The payer has approved its recurrence, and nothing is paid yet (the service's public pages; not in its document). Show no
       * QR code: it would be a second recurrence.
       */
      readonly state: 'authorized';
      /** When it is charged next, as the service says it: `yyyy-MM-dd HH:mm:ss`, in São Paulo time. */
      readonly nextChargeAt?: string | undefined;
    })
  | (JourneyOfOrder & {
      /**
       * Its money has come, and is not booked: it is one of `orders.cases()`, or, without a transaction, is being booked now.
       * Show no QR code.
       */
      readonly state: 'review';
    });

interface JourneyOfOrder {
  /** Which attempt it is; 1 for the first. Missing if none is remembered. */
  readonly attempt?: number | undefined;
  /** What the service knows the journey by, if an attempt is remembered. */
  readonly referenceCode?: string | undefined;
  /** The transaction's uuid, if it is known. */
  readonly uuid?: string | undefined;
}

/** What `open` works with. */
export interface OpenContext {
  readonly client: CheckoutSource;
  readonly records: SingleRecords;
  readonly totalTimeoutMs: number;
  readonly waitMs: number;
  /** Asks the service whether a journey is paid; if it is, it has it booked. */
  readonly isPaid: (uuid: string) => Promise<boolean>;
}

/** Options of `orders.open`. */
export interface OpenOptions {
  /**
   * Makes a new journey if the order has one for a different amount, in place of an `OrderConflictError`. The service is asked
   * first: a paid order is never replaced. Whoever pays the old QR code all the same is a case `other_amount`.
   *
   * @defaultValue `false`
   */
  readonly replace?: boolean | undefined;
}

const NAMES: OptionNames<OpenOptions> = { replace: true };

/** How long after its call's end an attempt counts as lost. */
const LEASE_MARGIN_MS = MINUTE_MS;

/** How many writes `open` makes, before its call and after it, until it pauses after each. */
const WRITES_WITHOUT_PAUSE = 5;

/** Gives the order its journey: the one there is, or one created now. */
export async function openOrder(
  context: OpenContext,
  key: string,
  request: OrderRequest,
  options: OpenOptions,
): Promise<OpenedOrder> {
  const { client, records, totalTimeoutMs, waitMs, isPaid } = context;
  checkOrderKey('open', key);
  const { replace = false } = readNamedOptions('open', options, NAMES, 'key, request, ');
  if (typeof replace !== 'boolean') {
    throw new ConfigurationError(`Expected \`replace\` to be true or false, got ${nameOfType(replace)}.`);
  }
  if (!isObject(request)) {
    const message = `expected \`open(key, { currency, … })\`, got ${nameOfType(request)}`;
    throw refusedCall('open', 'request', message);
  }
  // What is hashed is what is sent, even if the caller changes its object meanwhile.
  const copy: OrderRequest = JSON.parse(toJson('The request of `open`', () => request));
  checkReference(copy);
  const { maxAge, currency } = copy;
  const maxAgeMs = typeof maxAge === 'number' ? maxAge * MINUTE_MS : undefined;
  let opening: Opening = { token: newToken(), money: moneyOf(key, copy), maxAgeMs, replace };
  let patience = new Patience(waitMs);
  let writes = 0;
  for (;;) {
    let step: Step = { do: 'wait' };
    let returns: readonly Return[] = [];
    let failure: unknown;
    try {
      const reading = await readOrder(records, key);
      returns = reading.order.returns;
      step = nextStep(reading.order, reading.now, opening);
      // Whether a write was made, and by whom, shows when the record is read again.
      if (step.do === 'change') await writeOrder(records, step.order, reading);
      if (step.do === 'begin') {
        const variable = variableOf(copy);
        await begin(records, reading, step, { ...opening, currency, variable, totalTimeoutMs });
      }
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
    if (step.do === 'paid') {
      return { state: 'paid', ...journeyOf(step.attempt), returns: returns.map(seenReturn) };
    }
    if (step.do === 'authorized') {
      return { state: 'authorized', ...journeyOf(step.attempt), nextChargeAt: step.nextChargeAt };
    }
    if (step.do === 'review') return { state: 'review', ...journeyOf(step.attempt) };
    if (step.do === 'throw') throw step.error;
    if (step.do === 'conflict') throw new OrderConflictError(step.paths, step.attempt?.uuid, step.state);
    if (step.do === 'full') throw new OrderBusyError('attempts');
    if (step.do === 'closed') throw closedMeanwhile(step.uuid);
    if (step.do === 'ask') {
      const { attempt, uuid } = step.attempt;
      // What it throws is thrown: while the service cannot be asked, it would create no journey either.
      opening = { ...opening, asked: { attempt, isPaid: uuid !== undefined && (await isPaid(uuid)) } };
    }
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
  { attempt, order }: { readonly attempt: number; readonly order: Order },
  more: Opening & Pick<Attempt, 'currency' | 'variable'> & { readonly totalTimeoutMs: number },
): Promise<void> {
  const { now } = reading;
  const { token, money, currency, variable, totalTimeoutMs } = more;
  const { referenceCode, lastReference } = await takeReference(records, order);
  const leaseUntil = now + totalTimeoutMs + LEASE_MARGIN_MS;
  const times = { startedAt: now, leaseUntil, changedAt: now };
  const begun = {
    attempt,
    referenceCode,
    state: 'sending' as const,
    token,
    money,
    currency,
    variable,
    ...times,
  };
  const next = withAttempt({ ...order, begunAttempts: attempt, lastReference, newest: money }, begun);
  await writeOrder(records, next, reading);
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
    const fields: { readonly outcome?: unknown; readonly uuid?: unknown } =
      error instanceof PaymentsError ? error : {};
    const { outcome, uuid } = fields;
    const refused = outcome === 'refused' || outcome === 'not-sent';
    return { error, refused, uuid: isText(uuid) ? uuid : undefined };
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

function given({ attempt, referenceCode, uuid, qrCode, startedAt, expiresAt }: Attempt): OpenedOrder {
  if (uuid === undefined || qrCode === undefined) {
    throw new StoreError(
      'An attempt is recorded as created, without a uuid or a QR code. Something else wrote there.',
    );
  }
  return { state: 'open', attempt, referenceCode, uuid, qrCode, createdAt: startedAt, expiresAt };
}

function journeyOf(attempt: Attempt | undefined): JourneyOfOrder {
  return { attempt: attempt?.attempt, referenceCode: attempt?.referenceCode, uuid: attempt?.uuid };
}

/** A return as a merchant sees it. */
export function seenReturn({ id, sale, amount, status, at }: Return): ReturnedMoney {
  return { id, sale, amount, status, at };
}

function closedMeanwhile(uuid: string): StoreError {
  return new StoreError(
    `The order was closed, or its recurrence has ended, while its journey ${uuid} was being created. Nobody sees its QR ` +
      'code. Call `open` again for a new journey, if the order is wanted after all.',
  );
}

/** What `open` throws when it gives up, because the database has failed too often or another call is at work. */
function notRecorded({ sent }: Opening, cause: unknown): unknown {
  if (sent === undefined) return saysNoConnection(cause) ? new StoreError(NO_CONNECTION, { cause }) : cause;
  if ('error' in sent.result) return sent.result.error;
  return new StoreError(
    `The journey ${sent.result.uuid} was created, and could not be made the order's; \`cause\` says why. Nobody sees ` +
      'its QR code. Call `open` again: it returns the journey that the order has by then, or makes one.',
    { cause },
  );
}

const NO_CONNECTION =
  'The pool has no connection free, so nothing was sent. If `open` is called inside a transaction, call it before or ' +
  'after: the transaction holds a connection while `open` waits for another. Else make the pool larger.';

/** A `referenceCode` would be replaced in silence by one that is made from the key. */
function checkReference(request: object): void {
  const { referenceCode } = request as { readonly referenceCode?: unknown };
  if (referenceCode === undefined || referenceCode === null) return;
  const message =
    'expected none: `orderKey`, the first argument, becomes the reference. Is this your key of the order?';
  throw refusedCall('open', 'referenceCode', message);
}
