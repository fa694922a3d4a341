import { pixCalendar } from 'pix-automatic-sdk/pix';
import { describe, expect, it } from 'vitest';
import type { PixPeriodicity } from '../../src/pix/pix-calendar';

/**
 * Computed with Python's `calendar` and `zoneinfo` (America/Sao_Paulo), not with the library: due date, sent from, sent
 * until, cancelled until (UTC), retried until. No date before the year 0 or after 9999 can be written as yyyy-MM-dd.
 */
const tables = `
  MONTHLY 2027-01-31 - 6
    2027-01-31 2027-01-21 2027-01-29 2027-01-31T01:00:00.000Z 2027-02-07
    2027-02-28 2027-02-18 2027-02-26 2027-02-28T01:00:00.000Z 2027-03-07
    2027-03-31 2027-03-21 2027-03-29 2027-03-31T01:00:00.000Z 2027-04-07
    2027-04-30 2027-04-20 2027-04-28 2027-04-30T01:00:00.000Z 2027-05-07
    2027-05-31 2027-05-21 2027-05-29 2027-05-31T01:00:00.000Z 2027-06-07
    2027-06-30 2027-06-20 2027-06-28 2027-06-30T01:00:00.000Z 2027-07-07
  ANNUALLY 2028-02-29 - 5
    2028-02-29 2028-02-19 2028-02-27 2028-02-29T01:00:00.000Z 2028-03-07
    2029-02-28 2029-02-18 2029-02-26 2029-02-28T01:00:00.000Z 2029-03-07
    2030-02-28 2030-02-18 2030-02-26 2030-02-28T01:00:00.000Z 2030-03-07
    2031-02-28 2031-02-18 2031-02-26 2031-02-28T01:00:00.000Z 2031-03-07
    2032-02-29 2032-02-19 2032-02-27 2032-02-29T01:00:00.000Z 2032-03-07
  QUARTERLY 2026-11-30 2027-11-30 9
    2026-11-30 2026-11-20 2026-11-28 2026-11-30T01:00:00.000Z 2026-12-07
    2027-02-28 2027-02-18 2027-02-26 2027-02-28T01:00:00.000Z 2027-03-07
    2027-05-30 2027-05-20 2027-05-28 2027-05-30T01:00:00.000Z 2027-06-06
    2027-08-30 2027-08-20 2027-08-28 2027-08-30T01:00:00.000Z 2027-09-06
    2027-11-30 2027-11-20 2027-11-28 2027-11-30T01:00:00.000Z 2027-12-07
  SEMIANNUALLY 2026-08-31 - 4
    2026-08-31 2026-08-21 2026-08-29 2026-08-31T01:00:00.000Z 2026-09-07
    2027-02-28 2027-02-18 2027-02-26 2027-02-28T01:00:00.000Z 2027-03-07
    2027-08-31 2027-08-21 2027-08-29 2027-08-31T01:00:00.000Z 2027-09-07
    2028-02-29 2028-02-19 2028-02-27 2028-02-29T01:00:00.000Z 2028-03-07
  WEEKLY 2026-12-21 2027-01-11 9
    2026-12-21 2026-12-11 2026-12-19 2026-12-21T01:00:00.000Z 2026-12-27
    2026-12-28 2026-12-18 2026-12-26 2026-12-28T01:00:00.000Z 2027-01-03
    2027-01-04 2026-12-25 2027-01-02 2027-01-04T01:00:00.000Z 2027-01-10
    2027-01-11 2027-01-01 2027-01-09 2027-01-11T01:00:00.000Z 2027-01-17
  MONTHLY 2026-12-30 2027-03-29 9
    2026-12-30 2026-12-20 2026-12-28 2026-12-30T01:00:00.000Z 2027-01-06
    2027-01-30 2027-01-20 2027-01-28 2027-01-30T01:00:00.000Z 2027-02-06
    2027-02-28 2027-02-18 2027-02-26 2027-02-28T01:00:00.000Z 2027-03-07
  MONTHLY 2027-12-31 - 4
    2027-12-31 2027-12-21 2027-12-29 2027-12-31T01:00:00.000Z 2028-01-07
    2028-01-31 2028-01-21 2028-01-29 2028-01-31T01:00:00.000Z 2028-02-07
    2028-02-29 2028-02-19 2028-02-27 2028-02-29T01:00:00.000Z 2028-03-07
    2028-03-31 2028-03-21 2028-03-29 2028-03-31T01:00:00.000Z 2028-04-07
  MONTHLY 2026-12-01 2026-12-01 9
    2026-12-01 2026-11-21 2026-11-29 2026-12-01T01:00:00.000Z 2026-12-08
  MONTHLY 9999-11-30 - 9
    9999-11-30 9999-11-20 9999-11-28 9999-11-30T01:00:00.000Z 9999-12-07
    9999-12-30 9999-12-20 9999-12-28 9999-12-30T01:00:00.000Z 9999-12-31
  WEEKLY 9999-12-24 9999-12-31 9
    9999-12-24 9999-12-14 9999-12-22 9999-12-24T01:00:00.000Z 9999-12-30
    9999-12-31 9999-12-21 9999-12-29 9999-12-31T01:00:00.000Z 9999-12-31
  MONTHLY 0000-01-05 0000-01-31 9
    0000-01-05 0000-01-01 0000-01-03 0000-01-05T01:00:00.000Z 0000-01-12
`;

function cycles(initialDate: string, finalDate: string | undefined, name: string, count: number) {
  const periodicity = name as PixPeriodicity;
  const lines: string[] = [];
  for (const cycle of pixCalendar({ initialDate, finalDate, periodicity })) {
    const { dueDate, sendFrom, sendUntil, cancelUntil, retryUntil } = cycle;
    lines.push([dueDate, sendFrom, sendUntil, cancelUntil.toISOString(), retryUntil].join(' '));
    if (lines.length === count) break;
  }
  return lines;
}

describe('pixCalendar', () => {
  it.each(tables.trim().split(/\n {2}(?=\w)/))('gives the right dates: %s', (table) => {
    const [head = '', ...expected] = table.split('\n').map((line) => line.trim());
    const [periodicity = '', initialDate = '', finalDate, count] = head.split(' ');
    const last = finalDate === '-' ? undefined : finalDate;
    expect(cycles(initialDate, last, periodicity, Number(count))).toEqual(expected);
  });

  it.each([
    'SEMANAL WEEKLY',
    'MENSAL MONTHLY',
    'TRIMESTRAL QUARTERLY',
    'SEMESTRAL SEMIANNUALLY SEMIANNUAL SEMI_ANNUALLY HALF_YEARLY',
    'ANUAL ANNUALLY ANNUAL YEARLY',
  ])('treats %s as the same', (names) => {
    const each = names.split(' ').map((name) => cycles('2027-01-31', undefined, name, 5));
    const [portuguese, ...english] = each;
    expect(portuguese).toHaveLength(5);
    expect(english).toEqual(english.map(() => portuguese));
  });

  it('has no end without a final date', () => {
    expect(cycles('2027-01-31', undefined, 'WEEKLY', 5_000)).toHaveLength(5_000);
    const last = { initialDate: '9998-12-31', finalDate: null, periodicity: 'YEARLY' } as const;
    expect([...pixCalendar(last)]).toHaveLength(2);
  });

  it.each(['WEEKLY', 'MONTHLY', 'QUARTERLY', 'SEMIANNUAL', 'YEARLY'] as const)(
    'writes only dates that it reads, up to the end of the year 9999: %s',
    (periodicity) => {
      for (const cycle of pixCalendar({ initialDate: '9990-01-31', periodicity })) {
        for (const date of [cycle.dueDate, cycle.sendFrom, cycle.sendUntil, cycle.retryUntil]) {
          expect(() => pixCalendar({ initialDate: date, periodicity })).not.toThrow();
        }
      }
    },
  );

  it('can be iterated more than once', () => {
    const dates = { initialDate: '2027-01-31', finalDate: '2027-12-31' };
    const calendar = pixCalendar({ ...dates, periodicity: 'MENSAL' });
    expect([...calendar]).toEqual([...calendar]);
    expect([...calendar]).toHaveLength(12);
  });

  const wrongDates = '2026-02-29 2026-04-31 2026-13-01 2026-1-1 01/12/2026 2026-12-01T00:00:00Z';
  it.each([...wrongDates.split(' '), '', 1])('refuses %j as a date, and names the field', (date) => {
    const wrong = date as string;
    const calendar = (fields: object) => () =>
      pixCalendar({ initialDate: '2026-12-01', periodicity: 'MONTHLY', ...fields });
    expect(calendar({ initialDate: wrong })).toThrow(/^pixCalendar: initialDate is not a date/);
    expect(calendar({ finalDate: wrong })).toThrow(/^pixCalendar: finalDate is not a date/);
    expect(calendar({ initialDate: null })).toThrow(RangeError);
  });

  it('refuses a final date before the initial one, which would give no date', () => {
    const dates = { initialDate: '2027-05-01', periodicity: 'MONTHLY' } as const;
    expect(() => pixCalendar({ ...dates, finalDate: '2027-04-30' })).toThrow(
      new RangeError('pixCalendar: finalDate is before initialDate.'),
    );
    expect([...pixCalendar({ ...dates, finalDate: '2027-05-01' })]).toHaveLength(1);
  });

  it.each(['2027-01-31', undefined, null])('asks for one object instead of %j', (date) => {
    const positional = pixCalendar as (...given: unknown[]) => unknown;
    expect(() => positional(date, 'MONTHLY')).toThrow(
      new RangeError('pixCalendar: pass one object: `pixCalendar({ initialDate, periodicity })`.'),
    );
  });

  it.each(['monthly', 'DAILY', '', 'constructor', undefined, null])(
    'refuses %j as a periodicity',
    (value) => {
      expect(() => cycles('2026-12-01', undefined, value as string, 1)).toThrow(RangeError);
    },
  );
});
