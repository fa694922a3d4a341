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
import { CliFailure, knownWord, usageFailure } from './failure';
import { endWithReader, print, printJson, wrap } from './output';
import { line, visible } from './visible';

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [demo, sandbox, ...controlCommands, list, resend, fault, verify];

/** Runs the command line. `args` is what follows the program's name. @returns the exit code */
export function runCommandLine(args: readonly string[]): Promise<number> {
  endWithReader();
  const isJson = args.includes('--json');
  return run(args, isJson);
}

async function run(args: readonly string[], isJson: boolean): Promise<number> {
  const [first, ...rest] = args[0] === 'help' ? [...args.slice(1), '--help'] : args;
  if (first === '--version' || first === '-v' || first === 'version') {
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
    const call = parseArguments(command, rest);
    const { exitCode = 0, data, text } = await command.run(call);
    if (call.json && data !== undefined) printJson(data, 2);
    if (!call.json && text !== undefined) print(text);
    return exitCode;
  } catch (error) {
    return fail(error, command, isJson);
  }
}

function isHelp(arg: string | undefined): boolean {
  return arg === '--help' || arg === '-h';
}

/** What other tools call their commands. */
const namesElsewhere: Readonly<Record<string, string>> = {
  listen: '`pix-automatic-sdk sandbox --webhook-url URL` sends notifications to your listener.',
  trigger: '`pix-automatic-sdk pay` pays a journey of the sandbox, which sends its notification.',
};

function commandNamed(typed: string | undefined): Command {
  const elsewhere = Object.hasOwn(namesElsewhere, typed ?? '') ? namesElsewhere[typed ?? ''] : undefined;
  if (elsewhere !== undefined) throw usageFailure(`There is no command \`${typed}\`. ${elsewhere}`);
  const names = commands.map(({ name }) => name);
  const name = knownWord('command', typed, names);
  return commands[names.indexOf(name)] as Command;
}

function fail(error: unknown, command: Command | undefined, isJson: boolean): number {
  const isExpected = error instanceof CliFailure || error instanceof ConfigurationError;
  if (!isExpected) throw error;
  // Without the pointer to a page of the package: npx keeps the package in a cache. The lines below point to the help.
  // It may quote what another program or a merchant's client wrote: a reference code, or the answer on the port.
  const message = visible(withoutPointer(error.message));
  const exitCode = error instanceof CliFailure ? error.exitCode : 2;
  const isUsage = error instanceof CliFailure ? error.isUsage : true;
  const usage = isUsage && command !== undefined ? usageLine(command) : undefined;
  if (isJson) {
    printJson({ error: { message, usage } });
    return exitCode;
  }
  process.stderr.write(`${PROGRAM}: ${message}\n`);
  if (usage !== undefined) process.stderr.write(`${usage}\n`);
  if (isUsage) {
    process.stderr.write(`Help: npx ${PROGRAM} ${command === undefined ? '' : `${command.name} `}--help\n`);
  }
  return exitCode;
}

/** One line that says how to call a command. */
function usageLine(command: Command): string {
  const args = command.arguments.map(({ name, isRequired }) => (isRequired ? `<${name}>` : `[${name}]`));
  return ['Usage:', PROGRAM, command.name, ...args, '[options]'].join(' ');
}

function commandHelp(command: Command): string {
  const options = Object.entries(optionsOf(command)).map(([name, { value, about, choices }]) => {
    const typed = value === undefined ? `--${name}` : `--${name} <${value}>`;
    return [typed, choices === undefined ? about : `${about}: ${choices.join(', ')}`] as const;
  });
  return render(command.summary.replaceAll('`', ''), usageLine(command), [
    section('Options', ...columns(options)),
    ...(command.examples === undefined
      ? []
      : [section('Examples', ...command.examples.map((example) => `$ npx ${PROGRAM} ${example}`))]),
    ...(command.notes?.() ?? []),
    ...(command.exitCodes === undefined ? [] : [exitCodes(command.exitCodes)]),
    section('Help', line`\`${`npx ${PROGRAM} --help`}\` has the credentials and the exit codes.`),
  ]);
}

function programHelp(): string {
  const summary = 'a local sandbox for recurring Pix payments, and tools for your listener';
  const rows = commands.map((command) => [command.name, command.summary.replaceAll('`', '')] as const);
  return render(
    `${PROGRAM} ${VERSION}: ${summary}`,
    ['Usage:', PROGRAM, `<command>`, '[options]'].join(' '),
    [
      section('Commands', ...columns(rows)),
      section('Help', `$ npx ${PROGRAM} <command> --help`),
      section(
        'Credentials',
        'PAYMENTS_API_KEY and PAYMENTS_API_TOKEN from the environment, never from an argument, and never printed.',
        "Without them, the sandbox's own pair is used, which is no secret: only for this machine, or with --allow-insecure-http.",
        'Credentials are sent over https, or to this machine. Plain http to other hosts needs --allow-insecure-http.',
      ),
      exitCodes([
        'it worked; what was sent was answered with 200',
        'refused, not reached, or a notification was not answered with 200',
        'called wrongly; nothing was sent',
        'of `verify` alone: no step failed, and some could not run',
      ]),
    ],
  );
}

function exitCodes(meanings: readonly string[]): HelpSection {
  return section('Exit codes', ...meanings.map((meaning, code) => `${code}  ${meaning}`));
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
