import { line } from './visible';

/** A failure that the command line reports as one message, without a stack. */
export class CliFailure extends Error {
  /** 1: it did not work. 2: it was called wrongly or could not begin, and nothing was sent. */
  readonly exitCode: 1 | 2;
  /** Whether something else has to be typed: the usage helps. */
  readonly isUsage: boolean;

  constructor(exitCode: 1 | 2, message: string, isUsage = false) {
    super(message);
    this.exitCode = exitCode;
    this.isUsage = isUsage;
  }
}

/** It did not work. */
export function failure(message: string): CliFailure {
  return new CliFailure(1, message);
}

/** It was called wrongly. */
export function usageFailure(message: string): CliFailure {
  return new CliFailure(2, message, true);
}

/** The word of `known` that was typed. Suggests a similar one, or lists all. */
export function knownWord<Word extends string>(
  what: string,
  typed: string | undefined,
  known: readonly Word[],
): Word {
  const list = known.join(', ');
  if (typed === undefined) throw usageFailure(line`Expected <${what}>: one of ${list}.`);
  const found = known.find((candidate) => candidate === typed);
  if (found !== undefined) return found;
  const hint = didYouMean(typed, known) || ` ${line`Expected one of ${list}.`}`;
  throw usageFailure(line`There is no ${what} ${quoteWord(typed)}.${hint}`);
}

/** ` Did you mean …?`, or nothing. */
export function didYouMean(typed: string, candidates: Iterable<string>, prefix = ''): string {
  const near = suggest(typed, candidates);
  return near === undefined ? '' : ` ${line`Did you mean \`${prefix + near}\`?`}`;
}

/** Quotes only what looks like a word: anything else may be a secret typed in the wrong place. */
export function quoteWord(typed: string, prefix = ''): string {
  return /^[a-zA-Z][a-zA-Z-]{0,23}$/.test(typed) ? `\`${prefix}${typed}\`` : 'of that name';
}

/** The most similar candidate, if one is similar enough. */
function suggest(typed: string, candidates: Iterable<string>): string | undefined {
  const wanted = simplify(typed);
  let best: string | undefined;
  // From five letters on, 2 or more: two swapped letters count as two replacements.
  let least = (wanted.length < 5 ? 1 : Math.max(2, Math.floor(wanted.length / 3))) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, simplify(candidate));
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

function simplify(text: string): string {
  return text.toLowerCase().replaceAll(/[-_ ]/g, '');
}

/** How many letters to insert, delete or replace (Levenshtein). */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [rowIndex, letter] of [...one].entries()) {
    const next = [rowIndex + 1];
    for (const [index, otherLetter] of [...other].entries()) {
      const replaced = (row[index] ?? 0) + (letter === otherLetter ? 0 : 1);
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
