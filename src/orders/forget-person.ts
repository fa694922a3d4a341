import { ConfigurationError } from '../errors/configuration-error';
import type { DeadLetter } from '../stores/dead-letters';
import { type OptionNames, readNamedOptions } from '../values/option-checks';

/** What is known of a person whose data is to go. At least one of the four. */
export interface Person {
  /** Number of a document, such as a CPF, with or without its punctuation. */
  readonly document?: string | undefined;
  /** E-mail address. */
  readonly email?: string | undefined;
  /** Number of a bank account, with or without its punctuation. */
  readonly account?: string | undefined;
  /** Whole name, with or without its accents. */
  readonly name?: string | undefined;
}

const NAMES: OptionNames<Person> = { document: true, email: true, account: true, name: true };

/** What stands in place of a text that was forgotten. */
const FORGOTTEN = '[forgotten]';

/** Finds a person in a text, or in a number. */
type Finds = (value: string | number) => boolean;

/** @throws `ConfigurationError` for a person of whom nothing is said */
export function readPerson(person: Person): Finds {
  const given = Object.values(readNamedOptions<Person>('forgetPerson', person, NAMES)).filter(
    (text) => text !== undefined,
  );
  const texts = given.map((text) => (typeof text === 'string' ? lettersOf(text) : []));
  if (texts.length === 0 || texts.some(({ length }) => length < 3)) {
    throw new ConfigurationError(
      'Expected `forgetPerson({ document, email, account, name })`: at least one of them, each a text of three letters or ' +
        'digits or more.',
    );
  }
  const patterns = texts.map(patternOf);
  const numbers = new Set(texts.map((letters) => withoutZeros(letters.join(''))));
  return (value) =>
    typeof value === 'number'
      ? numbers.has(String(value))
      : patterns.some((pattern) => pattern.test(withoutAccents(value)));
}

/** Without accents, for a bank writes names without them. */
function withoutAccents(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '');
}

function lettersOf(text: string): string[] {
  return withoutAccents(text).match(/[\p{L}\p{N}]/gu) ?? [];
}

/** A number has no zeros before it. */
function withoutZeros(digits: string): string {
  return digits.replace(/^0+(?=.)/, '');
}

/** The letters and digits, in any case and with any punctuation between them, and no others beside them. */
function patternOf(letters: readonly string[]): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])${letters.join('[^\\p{L}\\p{N}]*')}(?![\\p{L}\\p{N}])`, 'iu');
}

/** A text or a number of a JSON text; a text before a colon is the name of a field. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** What a case is decided by: the identities, states and sums of money. */
const DECIDED_BY =
  /(?:uuid|token|status|amount|amountrefunded|currency|referencecode|externalid|idrec|date)$/i;

/**
 * A body without what it says of a person; `undefined` if it says nothing of them. Reads the JSON text from token to token:
 * it may begin with a byte order mark, and be nested deeper than the stack is.
 */
function bodyWithout(body: string, finds: Finds): string | undefined {
  let field = '';
  const written = body.replace(TOKEN, (token, colon: string | undefined) => {
    const value: string | number = JSON.parse(colon === undefined ? token : token.slice(0, -colon.length));
    if (colon !== undefined) {
      field = String(value);
      return token;
    }
    return !DECIDED_BY.test(field) && finds(value) ? JSON.stringify(FORGOTTEN) : token;
  });
  return written === body ? undefined : written;
}

/** A case without what it says of a person; `undefined` if it says nothing of them. */
export function letterWithout(letter: DeadLetter, finds: Finds): DeadLetter | undefined {
  const { body, note } = letter;
  const written = bodyWithout(body, finds);
  const isNoted = note !== undefined && finds(note);
  if (written === undefined && !isNoted) return undefined;
  return { ...letter, body: written ?? body, ...(isNoted && { note: FORGOTTEN }) };
}
