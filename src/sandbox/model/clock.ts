/** Where the model takes its time from: milliseconds since 1970, as `Date.now` gives them. */
export type Clock = () => number;

const LAST_PRINTABLE = Date.UTC(9999, 11, 31, 23, 59, 59);

/** The document's form of a date-time: `yyyy-MM-dd HH:mm:ss`, no zone (document section 2). */
export function formatDateTime(time: number, utcOffsetMinutes: number): string {
  // A `maxAge` of 1e12 minutes is a valid number, and its end is in no calendar.
  const local = Math.min(time + utcOffsetMinutes * 60_000, LAST_PRINTABLE);
  return new Date(local).toISOString().slice(0, 19).replace('T', ' ');
}

/** A calendar date that many months after another: 31 January, then 28 February, then 31 March. */
export function addMonths(date: string, months: number): string {
  const start = new Date(`${date}T00:00:00Z`);
  const year = start.getUTCFullYear();
  const month = start.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, month, Math.min(start.getUTCDate(), lastDay))).toISOString().slice(0, 10);
}
