/** A failure that the command line reports as one message, without a stack. */
export class CliFailure extends Error {
  /** 1: it did not work. 2: it was called wrongly, and nothing was sent. */
  readonly exitCode: 1 | 2;

  constructor(exitCode: 1 | 2, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function usageFailure(message: string): CliFailure {
  return new CliFailure(2, message);
}
