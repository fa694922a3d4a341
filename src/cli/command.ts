import { parseArgs } from 'node:util';
import { didYouMean, quoteWord, usageFailure } from './failure';
import { line } from './visible';

/** The package's own name: with another name, `npx` would run whatever package somebody registers under it. */
export const PROGRAM = 'pix-automatic-sdk';

export const DEFAULT_PORT = 4100;
export const DEFAULT_SANDBOX = `http://127.0.0.1:${DEFAULT_PORT}`;

/** A command such as `verify`. Each has its own file in `commands/`. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  readonly arguments: readonly { readonly name: string; readonly isRequired: boolean }[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** What to type after the program's name, where an address has to be put together. */
  readonly examples?: readonly string[];
  /** More sections of its help. */
  readonly notes?: () => readonly HelpSection[];
  /** What its exit codes mean, from 0 on. Default: those in the help of the program. */
  readonly exitCodes?: readonly string[];
  run(call: Call): Promise<Outcome>;
}

/** What a command ends with. While it works it may print more. */
export interface Outcome {
  /** Default: 0. */
  readonly exitCode?: number;
  /** Printed with `--json`. */
  readonly data?: object;
  /** Printed without `--json`. */
  readonly text?: string;
}

/** An option of a command, by its name without the dashes. */
export interface OptionSpec {
  /** What the help shows for the value, such as `url`. An option without it takes no value. */
  readonly value?: string | undefined;
  readonly about: string;
  /** The words that it takes. */
  readonly choices?: readonly string[] | undefined;
}

export interface HelpSection {
  readonly title: string;
  /** Those that start with a space are code, and are not wrapped. */
  readonly lines: readonly string[];
}

export function section(title: string, ...lines: readonly string[]): HelpSection {
  return { title, lines };
}

/** How a command was called. */
export interface Call {
  readonly args: readonly string[];
  readonly options: Options;
  readonly json: boolean;
}

/** Options that several commands have. */
export const insecureHttpOption = {
  about: 'Send the credentials over plain http to other hosts, such as those of Docker Compose',
} satisfies OptionSpec;

/** For the commands that talk to a running sandbox. */
export const sandboxOptions = {
  sandbox: {
    value: 'url',
    about:
      'The running sandbox (default: PAYMENTS_BASE_URL if it is on this machine, else http://127.0.0.1:4100)',
  },
  'allow-insecure-http': insecureHttpOption,
} satisfies Readonly<Record<string, OptionSpec>>;

/** Every command has them. */
const commonOptions = {
  json: { about: 'Print one JSON document' },
  help: { about: 'Show this help' },
} satisfies Readonly<Record<string, OptionSpec>>;

/** All options of a command: its own come first, and it may describe a common one in its own words. */
export function optionsOf({ options }: Command): Readonly<Record<string, OptionSpec>> {
  return { ...options, ...commonOptions, ...options };
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
    if (values.length > 1) throw usageFailure(line`Expected \`--${name}\` once.`);
    return values[0];
  }

  /** The value, which must be one of `known`, in any case. */
  oneOf<Word extends string>(name: string, known: readonly Word[]): Word | undefined {
    const text = this.text(name);
    const found = known.find((candidate) => candidate.toLowerCase() === text?.toLowerCase());
    if (text === undefined || found !== undefined) return found;
    const hint = didYouMean(text, known);
    throw usageFailure(line`Expected \`--${name}\` to be one of ${known.join(', ')}.${hint}`);
  }

  /** A whole number within limits. */
  integer(name: string, limits: { readonly least: number; readonly most: number }): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const number = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= limits.least && number <= limits.most) return number;
    throw usageFailure(
      line`Expected \`--${name}\` to be a whole number from ${limits.least} to ${limits.most}.`,
    );
  }

  /** An amount in the currency's main unit, such as `29.90`. */
  amount(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const number = /^\d+(\.\d{1,2})?$/.test(text) ? Number(text) : 0;
    if (number > 0) return number;
    throw usageFailure(line`Expected \`--${name}\` to be an amount above 0 with a point, such as 29.90.`);
  }
}

/** Reads what follows the command's name. */
export function parseArguments(command: Command, argv: readonly string[]): Call {
  const options = optionsOf(command);
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(
      Object.entries(options).map(([name, { value }]) => [
        name,
        { type: value === undefined ? ('boolean' as const) : ('string' as const) },
      ]),
    ),
    // Not strict, because its messages suggest nothing. The code below refuses the same arguments.
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const args: string[] = [];
  const values = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === 'positional') args.push(token.value);
    if (token.kind === 'option') addOption(options, token, values);
  }
  const missing = command.arguments.find(({ isRequired }, index) => isRequired && args[index] === undefined);
  if (missing !== undefined) throw usageFailure(line`Expected <${missing.name}>.`);
  const extra = args[command.arguments.length];
  if (extra !== undefined) {
    const taken = command.arguments.map(({ name }) => `<${name}>`).join(' ');
    if (taken !== '') {
      const quoted = quoteWord(extra);
      const word = quoted === 'of that name' ? '' : `: ${quoted}`;
      const isList = [...values.values()].flat().some((value) => value.endsWith(','));
      const hint = isList ? ' Write a list without spaces.' : '';
      throw usageFailure(
        line`There is an argument too many${word}. \`${command.name}\` takes ${taken}.${hint}`,
      );
    }
    throw usageFailure(line`\`${command.name}\` takes no argument.${optionHint(options, extra)}`);
  }
  return { args, options: new Options(values), json: values.has('json') };
}

/** The option that an argument is probably the value of. */
function optionHint(options: Readonly<Record<string, OptionSpec>>, argument: string): string {
  if ('port' in options && /^\d{1,5}$/.test(argument)) return line` The port is \`--port ${argument}\`.`;
  const json = Object.entries(options).find(([, { value }]) => value === 'json');
  return json !== undefined && argument.startsWith('{')
    ? line` The JSON is the value of \`--${json[0]}\`.`
    : '';
}

/** An option of that meaning, or one that begins so. */
function otherName(typed: string, names: readonly string[]): string | undefined {
  return names.find((name) => (name === 'amount' && typed === 'value') || name.startsWith(`${typed}-`));
}

interface OptionToken {
  readonly name: string;
  /** As it was typed: `-x`. */
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function addOption(
  options: Readonly<Record<string, OptionSpec>>,
  { name, rawName, value, inlineValue }: OptionToken,
  values: Map<string, string[]>,
): void {
  const spec = Object.hasOwn(options, name) ? options[name] : undefined;
  if (spec === undefined) {
    const names = Object.keys(options);
    const hint = /^lang(uage)?$/.test(name)
      ? ' The terminal speaks English, and the page of the sandbox Portuguese, too.'
      : didYouMean(otherName(name, names) ?? name, names, '--');
    const dashes = rawName.startsWith('--') ? '--' : '-';
    throw usageFailure(line`There is no option ${quoteWord(name, dashes)}.${hint}`);
  }
  if (spec.value === undefined) {
    if (value !== undefined) throw usageFailure(line`Expected \`--${name}\` without a value.`);
    values.set(name, []);
    return;
  }
  const isOption = !inlineValue && value !== undefined && /^-\D/.test(value);
  if (value === undefined || value === '' || isOption) {
    throw usageFailure(line`Expected a value after \`--${name}\`: <${spec.value}>.`);
  }
  values.set(name, [...(values.get(name) ?? []), value]);
}
