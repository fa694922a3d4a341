import { ConfigurationError } from '../errors';
import { withoutPointer } from '../errors/payments-error';
import { VERSION } from '../version';
import { type Command, commandHelp, PROGRAM, programHelp, usageLine } from './command';
import { controlCommands } from './commands/control-command';
import { demo } from './commands/demo';
import { explain } from './commands/explain';
import { fault } from './commands/fault';
import { list } from './commands/list';
import { readQr } from './commands/read-qr';
import { resend } from './commands/resend';
import { sandbox } from './commands/sandbox';
import { trigger } from './commands/trigger';
import { verify } from './commands/verify';
import { CliFailure, unknownWord, usageFailure } from './failure';
import { endWithReader, print, printJson, visible } from './output';
import { parseArguments } from './parse-arguments';

/** Runs the command line. `args` is what follows the program's name. @returns the exit code */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  endWithReader();
  const [first, ...rest] = args[0] === 'help' ? [...args.slice(1), '--help'] : args;
  if (first === '--version') {
    print(`${PROGRAM}/${VERSION}`);
    return 0;
  }
  if (isHelp(first)) {
    print(programHelp(commands));
    return 0;
  }
  const command = commands.find(({ name }) => name === first);
  const isJson = args.includes('--json');
  if (command === undefined) return fail(noCommand(first), undefined, isJson);
  if (rest.some(isHelp)) {
    print(commandHelp(command));
    return 0;
  }
  try {
    return await command.run(parseArguments(command, rest));
  } catch (error) {
    return fail(error, command, isJson);
  }
}

function isHelp(arg: string | undefined): boolean {
  return arg === '--help' || arg === '-h';
}

function noCommand(typed: string | undefined): CliFailure {
  const names = commands.map(({ name }) => name);
  if (typed === undefined) return usageFailure(`Expected a command: one of ${names.join(', ')}.`);
  return unknownWord('command', typed, names);
}

function fail(error: unknown, command: Command | undefined, isJson: boolean): number {
  const isExpected = error instanceof CliFailure || error instanceof ConfigurationError;
  if (!isExpected) throw error;
  // Without the pointer to a page of the package: npx keeps the package in a cache. The lines below point to the help.
  // It may quote what another program or a merchant's client wrote: a reference code, or the answer on the port.
  const message = visible(withoutPointer(error.message));
  const exitCode = error instanceof CliFailure ? error.exitCode : 2;
  const usage = exitCode === 2 && command !== undefined ? usageLine(command) : undefined;
  if (isJson) {
    printJson({ error: { message, usage } });
    return exitCode;
  }
  process.stderr.write(`${PROGRAM}: ${message}\n`);
  if (usage !== undefined) process.stderr.write(`${usage}\n`);
  if (exitCode === 2) {
    process.stderr.write(`Help: npx ${PROGRAM} ${command === undefined ? '' : `${command.name} `}--help\n`);
  }
  return exitCode;
}

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  demo,
  sandbox,
  ...controlCommands,
  list,
  resend,
  fault,
  trigger,
  verify,
  explain,
  readQr,
];
