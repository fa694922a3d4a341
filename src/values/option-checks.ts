import { ConfigurationError } from '../errors/configuration-error';
import { isObject, nameOfType, ownOptions } from '../shared/objects';
import { LONGEST_TIMER_MS } from '../shared/time';

/** 300 years: longer than any lease or retention, and small enough to add to a clock without losing milliseconds. */
const MAX_DURATION_MS = 1e13;

/**
 * Returns a number above 0 and at most `most`.
 *
 * @throws `ConfigurationError` for anything else
 */
export function checkPositive(name: string, value: number, most: number = LONGEST_TIMER_MS): number {
  if (typeof value === 'number' && value > 0 && value <= most) return value;
  throw notNumber(name, `a number above 0 and at most ${most}`);
}

/**
 * Returns the duration in whole milliseconds, rounded up; refuses `NaN`, `Infinity`, zero, negatives and strings.
 *
 * @param most - `LONGEST_TIMER_MS` where a timer waits for it
 */
export function checkDuration(name: string, value: number, most: number = MAX_DURATION_MS): number {
  return Math.ceil(checkPositive(name, value, most));
}

/** Checks a whole number from 1 to `most`. */
export function checkCount(name: string, value: number, most: number = Number.MAX_SAFE_INTEGER): number {
  if (Number.isSafeInteger(value) && value >= 1 && value <= most) return value;
  throw notNumber(name, `a whole number from 1 to ${most}, or left out for the default`);
}

function notNumber(name: string, expected: string): ConfigurationError {
  return new ConfigurationError(
    `Expected \`${name}\` to be ${expected}. Text from the environment needs \`Number(…)\`.`,
  );
}

/**
 * The caller's own options, as `ownOptions`.
 *
 * @param takes - what takes them and one of them, such as `start({ everyMs })`
 * @throws `ConfigurationError` for anything but an object, or if an option cannot be read; what its getter threw may quote
 *   a credential
 */
export function readOptions<Options extends object>(
  takes: string,
  options: Options | null | undefined,
): Options {
  if (options instanceof AbortSignal) {
    throw new ConfigurationError(
      `Expected the signal as an option, by its name: \`{ signal }\`, not \`signal\` alone.`,
    );
  }
  if (options !== undefined && options !== null && !isObject(options)) {
    throw new ConfigurationError(
      `Expected the options as an object, \`${takes}\`, got ${nameOfType(options)}.`,
    );
  }
  try {
    return ownOptions(options);
  } catch {
    throw new ConfigurationError('An option cannot be read: a getter of the options object threw an error.');
  }
}

/**
 * The names of all options. The compiler proves that the list is the interface's: a name too many and a name too few do
 * not compile.
 */
export type OptionNames<Options> = { readonly [Name in keyof Options]-?: true };

/**
 * The caller's own options, as `readOptions`, where an option that nothing reads is a mistake: `deadletters: true` would
 * keep no letter.
 *
 * @param call - who takes the options, such as `createOrders`
 * @param before - the arguments before them, if there are any
 * @throws `ConfigurationError` for a name that is not in the list, with the names that look like it
 */
export function readNamedOptions<Options extends object>(
  call: string,
  options: Options | null | undefined,
  names: OptionNames<Options>,
  before = '',
): Options {
  const known = Object.keys(names);
  const own = readOptions(`${call}(${before}{ ${known[0]} })`, options);
  const unknown = Object.keys(own).find((name) => !Object.hasOwn(names, name));
  if (unknown === undefined) return own;
  const hint = /^transaction(?:al|s)?$/.test(unknown) ? TRANSACTIONS : hintFor(unknown, known, 'Its options');
  throw new ConfigurationError(`\`${call}\` has no option \`${unknown}\`. ${hint}`);
}

const TRANSACTIONS =
  'Stores that join transactions are `new PostgresStore(pool, { transactional: true })`, `storeWithin`, and ' +
  '`prismaStore`, `drizzleStore`, `typeormStore`, `knexStore`, `kyselyStore` and `sequelizeStore`, which always do.';

/**
 * The names that look like one that is not known, else all.
 *
 * @param all - what the names are, such as `Its options`
 */
export function hintFor(unknown: string, known: readonly string[], all: string): string {
  const similar = similarNames(unknown, known);
  return similar.length > 0
    ? `Did you mean ${similar.map((name) => `\`${name}\``).join(' or ')}?`
    : `${all} are ${known.join(', ')}.`;
}

/** The names that look like one that is not known. */
export function similarNames(unknown: string, known: readonly string[]): string[] {
  return known.filter((name) => isSimilar(unknown, name));
}

/** Whether a name contains the other one, or differs by two characters at most, a short one by one; in any case. */
function isSimilar(given: string, known: string): boolean {
  const [a, b] = [given.toLowerCase(), known.toLowerCase()];
  return (
    (a.length > 2 && (b.includes(a) || a.includes(b))) ||
    distance(a, b) <= (Math.min(a.length, b.length) > 4 ? 2 : 1)
  );
}

/** How many characters have to be inserted, deleted or replaced (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, character] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] as number) + (character === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}

/** Which page of a list is asked for. */
interface Page {
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

const PAGE_NAMES: OptionNames<Page> = { after: true, limit: true };

/**
 * The page of a list that the caller asks for.
 *
 * @param call - what lists, such as `orders.list`
 * @param last - what `after` is, such as `the `key` of an order`
 * @throws `ConfigurationError` for an option that cannot work
 */
export function readPage(
  call: string,
  query: Page | null | undefined,
  last: string,
): Page & { limit: number } {
  const { after, limit = 100 } = readNamedOptions<Page>(call, query, PAGE_NAMES);
  return { after: checkAfter(after, last), limit: checkCount('limit', limit) };
}

/** @throws `ConfigurationError` for anything but a text, or nothing */
export function checkAfter(after: string | undefined, last: string): string | undefined {
  if (after === undefined || typeof after === 'string') return after;
  throw new ConfigurationError(
    `Expected \`after\` to be ${last}, the last one that was read, got ${nameOfType(after)}.`,
  );
}

/** Refuses anything but a function; `shape` shows what to pass, such as `(event) => void`. */
export function checkFunction(name: string, value: unknown, shape: string): void {
  if (typeof value !== 'function') {
    throw new ConfigurationError(`Expected \`${name}\` to be a function: \`${shape}\`.`);
  }
}

/** What is wrong with a parameter of a call's path; `undefined` if nothing is. */
export function problemWithParameter(parameter: unknown): string | undefined {
  if (typeof parameter !== 'string') {
    const isPromise = typeof Object(parameter).then === 'function';
    return `expected a string, got ${isPromise ? 'a promise: `await` it' : nameOfType(parameter)}`;
  }
  if (parameter === '') return 'expected a non-empty string';
  // Percent-encoding does not touch dots, and every URL parser resolves dot segments.
  if (parameter === '.' || parameter === '..') return 'expected an identifier, not a dot segment of a path';
  if (/\p{Surrogate}/u.test(parameter)) return 'expected well-formed Unicode';
  return undefined;
}
