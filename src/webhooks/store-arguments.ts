import { ConfigurationError } from '../errors';

/** 300 years: beyond any lease or retention, and small enough to add to a clock without losing milliseconds. */
const MAX_DURATION_MS = 1e13;

/** The duration in whole milliseconds, rounded up; refuses what is none (`NaN`, `Infinity`, zero, a string). */
export function checkDuration(name: string, value: number): number {
  if (typeof value === 'number' && value > 0 && value <= MAX_DURATION_MS) return Math.ceil(value);
  throw new ConfigurationError(
    `Expected ${name} to be a positive number of milliseconds, below ${MAX_DURATION_MS}. ` +
      'Check that it is not a text from the environment, which needs Number(…).',
  );
}

/** A whole number from 1 on. */
export function checkCount(name: string, value: number, most: number = Number.MAX_SAFE_INTEGER): number {
  if (Number.isSafeInteger(value) && value >= 1 && value <= most) return value;
  throw new ConfigurationError(
    `Expected ${name} to be a whole number from 1 to ${most}. Leave it out for the default.`,
  );
}
