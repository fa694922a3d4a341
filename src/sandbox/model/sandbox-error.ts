/** A control call that the sandbox cannot carry out, such as a refund of an unpaid transaction. */
export class SandboxError extends Error {
  static {
    Object.defineProperty(SandboxError.prototype, 'name', { value: 'SandboxError' });
  }

  /** `'unknown'`: no such id or name. `'not-allowed'`: not in the current state. `'invalid'`: a wrong argument. */
  readonly code: 'unknown' | 'not-allowed' | 'invalid';

  /** The message in Portuguese, for the sandbox's page. */
  readonly portuguese: string;

  /** Only the sandbox creates one. */
  constructor(code: SandboxError['code'], message: string, portuguese: string = message) {
    super(message);
    this.code = code;
    this.portuguese = portuguese;
  }
}
