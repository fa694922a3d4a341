/** When a recurrence is charged: `recurrence.calendar` of a checkout request (document section 2.1). */
export interface PixRecurrence {
  /** The first due date, `yyyy-MM-dd`. */
  readonly initialDate: string;
  /** The last day on which a charge may be due, `yyyy-MM-dd`. Without it the recurrence has no end. */
  readonly finalDate?: string | null | undefined;
  /** How often. */
  readonly periodicity: PixPeriodicity;
}

/** The dates of one charge, all in the time zone America/Sao_Paulo. */
export interface PixCycle {
  /** `yyyy-MM-dd`. In a month without that day, the last day of the month. */
  readonly dueDate: string;
  /** The first day on which the charge may be sent to the payer's bank, `yyyy-MM-dd`: 10 days before it is due. */
  readonly sendFrom: string;
  /** The last day on which the charge may be sent to the payer's bank, `yyyy-MM-dd`: 2 days before it is due. */
  readonly sendUntil: string;
  /** The receiver's limit for cancelling the charge: 22:00 of the day before it is due. */
  readonly cancelUntil: Date;
  /**
   * The last day for a retry, `yyyy-MM-dd`, if the recurrence allows retries: at most 3, on different days, within 7
   * days after the due date and before the next cycle. The first day is the one after the due date.
   */
  readonly retryUntil: string;
}

/**
 * The dates of a recurrence's charges under the rules of Pix Automático (`bacen/pix-api` v2.9.0). Without a `finalDate`
 * the iterable ends with the year 9999: take what you need and leave the loop. No date is written beyond that year: the
 * last `retryUntil` is 9999-12-31 at the latest.
 *
 * @throws `RangeError` for a date that is not real, a `finalDate` before the `initialDate`, or a periodicity that Pix does
 *   not have
 */
export function pixCalendar(recurrence: PixRecurrence): Iterable<PixCycle> {
  if (Object(recurrence) !== recurrence)
    throw new RangeError('pixCalendar: pass one object: `pixCalendar({ initialDate, periodicity })`.');
  const { initialDate, finalDate, periodicity } = recurrence;
  const first = dayOrThrow(initialDate, 'initialDate');
  const last = dayOrThrow(finalDate ?? '9999-12-31', 'finalDate');
  if (last < first) throw new RangeError('pixCalendar: finalDate is before initialDate.');
  if (!isPeriodicity(periodicity))
    throw new RangeError(
      'pixCalendar: Pix does not have this periodicity. Use MONTHLY or another PixPeriodicity.',
    );
  return {
    *[Symbol.iterator]() {
      for (let cycle = 0; ; cycle++) {
        const due = dueDay(first, periodicity, cycle);
        if (due > last) return;
        yield datesOf(due, dueDay(first, periodicity, cycle + 1));
      }
    },
  };
}

function datesOf(due: Day, nextDue: Day): PixCycle {
  return {
    dueDate: writeDay(due),
    sendFrom: writeDay(due - 10),
    sendUntil: writeDay(due - 2),
    cancelUntil: instantInSaoPaulo(due - 1, 22),
    retryUntil: writeDay(Math.min(due + 7, nextDue - 1)),
  };
}

function dayOrThrow(text: string, name: string): Day {
  const day = readDay(text);
  if (day === undefined) throw new RangeError(`pixCalendar: ${name} is not a date. Write it as yyyy-MM-dd.`);
  return day;
}

/**
 * How often a recurrence is charged. Pix has five periodicities, with Portuguese names; their English names differ
 * between providers. `MONTHLY` is the one that the service's document shows (section 2.1).
 */
export type PixPeriodicity =
  | ('SEMANAL' | 'WEEKLY')
  | ('MENSAL' | 'MONTHLY')
  | ('TRIMESTRAL' | 'QUARTERLY')
  | ('SEMESTRAL' | 'SEMIANNUAL' | 'SEMIANNUALLY' | 'SEMI_ANNUALLY' | 'HALF_YEARLY')
  | ('ANUAL' | 'ANNUAL' | 'ANNUALLY' | 'YEARLY');

const MONTHS: Readonly<Record<PixPeriodicity, number>> = {
  SEMANAL: 0,
  WEEKLY: 0,
  MENSAL: 1,
  MONTHLY: 1,
  TRIMESTRAL: 3,
  QUARTERLY: 3,
  SEMESTRAL: 6,
  SEMIANNUAL: 6,
  SEMIANNUALLY: 6,
  SEMI_ANNUALLY: 6,
  HALF_YEARLY: 6,
  ANUAL: 12,
  ANNUAL: 12,
  ANNUALLY: 12,
  YEARLY: 12,
};

export function isPeriodicity(value: unknown): value is PixPeriodicity {
  return typeof value === 'string' && Object.hasOwn(MONTHS, value);
}

/** The due date of a cycle, counted from 0. Always computed from the first date: 31 January, 28 February, 31 March. */
export function dueDay(first: Day, periodicity: PixPeriodicity, cycle: number): Day {
  const months = MONTHS[periodicity];
  return months === 0 ? first + 7 * cycle : addMonths(first, months * cycle);
}

const DAY_MS = 86_400_000;

/** A calendar date as the days since 1970-01-01: a number without a time zone. */
export type Day = number;

/** Reads `yyyy-MM-dd`; `undefined` for anything but a real date. */
export function readDay(text: unknown): Day | undefined {
  if (typeof text !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const day = Date.parse(text) / DAY_MS;
  // `Date` turns 31 April into 1 May.
  return !Number.isNaN(day) && writeDay(day) === text ? day : undefined;
}

/** Writes `yyyy-MM-dd`. This form ends with the year 9999, so a day beyond is written as the last one that it has. */
export function writeDay(day: Day): string {
  const writable = Math.min(Math.max(day, FIRST_DAY), LAST_DAY);
  return new Date(writable * DAY_MS).toISOString().slice(0, 10);
}

const FIRST_DAY = Date.parse('0000-01-01') / DAY_MS;
const LAST_DAY = Date.parse('9999-12-31') / DAY_MS;

/** The same day of the month, that many months later, or that month's last day. */
export function addMonths(day: Day, months: number): Day {
  const date = new Date(day * DAY_MS);
  const dayOfMonth = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months + 1, 0);
  date.setUTCDate(Math.min(dayOfMonth, date.getUTCDate()));
  return date.getTime() / DAY_MS;
}

/**
 * America/Sao_Paulo is three hours behind UTC all year, and has had no daylight saving time since 2019, which is before
 * Pix Automático. A fixed offset gives the same result on every runtime.
 */
const SAO_PAULO_MS = -3 * 3_600_000;

/** The instant at which the clocks of São Paulo show an hour of a day. */
function instantInSaoPaulo(day: Day, hour: number): Date {
  return new Date(day * DAY_MS + hour * 3_600_000 - SAO_PAULO_MS);
}
