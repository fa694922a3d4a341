import { didYouMean, usageFailure } from './failure';

/** An option of a command, by its name without the dashes. */
export interface OptionSpec {
  /** What the help shows for the value, such as `url`. An option without it takes no value. */
  readonly value?: string;
  readonly about: string;
}

/** The limits of a number, and its default. */
interface Limits {
  readonly least: number;
  readonly most: number;
  readonly otherwise: number;
}

/** The options a command was called with: every value as text, in the order given. */
export class Options {
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** Every value of an option that may be repeated. */
  list(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  text(name: string): string | undefined {
    const values = this.list(name);
    if (values.length > 1) throw usageFailure(`Expected \`--${name}\` once.`);
    return values[0];
  }

  /** The value, which must be one of `known`. */
  oneOf<Word extends string>(name: string, known: readonly Word[]): Word | undefined {
    const text = this.text(name);
    const found = known.find((candidate) => candidate === text);
    if (text === undefined || found !== undefined) return found;
    throw usageFailure(`Expected \`--${name}\` to be one of ${known.join(', ')}.${didYouMean(text, known)}`);
  }

  /** A whole number within limits. */
  integer(name: string, { least, most, otherwise }: Limits): number {
    const text = this.text(name);
    if (text === undefined) return otherwise;
    const number = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw usageFailure(`Expected \`--${name}\` to be a whole number from ${least} to ${most}.`);
  }

  /** An amount in the currency's main unit, such as `29.90`. */
  amount(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const number = /^\d+(\.\d{1,2})?$/.test(text) ? Number(text) : 0;
    if (number > 0) return number;
    throw usageFailure(`Expected \`--${name}\` to be an amount above 0 with a point, such as 29.90.`);
  }
}

/** The place of a language in a text of the controls: English, Portuguese. */
export type Language = 0 | 1;

/** The language of `--lang`, or that of the environment. */
export function languageOf(options: Options): Language {
  const { LC_ALL, LC_MESSAGES, LANG } = process.env;
  const chosen = options.oneOf('lang', ['en', 'pt', 'pt-BR']) ?? (LC_ALL || LC_MESSAGES || LANG || 'en');
  return chosen.toLowerCase().startsWith('pt') ? 1 : 0;
}

export const DEFAULT_PORT = 4100;
export const DEFAULT_SANDBOX = `http://127.0.0.1:${DEFAULT_PORT}`;

/** Options that several commands have. */
export const jsonOption = { about: 'Print one JSON document' } satisfies OptionSpec;

export const insecureHttpOption = {
  about: 'Send the credentials over plain http to other hosts, such as those of Docker Compose',
} satisfies OptionSpec;

/** For the commands that talk to a running sandbox. */
export const sandboxOptions = {
  sandbox: { value: 'url', about: `The running sandbox (default: ${DEFAULT_SANDBOX})` },
  'allow-insecure-http': insecureHttpOption,
  lang: { value: 'name', about: 'en or pt (default: by LC_ALL, LC_MESSAGES or LANG)' },
  json: jsonOption,
} satisfies Readonly<Record<string, OptionSpec>>;
