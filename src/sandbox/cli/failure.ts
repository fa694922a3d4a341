/** What the command line says and ends with. */
export class CliFailure extends Error {
  /** 1: it did not work. 2: it was not called right, and nothing was sent. */
  readonly exitStatus: 1 | 2;

  constructor(exitStatus: 1 | 2, message: string) {
    super(message);
    this.exitStatus = exitStatus;
  }
}

export function usageFailure(message: string): CliFailure {
  return new CliFailure(2, message);
}
