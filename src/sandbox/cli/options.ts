import { usageFailure } from './failure';

/** Options as the parser gives them: numbers where a value looks like one, lists where it is repeated. */
export type RawOptions = Readonly<Record<string, unknown>>;

/** The option's text; `undefined` when it was not given. */
export function textOption(options: RawOptions, name: string): string | undefined {
  const value = options[name];
  if (value === undefined) return undefined;
  if (Array.isArray(value)) throw usageFailure(`Expected \`${flag(name)}\` once.`);
  return String(value);
}

export function requiredOption(options: RawOptions, name: string): string {
  const value = textOption(options, name);
  if (value === undefined || value === '') throw usageFailure(`Expected \`${flag(name)}\`. See --help.`);
  return value;
}

/** A whole number within limits. */
export function numberOption(
  options: RawOptions,
  name: string,
  { least, most, otherwise }: { least: number; most: number; otherwise: number },
): number {
  const text = textOption(options, name);
  if (text === undefined) return otherwise;
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw usageFailure(`Expected \`${flag(name)}\` to be a whole number from ${least} to ${most}.`);
}

/** Every value of an option that may be repeated. */
export function listOption(options: RawOptions, name: string): string[] {
  return [options[name] ?? []].flat().map(String);
}

export function isSet(options: RawOptions, name: string): boolean {
  return [options[name]].flat().includes(true);
}

/** What a timer can take. */
export const LONGEST_MS = 2 ** 31 - 1;

function flag(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
