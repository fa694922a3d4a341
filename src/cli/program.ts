import { ConfigurationError } from '../errors';
import { withoutPointer } from '../errors/payments-error';
import { VERSION } from '../version';
import { type Command, type HelpSection, optionsOf, PROGRAM, parseArguments, section } from './command';
import { controlCommands } from './commands/control-command';
import { demo } from './commands/demo';
import { fault } from './commands/fault';
import { list } from './commands/list';
import { resend } from './commands/resend';
import { sandbox } from './commands/sandbox';
import { verify } from './commands/verify';
import { CliFailure, knownWord } from './failure';
import { inLanguage, languageOf, say, translated } from './language';
import { endWithReader, print, printJson, wrap } from './output';
import type { TextKey } from './texts';
import { visible } from './visible';

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [demo, sandbox, ...controlCommands, list, resend, fault, verify];

/** Runs the command line. `args` is what follows the program's name. @returns the exit code */
export function runCommandLine(args: readonly string[]): Promise<number> {
  endWithReader();
  const isJson = args.includes('--json');
  return inLanguage(isJson ? 'en' : languageOf(args), () => run(args, isJson));
}

async function run(args: readonly string[], isJson: boolean): Promise<number> {
  const [first, ...rest] = args[0] === 'help' ? [...args.slice(1), '--help'] : withoutLeadingOption(args);
  if (first === '--version') {
    print(`${PROGRAM}/${VERSION}`);
    return 0;
  }
  if (isHelp(first)) {
    print(programHelp());
    return 0;
  }
  let command: Command | undefined;
  try {
    command = commandNamed(first);
    if (rest.some(isHelp)) {
      print(commandHelp(command));
      return 0;
    }
    const call = parseArguments(command, rest, languageOf(args));
    const { exitCode = 0, data, text } = await command.run(call);
    if (call.json && data !== undefined) printJson(data, 2);
    if (!call.json && text !== undefined) print(text);
    return exitCode;
  } catch (error) {
    return fail(error, command, isJson);
  }
}

/** `--lang pt` may also come before the command. */
function withoutLeadingOption(args: readonly string[]): readonly string[] {
  if (args[0] === '--lang') return args.slice(2);
  return args[0]?.startsWith('--lang=') ? args.slice(1) : args;
}

function isHelp(arg: string | undefined): boolean {
  return arg === '--help' || arg === '-h';
}

function commandNamed(typed: string | undefined): Command {
  const names = commands.map(({ name }) => name);
  const name = knownWord('value.command', typed, names);
  return commands[names.indexOf(name)] as Command;
}

function fail(error: unknown, command: Command | undefined, isJson: boolean): number {
  const isExpected = error instanceof CliFailure || error instanceof ConfigurationError;
  if (!isExpected) throw error;
  // Without the pointer to a page of the package: npx keeps the package in a cache. The lines below point to the help.
  // It may quote what another program or a merchant's client wrote: a reference code, or the answer on the port.
  const message = visible(translated(withoutPointer(error.message)));
  const exitCode = error instanceof CliFailure ? error.exitCode : 2;
  const usage = exitCode === 2 && command !== undefined ? usageLine(command) : undefined;
  if (isJson) {
    printJson({ error: { message, usage } });
    return exitCode;
  }
  process.stderr.write(`${PROGRAM}: ${message}\n`);
  if (usage !== undefined) process.stderr.write(`${usage}\n`);
  if (exitCode === 2) {
    process.stderr.write(
      `${say('help.help')}: npx ${PROGRAM} ${command === undefined ? '' : `${command.name} `}--help\n`,
    );
  }
  return exitCode;
}

/** One line that says how to call a command. */
function usageLine(command: Command): string {
  const args = command.arguments.map(({ name, isRequired }) =>
    isRequired ? `<${say(name)}>` : `[${say(name)}]`,
  );
  return [say('help.usage'), PROGRAM, command.name, ...args, say('help.anyOptions')].join(' ');
}

function commandHelp(command: Command): string {
  const options = Object.entries(optionsOf(command)).map(([name, { value, about, choices }]) => {
    const typed = value === undefined ? `--${name}` : `--${name} <${say(value)}>`;
    return [typed, choices === undefined ? say(about) : `${say(about)}: ${choices.join(', ')}`] as const;
  });
  return render(say(command.summary).replaceAll('`', ''), usageLine(command), [
    section('help.options', ...columns(options)),
    ...(command.examples === undefined
      ? []
      : [section('help.examples', ...command.examples.map((example) => `$ npx ${PROGRAM} ${example}`))]),
    ...(command.notes?.() ?? []),
    ...(command.exitCodes === undefined ? [] : [exitCodes(command.exitCodes)]),
    section('help.help', say('help.more', { command: `npx ${PROGRAM} --help` })),
  ]);
}

function programHelp(): string {
  const summary = say('program.summary');
  const rows = commands.map((command) => [command.name, say(command.summary).replaceAll('`', '')] as const);
  return render(
    `${PROGRAM} ${VERSION}: ${summary}`,
    [say('help.usage'), PROGRAM, `<${say('value.command')}>`, say('help.anyOptions')].join(' '),
    [
      section('help.commands', ...columns(rows)),
      section('help.help', `$ npx ${PROGRAM} <${say('value.command')}> --help`),
      section('help.credentials', say('help.pair'), say('help.defaultPair'), say('help.pairTarget')),
      exitCodes(['exit.worked', 'exit.failed', 'exit.calledWrongly', 'exit.notChecked']),
    ],
  );
}

function exitCodes(meanings: readonly TextKey[]): HelpSection {
  return section('help.exitCodes', ...meanings.map((meaning, code) => `${code}  ${say(meaning)}`));
}

const WIDTH = 120;

function render(summary: string, usage: string, sections: readonly HelpSection[]): string {
  const shown = sections.map(({ title, lines }) => {
    const wrapped = lines.flatMap((line) => (/^[ $]|^--| {2}/.test(line) ? [line] : wrap(line, WIDTH)));
    return [`${title}:`, ...wrapped.map((line) => `  ${line}`)].join('\n');
  });
  return [summary, usage, ...shown].join('\n\n');
}

function columns(rows: readonly (readonly [left: string, right: string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`);
}
