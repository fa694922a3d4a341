import { InvalidRequestError } from 'pix-automatic-sdk';
import { expect, it } from 'vitest';
import { toJson } from '../../src/values/to-json';
import { failureOf } from './support';

function issuesOf(value: unknown) {
  const error = failureOf(() => toJson('The request of x', () => value)) as InvalidRequestError;
  expect(error).toBeInstanceOf(InvalidRequestError);
  expect(error.message).toMatch(/^The request of x was refused /);
  expect(error.cause).toBeUndefined();
  return error.issues;
}

it.each([
  [
    { reason: 'r', since: new Date(0), list: [undefined, null] },
    '{"reason":"r","since":"1970-01-01T00:00:00.000Z","list":[null,null]}',
  ],
  [{ a: 1, left: undefined }, '{"a":1}'],
  [
    new (class Dto {
      a = 1;
    })(),
    '{"a":1}',
  ],
  [
    { a: {}, b: Object.create(null), c: new Boolean(false), d: new String('') },
    '{"a":{},"b":{},"c":false,"d":""}',
  ],
  [{ toJSON: () => ({ a: 1 }), secret: 1 }, '{"a":1}'],
  [Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true } }), '{"own":2}'],
  [new Number(7), '7'],
])('toJson writes %j as JSON.stringify does', (value, json) => {
  expect(toJson('The request of x', () => value)).toBe(json);
});

const notFinite = 'expected a finite number, got NaN or infinity';
const lost = 'expected plain JSON, which a function, a symbol, a promise or a map is not';
const badDate = new Date('29/02/2027');
const shared = { rate: Number.NaN };

it.each([
  [Number.NaN, [[[], notFinite]]],
  [{ list: [1, { deep: Number.POSITIVE_INFINITY }] }, [[['list', 1, 'deep'], notFinite]]],
  [{ list: [[Number.NEGATIVE_INFINITY]] }, [[['list', 0, 0], notFinite]]],
  [{ amount: new Number(Number.NaN) }, [[['amount'], notFinite]]],
  [{ amount: { toJSON: () => Number.NaN } }, [[['amount'], notFinite]]],
  // One object in two places, each with its own path.
  [
    { a: shared, b: { c: shared } },
    [
      [['a', 'rate'], notFinite],
      [['b', 'c', 'rate'], notFinite],
    ],
  ],
  [{ since: badDate }, [[['since'], 'expected a valid date']]],
  [{ list: [badDate] }, [[['list', 0], 'expected a valid date']]],
  [Promise.resolve(1), [[[], lost]]],
  [{ novel: [new Map([['amount', 1]])] }, [[['novel', 0], lost]]],
  [{ novel: { deep: new Set([1]) } }, [[['novel', 'deep'], lost]]],
  [{ amount: () => 1 }, [[['amount'], lost]]],
  [{ list: [Symbol('s')] }, [[['list', 0], lost]]],
  [{ form: new URLSearchParams('a=1') }, [[['form'], lost]]],
  [new FormData(), [[[], lost]]],
  [{ empty: new (class Empty {})() }, [[['empty'], lost]]],
  [{ at: /x/ }, [[['at'], lost]]],
  [{ e: new Error('m') }, [[['e'], lost]]],
  [undefined, [[[], 'expected plain JSON, got nothing']]],
  [() => 1, [[[], lost]]],
  [{ n: 1n }, [[[], 'expected plain JSON: no cycles and no BigInt']]],
] as Array<[unknown, Array<[PropertyKey[], string]>]>)(
  'toJson refuses what JSON would lose: %o',
  (value, issues) => {
    expect(issuesOf(value)).toEqual(issues.map(([path, message]) => ({ path, message })));
  },
);

it('toJson refuses a cycle and a toJSON that throws, without the platform’s message', () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  for (const value of [cycle, { toJSON: () => JSON.parse('CPF 52998224725') }]) {
    expect(issuesOf(value)).toEqual([{ path: [], message: 'expected plain JSON: no cycles and no BigInt' }]);
  }
});
