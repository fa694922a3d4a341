import { invalidArgument } from '../errors/argument-errors';
import { DAY_MS } from '../shared/time';

/**
 * Converts a date-time of the service, `yyyy-MM-dd HH:mm:ss` (document section 2), into a `Date`. The document shows
 * no time zone, so you have to name it: ask the service which one your account works in.
 *
 * When the clock changes: a time that occurs twice (an overlap) gives the earlier instant; a time that is skipped (a
 * gap) is moved forward by the length of the gap.
 *
 * @param value - e.g. `2026-11-21 09:30:00`
 * @param timeZone - an IANA name such as `America/Sao_Paulo`
 * @throws `InvalidRequestError`, without an `outcome`, for a value of another form, a date that does not exist (year 0
 *   included), or an unknown zone
 */
export function parseDateTime(value: string, timeZone: string): Date {
  const reading = parseReading(value);
  if (reading === undefined) {
    throw invalidArgument('The date-time', { value: 'expected a real date and time, yyyy-MM-dd HH:mm:ss' });
  }
  const format = formatOf(timeZone);
  // Offsets differ only across a clock change, and a day before and after is safely beyond it.
  const before = offsetMs(format, reading - DAY_MS);
  const after = offsetMs(format, reading + DAY_MS);
  // In an overlap both are right, and the offset from before the change gives the earlier.
  const instant = [reading - before, reading - after].find(
    (candidate) => candidate + offsetMs(format, candidate) === reading,
  );
  return new Date(instant ?? reading - before);
}

/** The clock reading as if it were UTC, or `undefined` if there is no such time. */
function parseReading(value: string): number | undefined {
  // There is no year 0: 1 BC is followed by AD 1.
  if (typeof value !== 'string' || !/^(?!0000)\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(value))
    return undefined;
  const reading = Date.parse(`${value.replace(' ', 'T')}Z`);
  // `Date.parse` accepts some days that do not exist (30 February), and the hour 24.
  return !Number.isNaN(reading) && new Date(reading).toISOString().startsWith(value.replace(' ', 'T'))
    ? reading
    : undefined;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = newFormat(timeZone);
  // A program works in one or two zones. Names that come from outside must not fill the memory.
  if (formats.size < MAX_FORMATS) formats.set(timeZone, format);
  return format;
}

const MAX_FORMATS = 50;

function newFormat(timeZone: string): Intl.DateTimeFormat {
  try {
    if (typeof timeZone !== 'string') throw new TypeError();
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      // Not `iso8601`, which is Julian before 1582.
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
  } catch {
    throw invalidArgument('The date-time', {
      timeZone: 'expected the IANA name of a zone, such as America/Sao_Paulo',
    });
  }
}

/** How far the zone's clock is ahead of UTC at an instant. */
function offsetMs(format: Intl.DateTimeFormat, instant: number): number {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of format.formatToParts(instant)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const reading = new Date(0);
  // Not `Date.UTC`, which turns the years 0 to 99 into 1900 to 1999.
  reading.setUTCFullYear(year, month - 1, day);
  return reading.setUTCHours(hour, minute, second) - instant;
}
