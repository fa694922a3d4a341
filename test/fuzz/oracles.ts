import assert from 'node:assert/strict';
import { PaymentsError } from 'pix-automatic-sdk';

/** Runs something that may fail with an error of ours and with nothing else; gives what it threw. */
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

/** The quick look, after each run: nothing was added. */
export function assertNothingPolluted(): void {
  assert.equal(Reflect.get({}, 'polluted'), undefined, 'Object.prototype has `polluted`');
  prototypes.forEach((prototype, index) => {
    assert.equal(Reflect.ownKeys(prototype).length, sizes[index], 'a prototype has grown or shrunk');
  });
}

/** The thorough look, now and then: nothing was replaced. */
export function assertPrototypesUnchanged(): void {
  prototypes.forEach((prototype, index) => {
    assert.deepEqual(Object.getOwnPropertyDescriptors(prototype), before[index], 'a prototype was changed');
  });
}

/** What came out is made of plain objects and arrays, and inherits from nothing that came in. */
export function assertPlain(value: unknown): void {
  const left: unknown[] = [value];
  for (let next = left.pop(); left.length > 0 || next !== undefined; next = left.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const prototype = Object.getPrototypeOf(next);
    assert.equal(prototype, Array.isArray(next) ? Array.prototype : Object.prototype, 'another prototype');
    left.push(...Object.values(next));
  }
}
