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

class Dto {
  a = 1;
}
const mixed = { since: new Date(0), list: [undefined, null] };
const bare = { a: {}, b: Object.create(null), c: new Boolean(false), d: new String('') };

it.each([
  [mixed, '{"since":"1970-01-01T00:00:00.000Z","list":[null,null]}'],
  [{ a: 1, left: undefined }, '{"a":1}'],
  [new Dto(), '{"a":1}'],
  [bare, '{"a":{},"b":{},"c":false,"d":""}'],
  [{ toJSON: () => ({ a: 1 }), secret: 1 }, '{"a":1}'],
  [Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true } }), '{"own":2}'],
  [new Number(7), '7'],
])('toJson writes %j as JSON.stringify does', (value, json) => {
  expect(toJson('The request of x', () => value)).toBe(json);
});

const notFinite = 'expected a finite number, got NaN or infinity';
const lost = 'expected plain JSON, which a function, a symbol, a promise or a map is not';
const noValue = 'expected a value, got an object whose toJSON gives none, as an invalid date does';
const badDate = new Date('29/02/2027');
const shared = { rate: Number.NaN };

it.each<[unknown, string, ...string[]]>([
  [Number.NaN, notFinite, ''],
  [{ list: [1, { deep: Number.POSITIVE_INFINITY }] }, notFinite, 'list.1.deep'],
  [{ list: [[Number.NEGATIVE_INFINITY]] }, notFinite, 'list.0.0'],
  [{ amount: new Number(Number.NaN) }, notFinite, 'amount'],
  [{ amount: { toJSON: () => Number.NaN } }, notFinite, 'amount'],
  // One object in two places, each with its own path.
  [{ a: shared, b: { c: shared } }, notFinite, 'a.rate', 'b.c.rate'],
  [{ since: badDate }, noValue, 'since'],
  [{ list: [badDate] }, noValue, 'list.0'],
  [{ amount: { toJSON: () => null } }, noValue, 'amount'],
  [{ amount: { toJSON: () => undefined } }, noValue, 'amount'],
  [{ amount: Object.assign(() => 1, { toJSON: () => null }) }, noValue, 'amount'],
  [{ toJSON: () => undefined }, noValue, ''],
  [Promise.resolve(1), lost, ''],
  [{ novel: [new Map([['amount', 1]])] }, lost, 'novel.0'],
  [{ novel: { deep: new Set([1]) } }, lost, 'novel.deep'],
  [{ amount: () => 1 }, lost, 'amount'],
  [{ list: [Symbol('s')] }, lost, 'list.0'],
  [{ form: new URLSearchParams('a=1') }, lost, 'form'],
  [new FormData(), lost, ''],
  [{ empty: new (class Empty {})() }, lost, 'empty'],
  [{ at: /x/ }, lost, 'at'],
  [{ e: new Error('m') }, lost, 'e'],
  [undefined, 'expected plain JSON, got nothing', ''],
  [() => 1, lost, ''],
  [{ n: 1n, list: [2n] }, 'expected a number, got a bigint', 'n', 'list.0'],
])('toJson refuses what JSON would lose: %o', (value, message, ...paths) => {
  const asKey = (key: string) => (/^\d+$/.test(key) ? Number(key) : key);
  const pathOf = (path: string) => path.split('.').filter(Boolean).map(asKey);
  expect(issuesOf(value)).toEqual(paths.map((path) => ({ path: pathOf(path), message })));
});

it('toJson refuses a cycle and a toJSON that throws, without the platform’s message', () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  for (const value of [cycle, { toJSON: () => JSON.parse('CPF 52998224725') }]) {
    expect(issuesOf(value)).toEqual([{ path: [], message: 'expected plain JSON: no cycles' }]);
  }
});
