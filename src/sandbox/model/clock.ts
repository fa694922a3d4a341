/** Where the model takes its time from: milliseconds since 1970, as `Date.now` gives them. */
export type Clock = () => number;

const LAST_PRINTABLE = Date.UTC(9999, 11, 31, 23, 59, 59);

/** The document's form of a date-time: `yyyy-MM-dd HH:mm:ss`, no zone (document section 2). */
export function formatDateTime(time: number, utcOffsetMinutes: number): string {
  // A `maxAge` of 1e12 minutes is a valid number, and its end is in no calendar.
  const local = Math.min(time + utcOffsetMinutes * 60_000, LAST_PRINTABLE);
  return new Date(local).toISOString().slice(0, 19).replace('T', ' ');
}
