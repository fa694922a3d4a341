import { VERSION } from '../version';
import type { OptionSpec, Options } from './options';

export interface ArgumentSpec {
  /** As the help shows it. */
  readonly name: string;
  readonly isRequired: boolean;
}

/** A section of the help. */
export interface HelpSection {
  readonly title: string;
  readonly lines: readonly string[];
}

/** A command such as `verify`. Each has its own file in `commands/`. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  readonly arguments: readonly ArgumentSpec[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** What to type after the program's name. */
  readonly examples: readonly string[];
  readonly notes?: readonly HelpSection[];
  /** What exit codes 0 and 1 mean, and 2 and 3 where a command has its own. */
  readonly exitCodes: readonly [zero: string, one: string, two?: string, three?: string];
  /** @returns the exit code */
  run(call: Call): Promise<number>;
}

/** How a command was called. */
export interface Call {
  readonly args: readonly string[];
  readonly options: Options;
}

/** The package's own name: with another name, `npx` would run whatever package somebody registers under it. */
export const PROGRAM = 'pix-automatic-sdk';

const credentials: HelpSection = {
  title: 'Credentials',
  lines: [
    'PAYMENTS_API_KEY and PAYMENTS_API_TOKEN from the environment, never from an argument, and never printed.',
    "Without them, the sandbox's own pair is used, which is no secret: only for this machine, or with --allow-insecure-http.",
    'Credentials are sent over https, or to this machine. Plain http to other hosts needs --allow-insecure-http.',
  ],
};

/** One line that says how to call a command. */
export function usageLine(command: Command): string {
  const args = command.arguments.map(({ name, isRequired }) => (isRequired ? ` <${name}>` : ` [${name}]`));
  return `Usage: ${PROGRAM} ${command.name}${args.join('')} [options]`;
}

export function commandHelp(command: Command): string {
  const options = Object.entries({ ...command.options, help: { about: 'Show this help' } }).map(
    ([name, { value, about }]: [string, { value?: string; about: string }]) =>
      [`--${name}${value === undefined ? '' : ` <${value}>`}`, about] as const,
  );
  return render(command.summary, [
    { title: '', lines: [usageLine(command)] },
    { title: 'Options', lines: columns(options) },
    { title: 'Examples', lines: command.examples.map((example) => `$ npx ${PROGRAM} ${example}`) },
    ...(command.notes ?? []),
    credentials,
    exitCodes(command.exitCodes),
  ]);
}

export function programHelp(commands: readonly Command[]): string {
  return render(
    `${PROGRAM} ${VERSION}: a local sandbox for recurring Pix payments, and tools for your listener`,
    [
      { title: '', lines: [`Usage: ${PROGRAM} <command> [options]`] },
      { title: 'Commands', lines: columns(commands.map(({ name, summary }) => [name, summary] as const)) },
      {
        title: 'Examples',
        lines: commands
          .flatMap(({ examples }) => examples.slice(0, 1))
          .map((example) => `$ npx ${PROGRAM} ${example}`),
      },
      { title: 'Help', lines: [`$ npx ${PROGRAM} <command> --help`] },
      credentials,
      exitCodes(['it worked', 'it did not work; see the help of each command']),
    ],
  );
}

function exitCodes([zero, one, two, three]: Command['exitCodes']): HelpSection {
  const meanings = [
    zero,
    one,
    two ?? 'called wrongly; nothing was sent',
    ...(three === undefined ? [] : [three]),
  ];
  return { title: 'Exit codes', lines: meanings.map((meaning, code) => `${code}  ${meaning}`) };
}

function render(summary: string, sections: readonly HelpSection[]): string {
  const shown = sections.map(({ title, lines }) =>
    title === '' ? lines.join('\n') : [`${title}:`, ...lines.map((line) => `  ${line}`)].join('\n'),
  );
  return [summary, ...shown].join('\n\n');
}

function columns(rows: readonly (readonly [left: string, right: string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`);
}
