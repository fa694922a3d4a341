import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../src/errors';
import { checkParkedQuery, hashed, shortened } from '../../src/stores/store-arguments';

describe('A query for parked notifications', () => {
  it('asks for the first 100 of all time by default', () => {
    expect(checkParkedQuery({})).toEqual({ since: 0, limit: 100, key: undefined });
  });

  it.each([
    [-5, 0],
    [1.2, 2],
    [1_700_000_000_000, 1_700_000_000_000],
    [Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER],
    [Number.NEGATIVE_INFINITY, 0],
  ])('since %s asks for those since %s', (since, whole) => {
    expect(checkParkedQuery({ since, limit: 5, key: 'a' })).toEqual({ since: whole, limit: 5, key: 'a' });
  });

  it.each([
    ['since', Number.NaN],
    ['since', '2026-01-01'],
    ['since', new Date()],
    ['limit', 0],
    ['limit', 1.5],
    ['key', ''],
  ])('is refused where its %s is %j', (option, value) => {
    const check = () => checkParkedQuery({ [option]: value });
    expect(check).toThrow(ConfigurationError);
    expect(check).toThrow(`Expected \`${option}\` to be`);
  });
});

describe('A text for a store', () => {
  it('is kept up to its maximum length, and is a hash beyond it or where it looks like one', () => {
    expect(shortened('é'.repeat(10), 10)).toBe('é'.repeat(10));
    expect(shortened('é'.repeat(11), 10)).toBe(hashed('é'.repeat(11)));
    expect(shortened('sha256:', 10)).toBe(hashed('sha256:'));
    expect(shortened('a sha256:', 10)).toBe('a sha256:');
  });

  // Existing records hold such hashes. With another hash, a subject would look new and its notification would be
  // acted on again.
  it('has the hash of its JSON text, which tells halves of surrogate pairs apart', () => {
    for (const text of ['payment:1', 'é"\n', '\uD800', '\uDC00']) {
      const digest = createHash('sha256').update(JSON.stringify(text)).digest('hex');
      expect(hashed(text)).toBe(`sha256:${digest}`);
    }
    expect(hashed('\uD800')).not.toBe(hashed('\uDC00'));
  });
});
