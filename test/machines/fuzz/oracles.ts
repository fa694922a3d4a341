import assert from 'node:assert/strict';
import { PaymentsError } from 'pix-automatic-sdk';

/** Runs something that may fail only with an error of this library, and returns that error. */
export function onlyOurErrors<T>(run: () => T): T | PaymentsError {
  try {
    return run();
  } catch (error) {
    return assertOurs(error);
  }
}

export function assertOurs(error: unknown): PaymentsError {
  if (error instanceof PaymentsError) return error;
  throw new Error(`not an error of ours: ${String((error as Error | undefined)?.stack ?? error)}`);
}

const prototypes = [
  Object.prototype,
  Array.prototype,
  Function.prototype,
  String.prototype,
  Number.prototype,
  Error.prototype,
  Promise.prototype,
];
const before = prototypes.map((prototype) => Object.getOwnPropertyDescriptors(prototype));
const sizes = prototypes.map((prototype) => Reflect.ownKeys(prototype).length);

/** The quick check after each run: nothing was added to a prototype. */
export function assertNothingPolluted(): void {
  assert.equal(Reflect.get({}, 'polluted'), undefined, 'Object.prototype has `polluted`');
  prototypes.forEach((prototype, index) => {
    assert.equal(Reflect.ownKeys(prototype).length, sizes[index], 'a prototype has grown or shrunk');
  });
}

/** The thorough check, now and then: nothing was replaced in a prototype. */
export function assertPrototypesUnchanged(): void {
  prototypes.forEach((prototype, index) => {
    assert.deepEqual(Object.getOwnPropertyDescriptors(prototype), before[index], 'a prototype was changed');
  });
}

/** Asserts that the result consists of plain objects and arrays, and inherits nothing from the input. */
export function assertPlain(value: unknown): void {
  const left: unknown[] = [value];
  for (let next = left.pop(); left.length > 0 || next !== undefined; next = left.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const prototype = Object.getPrototypeOf(next);
    assert.equal(prototype, Array.isArray(next) ? Array.prototype : Object.prototype, 'another prototype');
    left.push(...Object.values(next));
  }
}
