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
export function instantInSaoPaulo(day: Day, hour: number): Date {
  return new Date(day * DAY_MS + hour * 3_600_000 - SAO_PAULO_MS);
}

/** The date in São Paulo at an instant, in milliseconds since 1970. */
export function dayInSaoPaulo(instantMs: number): Day {
  return Math.floor((instantMs + SAO_PAULO_MS) / DAY_MS);
}
