import { PaymentsError } from 'pix-automatic-sdk';
import { expect } from 'vitest';

/** The error that a function throws, which must be a `PaymentsError`. */
export function failureOf(run: () => unknown): PaymentsError {
  let value: unknown;
  try {
    value = run();
  } catch (error) {
    expect(error).toBeInstanceOf(PaymentsError);
    return error as PaymentsError;
  }
  throw new Error(`Expected an error, got ${JSON.stringify(value)}`);
}
