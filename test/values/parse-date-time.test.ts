import fc from 'fast-check';
import { InvalidRequestError, parseDateTime } from 'pix-automatic-sdk';
import { describe, expect, it, vi } from 'vitest';
import { seedRandomTests } from '../helpers/random-seed';
import { failureOf } from './support';

seedRandomTests();

it.each([
  ['2026-11-21 09:30:00', 'America/Sao_Paulo', '2026-11-21T12:30:00Z'],
  ['2026-11-21 09:30:00', 'UTC', '2026-11-21T09:30:00Z'],
  ['2026-11-21 09:30:00', 'Asia/Kolkata', '2026-11-21T04:00:00Z'],
  ['2026-12-31 23:59:59', 'America/Sao_Paulo', '2027-01-01T02:59:59Z'],
  ['2027-01-01 00:00:00', 'Pacific/Kiritimati', '2026-12-31T10:00:00Z'],
  ['2024-02-29 12:00:00', 'Asia/Kathmandu', '2024-02-29T06:15:00Z'],
  ['9999-12-31 23:59:59', 'UTC', '9999-12-31T23:59:59Z'],
  ['0099-01-01 00:00:00', 'UTC', '0099-01-01T00:00:00Z'],
])('parseDateTime reads %s in %s as %s', (value, zone, instant) => {
  expect(parseDateTime(value, zone)).toEqual(new Date(instant));
});

describe('at a change of the clock', () => {
  it.each([
    // Overlaps: the earlier of the two.
    ['2018-02-17 23:30:00', 'America/Sao_Paulo', '2018-02-18T01:30:00Z'],
    ['2025-11-02 01:30:00', 'America/New_York', '2025-11-02T05:30:00Z'],
    ['2025-04-06 01:45:00', 'Australia/Lord_Howe', '2025-04-05T14:45:00Z'],
    // Gaps: forward by their length.
    ['2018-11-04 00:30:00', 'America/Sao_Paulo', '2018-11-04T03:30:00Z'],
    ['2025-03-09 02:30:00', 'America/New_York', '2025-03-09T07:30:00Z'],
    ['2025-10-05 02:15:00', 'Australia/Lord_Howe', '2025-10-04T15:45:00Z'],
    // A day that was skipped: Samoa moved across the date line.
    ['2011-12-30 12:00:00', 'Pacific/Apia', '2011-12-30T22:00:00Z'],
    ['2011-12-29 23:59:59', 'Pacific/Apia', '2011-12-30T09:59:59Z'],
    ['2011-12-31 00:00:00', 'Pacific/Apia', '2011-12-30T10:00:00Z'],
    // Just before and just after a change.
    ['2025-03-09 01:59:59', 'America/New_York', '2025-03-09T06:59:59Z'],
    ['2025-03-09 03:00:00', 'America/New_York', '2025-03-09T07:00:00Z'],
    ['2025-11-02 02:00:00', 'America/New_York', '2025-11-02T07:00:00Z'],
  ])('%s in %s is read as %s', (value, zone, instant) => {
    expect(parseDateTime(value, zone)).toEqual(new Date(instant));
  });
});

it('parseDateTime agrees with an oracle that tries all offsets, in any zone, near changes of the clock', () => {
  const zones = Intl.supportedValuesOf('timeZone');
  const special = ['Australia/Lord_Howe', 'Pacific/Apia', 'America/Sao_Paulo', 'Africa/Casablanca'];
  special.push('Europe/Dublin');
  const zone = fc.oneof(fc.constantFrom(...zones), fc.constantFrom(...special));
  const seconds = fc.integer({ min: Date.UTC(1972, 0, 3) / 1000, max: Date.UTC(2037, 11, 28) / 1000 });
  fc.assert(
    fc.property(zone, seconds, fc.integer({ min: -7_200, max: 7_200 }), (timeZone, start, distance) => {
      // A reading within two hours of the next change of the clock, if there is one within a year.
      const change = nextChange(timeZone, start * 1000);
      const reading = change + offsetOf(timeZone, change) + distance * 1000;
      const value = new Date(reading).toISOString().replace('T', ' ').slice(0, 19);
      expect(parseDateTime(value, timeZone)).toEqual(new Date(oracle(reading, timeZone)));
    }),
    { numRuns: 150 },
  );
});

const forms = `2026-11-21|2026-11-21T09:30:00|2026-11-21 09:30|2026-11-21 09:30:00Z|2026-11-21 09:30:00.000| 2026-11-21 09:30:00|
+012026-11-21 09:30:00|-002026-11-21 09:30:00|2026-02-29 00:00:00|2026-02-30 00:00:00|2026-04-31 00:00:00|2026-13-01 00:00:00|
2026-00-01 00:00:00|2026-01-00 00:00:00|2026-01-01 24:00:00|0000-01-01 00:00:00|2026-01-01 00:60:00|2026-01-01 00:00:60|21/11/2026 09:30:00`;
const others = [
  '',
  '2026-11-21 09:30:00\n',
  undefined,
  null,
  20261121,
  ['2026-11-21 09:30:00'],
  Symbol('2026'),
];

it.each([...forms.split(/\|\n?/), ...others])('parseDateTime refuses %o as a date-time', (value) => {
  const error = failureOf(() => parseDateTime(value as string, 'UTC'));
  expect(error).toBeInstanceOf(InvalidRequestError);
  const message = expect.stringContaining('expected a real date and time');
  expect(error).toMatchObject({ outcome: undefined, issues: [{ path: ['value'], message }] });
  expect(error.message).toMatch(/^The date-time is not valid\. (?!.*sent)/);
});

it('parseDateTime reads the first day of the year 1 in zones behind and ahead of UTC', () => {
  const first = (zone: string) => parseDateTime('0001-01-01 00:00:00', zone).toISOString();
  expect(first('UTC')).toBe('0001-01-01T00:00:00.000Z');
  expect(first('Etc/GMT+3')).toBe('0001-01-01T03:00:00.000Z');
  expect(first('Etc/GMT-9')).toBe('0000-12-31T15:00:00.000Z');
});

it.each(['', 'Brasilia', 'America/Nowhere', 'BRT-3', undefined, null, 7])(
  'parseDateTime refuses %j as a time zone',
  (zone) => {
    const error = failureOf(() => parseDateTime('2026-11-21 09:30:00', zone as string));
    const message = expect.stringContaining('expected the IANA name');
    expect(error).toMatchObject({ outcome: undefined, issues: [{ path: ['timeZone'], message }] });
    expect(error.message).toMatch(/^The date-time is not valid\./);
  },
);

it('parseDateTime stays right with more zones than it caches', () => {
  for (const zone of Intl.supportedValuesOf('timeZone').slice(0, 120)) {
    const instant = oracle(Date.UTC(2026, 0, 15, 12), zone);
    expect(parseDateTime('2026-01-15 12:00:00', zone)).toEqual(new Date(instant));
  }
});

it('parseDateTime caches 50 zones, so that zone names from outside cannot fill the memory', async () => {
  vi.resetModules();
  const fresh = await import('../../src/values/parse-date-time');
  const { DateTimeFormat } = Intl;
  let made = 0;
  class Counted extends DateTimeFormat {
    constructor(...given: ConstructorParameters<typeof DateTimeFormat>) {
      super(...given);
      made += 1;
    }
  }
  const zones = Intl.supportedValuesOf('timeZone').slice(0, 60);
  Reflect.set(Intl, 'DateTimeFormat', Counted);
  try {
    for (const zone of zones) fresh.parseDateTime('2026-01-15 12:00:00', zone);
    expect(made).toBe(60);
    for (const zone of zones) fresh.parseDateTime('2026-01-15 12:00:00', zone);
    expect(made).toBe(70);
  } finally {
    Reflect.set(Intl, 'DateTimeFormat', DateTimeFormat);
  }
});

const HOUR = 3_600_000;
const offsetFormats = new Map<string, Intl.DateTimeFormat>();

/** The offset read from the zone's `longOffset` name; the library computes it in another way. */
function offsetOf(timeZone: string, instant: number): number {
  let format = offsetFormats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
    offsetFormats.set(timeZone, format);
  }
  const name = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = 0, minutes = 0, seconds = 0] =
    /^GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?$/.exec(name) ?? [];
  const ms = Number(hours) * HOUR + Number(minutes) * 60_000 + Number(seconds ?? 0) * 1000;
  return sign === '-' ? -ms : ms;
}

/** The instant of the next change after a start, or the start when there is none within a year. */
function nextChange(timeZone: string, start: number): number {
  const before = offsetOf(timeZone, start);
  for (let day = 1; day <= 366; day += 1) {
    if (offsetOf(timeZone, start + day * 24 * HOUR) === before) continue;
    let [low, high] = [start + (day - 1) * 24 * HOUR, start + day * 24 * HOUR];
    while (high - low > 1000) {
      const middle = Math.floor((low + high) / 2000) * 1000;
      if (offsetOf(timeZone, middle) === before) low = middle;
      else high = middle;
    }
    return high;
  }
  return start;
}

/** The first instant with that reading; in a gap, the reading minus the offset before the gap. */
function oracle(reading: number, timeZone: string): number {
  const offsets = new Set<number>();
  for (let hours = -30; hours <= 30; hours += 1) offsets.add(offsetOf(timeZone, reading + hours * HOUR));
  const instants = [...offsets]
    .map((offset) => reading - offset)
    .filter((instant) => instant + offsetOf(timeZone, instant) === reading)
    .sort((a, b) => a - b);
  return instants[0] ?? reading - offsetOf(timeZone, reading - 30 * HOUR);
}
