import { parseArgs } from 'node:util';
import type { Call, Command } from './command';
import { didYouMean, quoteWord, usageFailure } from './failure';
import { Options } from './options';

/** Reads what follows the command's name. */
export function parseArguments(command: Command, argv: readonly string[]): Call {
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(
      Object.entries(command.options).map(([name, { value }]) => [
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
    if (token.kind === 'option') addOption(command, token, values);
  }
  checkArguments(command, args);
  return { args, options: new Options(values) };
}

interface OptionToken {
  readonly name: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function addOption(
  { options }: Command,
  { name, value, inlineValue }: OptionToken,
  values: Map<string, string[]>,
): void {
  const spec = Object.hasOwn(options, name) ? options[name] : undefined;
  if (spec === undefined) {
    const hint = didYouMean(name, Object.keys(options), '--');
    throw usageFailure(`There is no option ${quoteWord(name).replace('`', '`--')}.${hint}`);
  }
  if (spec.value === undefined) {
    if (value !== undefined) throw usageFailure(`Expected \`--${name}\` without a value.`);
    values.set(name, []);
    return;
  }
  const isOption = !inlineValue && value !== undefined && /^-\D/.test(value);
  if (value === undefined || value === '' || isOption) {
    throw usageFailure(`Expected a value after \`--${name}\`: <${spec.value}>.`);
  }
  values.set(name, [...(values.get(name) ?? []), value]);
}

function checkArguments({ arguments: specs }: Command, args: readonly string[]): void {
  const missing = specs.find(({ isRequired }, index) => isRequired && args[index] === undefined);
  if (missing !== undefined) throw usageFailure(`Expected <${missing.name}>.`);
  // Not quoted: they may be credentials.
  if (args.length > specs.length) throw usageFailure('Expected no further arguments.');
}
