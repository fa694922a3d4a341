import type { Options } from './options';

/** An option of a command, by its name without the dashes. */
export interface OptionSpec {
  /** What the help shows for the value, such as `url`. An option without it takes no value. */
  readonly value?: string;
  readonly about: string;
}

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

/** A command of the command line. Each has its file in `commands/`. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  readonly arguments: readonly ArgumentSpec[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** What to type after the program's name. */
  readonly examples: readonly string[];
  readonly notes?: readonly HelpSection[];
  /** What exit codes 0 and 1 mean. */
  readonly exitCodes: readonly [zero: string, one: string];
  /** @returns the exit code */
  run(call: Call): Promise<number>;
}

/** How a command was called. */
export interface Call {
  readonly args: readonly string[];
  readonly options: Options;
}
