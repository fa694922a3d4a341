/** A control call that the sandbox cannot carry out: a refund of an unpaid transaction, an id it does not know. */
export class SandboxError extends Error {
  static {
    Object.defineProperty(SandboxError.prototype, 'name', { value: 'SandboxError' });
  }

  /** `'unknown'`: no such thing. `'not-allowed'`: not in the state it is in. `'invalid'`: the call makes no sense. */
  readonly code: 'unknown' | 'not-allowed' | 'invalid';

  /** Made by the sandbox. */
  constructor(code: SandboxError['code'], message: string) {
    super(message);
    this.code = code;
  }
}
