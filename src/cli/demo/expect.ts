/** A step of the demo did not go as it should. */
export class ExpectationError extends Error {}

/** Ends the demo when something is not as it should be. */
export function expect(isMet: boolean, expectation: string): asserts isMet {
  if (!isMet) throw new ExpectationError(`Expected ${expectation}.`);
}
