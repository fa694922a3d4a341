import { describe, expect, it } from 'vitest';
import { isGiven, mergeDeep, ownOptions, parseObject } from '../../src/shared/objects';

class Money {
  cents = 1;
}
const money = new Money();
const bare = Object.assign(Object.create(null), { c: 3 });

it.each([
  ['{"a":1}', { a: 1 }],
  ['[1]', undefined],
  ['null', undefined],
  ['"a"', undefined],
  ['{"a":', undefined],
])('parseObject of %s is %j', (text, value) => {
  expect(parseObject(text)).toEqual(value);
});

it('isGiven is false for undefined and null only', () => {
  expect([undefined, null, 0, '', false].map(isGiven)).toEqual([false, false, true, true, true]);
});

it('ownOptions leaves out what is undefined and what is inherited, and keeps null, false and 0', () => {
  const given = Object.assign(Object.create({ inherited: 1 }), { a: undefined, b: null, c: false, d: 0 });
  expect({ ...ownOptions(given) }).toEqual({ b: null, c: false, d: 0 });
  expect(Object.keys(ownOptions(given))).toEqual(['b', 'c', 'd']);
  expect([undefined, null].map((none) => Object.keys(ownOptions(none)))).toEqual([[], []]);
});

describe('mergeDeep', () => {
  it.each([
    ['an object into an object', { a: 1, b: { c: 2 } }, { b: { d: 3 } }, { a: 1, b: { c: 2, d: 3 } }],
    ['an object over a scalar', { a: 1 }, { a: { b: 2 } }, { a: { b: 2 } }],
    ['an object over a text', { a: 'text' }, { a: { 0: 'x' } }, { a: { 0: 'x' } }],
    ['an object over a list', { a: [1, 2] }, { a: { 0: 3 } }, { a: { 0: 3 } }],
    ['an object over null', { a: null }, { a: { b: 2 } }, { a: { b: 2 } }],
    ['an object over undefined', { a: undefined }, { a: { b: 2 } }, { a: { b: 2 } }],
    ['an object over nothing', {}, { a: { b: 2 } }, { a: { b: 2 } }],
    ['null over an object', { a: { b: 2 } }, { a: null }, { a: null }],
    ['undefined over an object', { a: { b: 2 } }, { a: undefined }, { a: undefined }],
    ['a scalar over an object', { a: { b: 2 } }, { a: 1 }, { a: 1 }],
    ['a list over an object', { a: { b: 2 } }, { a: [1] }, { a: [1] }],
    ['a list over a list, as a whole', { a: [1, 2] }, { a: [3] }, { a: [3] }],
    ['an object without a prototype', { a: { b: 2 } }, { a: bare }, { a: { b: 2, c: 3 } }],
    ['an empty object, which changes nothing', { a: { b: 2 } }, { a: {} }, { a: { b: 2 } }],
    ['at the top, an object over null', null, { a: 1 }, { a: 1 }],
    ['at the top, an object over a scalar', 1, { a: 1 }, { a: 1 }],
    ['at the top, an object over a list', [1], { a: 1 }, { a: 1 }],
    ['at the top, null over an object', { a: 1 }, null, null],
    ['at the top, a list over an object', { a: 1 }, [1], [1]],
  ])('merges %s', (_, base, extra, merged) => {
    expect(mergeDeep(base, extra)).toStrictEqual(merged);
  });

  it('keeps a field that is undefined, so that JSON leaves it out', () => {
    expect(Object.keys(mergeDeep({ a: 1 }, { a: undefined, b: undefined }) as object)).toEqual(['a', 'b']);
  });

  it('takes an object of a class as a whole', () => {
    expect(mergeDeep({ a: { b: 2 } }, { a: money })).toStrictEqual({ a: money });
  });

  it('changes neither of its arguments', () => {
    const base = Object.freeze({ a: Object.freeze({ b: 1 }) });
    const extra = Object.freeze({ a: Object.freeze({ c: 2 }) });
    expect(mergeDeep(base, extra)).toEqual({ a: { b: 1, c: 2 } });
    expect([base, extra]).toEqual([{ a: { b: 1 } }, { a: { c: 2 } }]);
  });

  describe('a field named __proto__', () => {
    const evil = JSON.parse('{"__proto__":{"polluted":1}}');

    it.each([
      ['in what is merged', { a: {} }, { a: evil }],
      ['in what is merged into', { a: evil }, { a: {} }],
      ['in both', { a: evil }, { a: evil }],
    ])('%s becomes a field like any other', (_, base, extra) => {
      const { a } = mergeDeep(base, extra) as { a: object };
      expect(JSON.stringify(a)).toBe('{"__proto__":{"polluted":1}}');
      expect(Object.getPrototypeOf(a)).toBe(Object.prototype);
      expect('polluted' in a).toBe(false);
    });

    it('is merged deep with an own field of that name, and never with the prototype', () => {
      const more = JSON.parse('{"__proto__":{"toString":2}}');
      expect(JSON.stringify(mergeDeep(evil, more))).toBe('{"__proto__":{"polluted":1,"toString":2}}');
      expect(JSON.stringify(mergeDeep({}, more))).toBe('{"__proto__":{"toString":2}}');
    });
  });

  it('merges a field only with an own field of the same name, not with an inherited one', () => {
    expect(mergeDeep(Object.create({ a: { b: 1 } }), { a: { c: 2 } })).toEqual({ a: { c: 2 } });
  });
});
