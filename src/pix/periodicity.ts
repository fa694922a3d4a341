import { addMonths, type Day } from './dates';

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

/** The due date of a cycle, counted from 0. From the first date each time: 31 January, 28 February, 31 March. */
export function dueDay(first: Day, periodicity: PixPeriodicity, cycle: number): Day {
  const months = MONTHS[periodicity];
  return months === 0 ? first + 7 * cycle : addMonths(first, months * cycle);
}
