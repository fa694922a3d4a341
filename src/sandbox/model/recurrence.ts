import { addMonths, dueDay, isPeriodicity, readDay, writeDay } from '../../pix/pix-calendar';
import type { RecurrenceEventType, RecurrencePayload } from '../../service/notifications/recurrence';
import type { OptionNames } from '../../values/option-checks';
import { text } from '../text';
import { assertPayload, assertPositive, findJourney, today } from './checks';
import {
  dateTime,
  happened,
  queryFlags,
  type RecurrenceEnd,
  SandboxError,
  type SandboxScheduledPayment,
  type ServiceState,
  type TransactionRecord,
} from './records';
import { saleNotification } from './sale-notification';

// The life of a recurrence: the service's public pages show it, and its document does not.

/** A recurrence, as the sandbox lists it with its journey (the service's public pages; not in its document). */
export interface SandboxRecurrence {
  /** Identifies it: in its events, and for `pix-automatic-sdk/recurrence`. */
  readonly idRec: string;
  /** `CREATED` until the payer decides. */
  readonly status: TransactionRecord['recurrence'];
  /** When the next charge is due, `yyyy-MM-dd`. Missing once there is none. */
  readonly nextDueDate?: string | undefined;
}

export function describeRecurrence(journey: TransactionRecord): SandboxRecurrence {
  return { idRec: idRecOf(journey), status: journey.recurrence, nextDueDate: nextDueDate(journey) };
}

/** `RR` and 27 digits. From the uuid: an id that counts up would come again once the sandbox was started anew. */
export function idRecOf({ uuid }: Pick<TransactionRecord, 'uuid'>): string {
  return `RR${digitsOf(uuid, 27)}`;
}

/** That many digits of a uuid. */
export function digitsOf(uuid: string, count: number): string {
  return String(BigInt(`0x${uuid.replaceAll('-', '')}`))
    .padStart(count, '0')
    .slice(-count);
}

/** Whether a payer has accepted it and nothing is paid yet: so it is, for long, without an immediate payment alone. */
export function isAuthorized({
  situation,
  recurrence,
}: Pick<TransactionRecord, 'situation' | 'recurrence'>): boolean {
  return situation === 'PENDING' && recurrence === 'APPROVED';
}

// The calendar

const isScheduled = ({ status }: SandboxScheduledPayment): boolean => status === 'SCHEDULED';

/**
 * Schedules that many more payments: from the journey's first date, by its periodicity, up to its last date. Default: from a
 * month after today, and monthly where the periodicity is unknown.
 */
function addScheduledPayments(state: ServiceState, journey: TransactionRecord, count: number): void {
  const { scheduledPayments, uuid, recurrenceAmount: amount } = journey;
  const all = scheduledPayments.length + count;
  while (scheduledPayments.length < all) {
    const dueDate = dueDateAt(journey, scheduledPayments.length, addMonths(today(state), 1));
    if (dueDate === undefined) return;
    const payment: SandboxScheduledPayment = {
      id: state.scheduledPayments.size + 1,
      instructionId: state.ids.uuid(),
      transactionUUID: uuid,
      dueDate,
      creation: dateTime(state, state.now()),
      amount,
      status: 'SCHEDULED',
      tries: [],
    };
    scheduledPayments.push(payment);
    state.scheduledPayments.set(payment.instructionId, payment);
  }
}

/** The day of a cycle, counted from 0. `undefined` after the last date. */
function dueDateAt(journey: TransactionRecord, cycle: number, start: number): string | undefined {
  const { scheduledPayments, initialDate, finalDate } = journey;
  const first = readDay(scheduledPayments[0]?.dueDate ?? initialDate) ?? start;
  const periodicity = isPeriodicity(journey.periodicity) ? journey.periodicity : 'MONTHLY';
  const dueDate = writeDay(dueDay(first, periodicity, cycle));
  return finalDate !== undefined && dueDate > finalDate ? undefined : dueDate;
}

/** Of the next scheduled payment, or of the cycle after the last one. */
export function nextDueDate(journey: TransactionRecord): string | undefined {
  const { scheduledPayments, recurrence } = journey;
  if (recurrence !== 'APPROVED') return undefined;
  const next = scheduledPayments.find(isScheduled);
  return next?.dueDate ?? dueDateAt(journey, scheduledPayments.length, 0);
}

// Events

/** Which events a recurrence has sent, by the row `recurrenceEvents`. */
function sends({ inventions: { recurrenceEvents } }: ServiceState, form: 'events' | 'payments'): boolean {
  return recurrenceEvents === form || recurrenceEvents === 'both';
}

/** What an event tells of a charge. */
type ToldCharge = Pick<
  RecurrencePayload,
  | 'saleToken'
  | 'chargeAmount'
  | 'chargeDueDate'
  | 'chargeStatus'
  | 'rejectionCode'
  | 'rejectionReason'
  | 'retryScheduled'
>;

/** Sends an event, where the row `recurrenceEvents` says so. @param eventDate - `yyyy-MM-dd HH:mm:ss`, default: now */
function tell(
  state: ServiceState,
  journey: TransactionRecord,
  eventType: RecurrenceEventType,
  charge: ToldCharge = {},
  eventDate = dateTime(state, state.now()),
): void {
  if (!sends(state, 'events')) return;
  const { inventions } = state;
  const { recurrence, shopper, planId = inventions.recurrencePlan.id } = journey;
  const payload: RecurrencePayload = {
    eventType,
    idRec: idRecOf(journey),
    externalId: journey.referenceCode,
    planId,
    contractId: planId,
    contractDescription: inventions.recurrencePlan.description,
    status: recurrence,
    periodicity: journey.periodicity ?? 'MONTHLY',
    valueType: journey.isVariable ? 'VARIABLE' : 'FIXED',
    amount: journey.recurrenceAmount,
    payerDocument: shopper.document?.number,
    payerName: shopper.name,
    initialDate: dayTime(state, journey.initialDate ?? journey.scheduledPayments[0]?.dueDate),
    finalDate: dayTime(state, journey.finalDate) ?? null,
    nextRecurrenceDate: dayTime(state, nextDueDate(journey)),
    eventDate,
    ...charge,
  };
  state.notify({ kind: 'recurrence', query: queryFlags.recurrence, payload, transactionUUID: journey.uuid });
}

/** A day as events write it. */
function dayTime({ inventions }: ServiceState, day: string | undefined): string | undefined {
  return day && `${day} ${inventions.dueTime}`;
}

// The payer's decision, and the end

/** The payer accepts the recurrence: it can be charged. Its first payments are scheduled. */
export function approve(state: ServiceState, journey: TransactionRecord): void {
  assertOpen(journey);
  journey.recurrence = 'APPROVED';
  addScheduledPayments(state, journey, state.inventions.scheduledPayments);
}

export function tellApproved(state: ServiceState, journey: TransactionRecord): void {
  tell(state, journey, 'RECURRENCE_AUTHORIZED');
}

/** @throws `SandboxError` where the payer has decided already */
function assertOpen({ recurrence }: TransactionRecord): void {
  if (recurrence === 'CREATED') return;
  throw new SandboxError(
    'not-allowed',
    ...(recurrence === 'APPROVED'
      ? text('refused.authorized')
      : text('refused.ended', { status: recurrence })),
  );
}

/**
 * Ends a recurrence: nothing more is charged.
 *
 * @throws `SandboxError` where it has ended, or for an end that cannot come before or after the payer has accepted it
 */
export function endRecurrence(
  state: ServiceState,
  uuid: string,
  end: RecurrenceEnd,
  reason?: string,
): TransactionRecord {
  const journey = findJourney(state, uuid);
  if (end === 'REJECTED' || end === 'EXPIRED') assertOpen(journey);
  else assertApproved(journey);
  journey.recurrence = end;
  for (const payment of journey.scheduledPayments.filter(isScheduled)) payment.status = 'CANCELLED';
  happened(state, journey, `recurrence-${end}`, { detail: reason });
  tell(state, journey, `RECURRENCE_${end}`);
  return journey;
}

/** @throws `SandboxError` where the payer has not accepted it, or it has ended */
function assertApproved({ situation, recurrence }: TransactionRecord): void {
  if (recurrence === 'APPROVED') return;
  throw new SandboxError(
    'not-allowed',
    ...(recurrence === 'CREATED'
      ? text('refused.uncharged', { situation })
      : text('refused.ended', { status: recurrence })),
  );
}

// Charges

/** The codes of the central bank that a charge fails with on the service's public pages. */
export const chargeFailureCodes = [
  'AM04',
  'AC06',
  'AC01',
  'AC03',
  'MD01',
  'SL02',
  'AG03',
  'AB09',
  'SLCR',
  'AM09',
  'AM02',
] as const;

/** How a recurrence is charged. */
export interface ChargeOptions {
  /** In the currency's main unit. Default: the recurrence's amount. */
  amount?: number | undefined;
  /** Lets it fail, with this code of the central bank. Default: it is paid. */
  fails?: (typeof chargeFailureCodes)[number] | undefined;
  /** Of one that fails: the service tries again by itself, three times at most. The next charge is that try. */
  willRetry?: boolean | undefined;
}

export const CHARGE_OPTIONS: OptionNames<ChargeOptions> = { amount: true, fails: true, willRetry: true };

/** How a recurrence is charged in a test of orders. */
export interface TestChargeOptions extends ChargeOptions {
  /**
   * What is sent of a charge that is paid, in place of what `recurrenceEvents` says: a payment with a `saleToken` of its own,
   * one with that of the first payment, or the body that your function makes of the charge.
   */
  as?: 'own-sale' | 'same-sale' | ((charge: ChargedSale) => object) | undefined;
}

/** A charge, for a body of the service's own. */
export interface ChargedSale {
  /** The uuid of its transaction, which `getTransaction` knows. */
  readonly sale: string;
  /** The reference of the journey. */
  readonly referenceCode: string;
  /** In the currency's main unit. */
  readonly amount: number;
  /** ISO 4217 code. */
  readonly currency: string;
  /** `yyyy-MM-dd HH:mm:ss`. */
  readonly date: string;
}

/** As the service's public pages say of a plan with retries. */
const MAX_RETRIES = 3;

/**
 * Charges the next payment of the calendar: it is scheduled at the payer's bank, then paid, or it fails. One that failed with a
 * retry is the next one again.
 *
 * @param hasSale - whether it is a transaction that can be queried; not in the document
 * @returns the payment, and the uuid of its sale: the journey's own for `same-sale`
 */
export function charge(
  state: ServiceState,
  uuid: string,
  options: TestChargeOptions,
  hasSale = state.inventions.recurrenceEvents !== 'none',
): { readonly payment: SandboxScheduledPayment; readonly sale: string | undefined } {
  const journey = findJourney(state, uuid);
  const { fails, willRetry = false, as } = options;
  if (options.amount !== undefined) assertPositive(options.amount);
  assertApproved(journey);
  if (fails !== undefined && !chargeFailureCodes.includes(fails)) {
    throw new SandboxError('invalid', ...text('refused.fails', { codes: chargeFailureCodes.join(', ') }));
  }
  if (fails === undefined && willRetry) throw new SandboxError('invalid', ...text('refused.retry'));
  if (!isForm(as)) throw new SandboxError('invalid', ...text('refused.as'));
  if (fails !== undefined && as !== undefined) throw new SandboxError('invalid', ...text('refused.asFails'));

  if (!journey.scheduledPayments.some(isScheduled)) {
    addScheduledPayments(state, journey, state.inventions.scheduledPayments);
  }
  const payment = journey.scheduledPayments.find(isScheduled);
  if (payment === undefined) {
    throw new SandboxError('not-allowed', ...text('refused.calendarOver', { day: journey.finalDate ?? '' }));
  }
  if (willRetry && payment.tries.length >= MAX_RETRIES) {
    throw new SandboxError('not-allowed', ...text('refused.noMoreRetries', { retries: MAX_RETRIES }));
  }
  const { amount = payment.amount } = options;
  const tried = { journey, payment, amount, date: dateOfTry(state, payment), hasSale };
  if (fails !== undefined) return fail(state, tried, fails, willRetry);
  return as === undefined ? succeed(state, tried) : succeedAs(state, tried, as);
}

function isForm(as: unknown): boolean {
  return as === undefined || as === 'own-sale' || as === 'same-sale' || typeof as === 'function';
}

/** One time that a payment is charged. */
interface Try {
  readonly journey: TransactionRecord;
  readonly payment: SandboxScheduledPayment;
  readonly amount: number;
  /** `yyyy-MM-dd HH:mm:ss`. */
  readonly date: string;
  readonly hasSale: boolean;
}

/** Now; of a retry, the next day at the earliest: no two tries are on one day. */
function dateOfTry(state: ServiceState, { tries }: SandboxScheduledPayment): string {
  const now = dateTime(state, state.now());
  const before = tries.at(-1)?.date.slice(0, 10);
  if (before === undefined || before < now.slice(0, 10)) return now;
  return writeDay((readDay(before) ?? 0) + 1) + now.slice(10);
}

function succeed(state: ServiceState, tried: Try) {
  const { journey, payment, date } = tried;
  const sale = scheduleSale(state, tried);
  endTry(state, tried, { status: 'PAID', saleUUID: sale?.uuid });
  if (sale !== undefined) {
    sale.situation = 'PAID';
    const told = toldCharge(state, payment, sale);
    tell(state, journey, 'RECURRENCE_CHARGE_PAID', { ...told, chargeStatus: 'PAID' }, date);
    if (sends(state, 'payments')) sendPayment(state, journey, sale);
  }
  return { payment, sale: sale?.uuid };
}

/** A charge that is paid, and is told of in the form that a test asks for. */
function succeedAs(state: ServiceState, tried: Try, as: NonNullable<TestChargeOptions['as']>) {
  const { journey, payment, amount, date } = tried;
  const { uuid, referenceCode, currency } = journey;
  if (as === 'same-sale') {
    endTry(state, tried, { status: 'PAID', saleUUID: uuid });
    state.notify(saleNotification(state, { ...journey, amount }, 'PAID'));
    return { payment, sale: uuid };
  }
  const sale = saleOfTry(state, tried);
  endTry(state, tried, { status: 'PAID', saleUUID: sale.uuid });
  sale.situation = 'PAID';
  if (as === 'own-sale') sendPayment(state, journey, sale);
  else {
    const payload = as({ sale: sale.uuid, referenceCode, amount, currency, date });
    assertPayload(payload);
    state.notify({ kind: 'custom', query: '', payload, transactionUUID: uuid });
  }
  return { payment, sale: sale.uuid };
}

function fail(state: ServiceState, tried: Try, code: string, willRetry: boolean) {
  const { journey, payment, date } = tried;
  const sale = scheduleSale(state, tried);
  endTry(state, tried, { status: 'FAILED', code, willRetry, saleUUID: sale?.uuid });
  if (sale !== undefined) {
    const why = { rejectionReason: state.inventions.rejectionReason, retryScheduled: willRetry };
    const told = { ...toldCharge(state, payment, sale), chargeStatus: 'FAILED', rejectionCode: code, ...why };
    tell(state, journey, 'RECURRENCE_CHARGE_FAILED', told, date);
  }
  return { payment, sale: sale?.uuid };
}

/** Remembers how a try went. One that failed and is tried again leaves its payment scheduled. */
function endTry(
  state: ServiceState,
  { journey, payment, amount, date }: Try,
  end: Omit<SandboxScheduledPayment['tries'][number], 'date'>,
): void {
  const { status, willRetry, saleUUID } = end;
  Object.assign(payment, { amount, tries: [...payment.tries, { date, ...end }] });
  if (saleUUID !== undefined) payment.saleUUID = saleUUID;
  if (!willRetry) payment.status = status;
  happened(state, journey, willRetry ? 'payment-RETRY' : `payment-${status}`, {
    amount,
    detail: payment.dueDate,
  });
}

/** The ordinary notification of a charge's sale, with the reference of its journey. */
function sendPayment(
  state: ServiceState,
  { uuid, referenceCode }: TransactionRecord,
  sale: TransactionRecord,
) {
  state.notify(saleNotification(state, { ...sale, referenceCode }, 'PAID', uuid));
}

/** The sale of a try, if it has one. The first try of a payment tells that it was scheduled. */
function scheduleSale(state: ServiceState, tried: Try): TransactionRecord | undefined {
  const { journey, payment, hasSale } = tried;
  if (!hasSale) return undefined;
  const sale = saleOfTry(state, tried);
  if (payment.tries.length === 0) {
    const told = {
      ...toldCharge(state, { ...payment, amount: tried.amount }, sale),
      chargeStatus: 'SCHEDULED',
    };
    tell(state, journey, 'RECURRENCE_CHARGE_SCHEDULED', told);
  }
  return sale;
}

function toldCharge(
  state: ServiceState,
  { amount, dueDate }: SandboxScheduledPayment,
  { uuid }: TransactionRecord,
): ToldCharge {
  return { saleToken: uuid, chargeAmount: amount, chargeDueDate: dayTime(state, dueDate) };
}

/** A sale of its own, which waits for the payer's bank. The rows `chargeReference`, `retriedSale` and `failedCharge`. */
function saleOfTry(state: ServiceState, { journey, payment, amount }: Try): TransactionRecord {
  const { ids, inventions } = state;
  const before = state.transactions.get(payment.saleUUID ?? '');
  if (before !== undefined && inventions.retriedSale === 'same') {
    before.amount = amount;
    return before;
  }
  const id = ids.number();
  const saleCode = inventions.saleCodePrefix + id;
  const references = { journey: journey.referenceCode, own: saleCode, none: '' };
  const sale: TransactionRecord = {
    ...journey,
    id,
    uuid: ids.uuid(),
    saleCode,
    referenceCode: references[inventions.chargeReference],
    amount,
    chargeOf: payment.instructionId,
    createdAt: state.now(),
    situation: 'PENDING',
    refunds: [],
    reversals: [],
    scheduledPayments: [],
    events: [],
  };
  state.transactions.set(sale.uuid, sale);
  return sale;
}
