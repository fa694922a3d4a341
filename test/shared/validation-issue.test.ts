import { expect, it } from 'vitest';
import { summarize } from '../../src/shared/validation-issue';

const many = Array.from({ length: 7 }, (_, index) => ({ path: [`f${index}`], message: 'required' }));

it.each([
  [many, 'f0: required; f1: required; f2: required; f3: required; f4: required; and 2 more'],
  [many.slice(0, 5), 'f0: required; f1: required; f2: required; f3: required; f4: required'],
  [[{ path: [], message: 'expected an object' }], 'expected an object'],
  [[{ path: [Symbol('s'), 0], message: 'm' }], 'Symbol(s).0: m'],
])('summarize names at most five issues, with their paths (row %$)', (issues, summary) => {
  expect(summarize(issues)).toBe(summary);
});
