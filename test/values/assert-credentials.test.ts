import { expect, it } from 'vitest';
import { assertCredentials } from '../../src/values/credentials';
import { failureOf } from './support';

const refusal = (credentials: unknown) => failureOf(() => assertCredentials(credentials as never)).message;

it.each([
  undefined,
  null,
  {},
  { apiToken: 't' },
  { apiKey: '', apiToken: 't' },
  { apiKey: 7, apiToken: 't' },
])('%j is told to be without a key, which an environment variable may lack', (credentials) => {
  expect(refusal(credentials)).toContain(
    'Expected `apiKey` to be a non-empty string. Is its environment variable set?',
  );
});

it('a token is checked as a key is', () => {
  expect(refusal({ apiKey: 'k' })).toContain('Expected `apiToken` to be a non-empty string');
  expect(refusal({ apiKey: 'k', apiToken: 't ' })).toContain('Expected `apiToken` to be without white space');
});

it.each(['\u0000k', 'k\u001fk', 'k\u007fk', 'k\u009fk', 'k\u0100k', '€'])(
  '%j cannot be a header',
  (apiKey) => {
    expect(refusal({ apiKey, apiToken: 't' })).toMatch(
      /Expected `apiKey` to have only Latin-1 characters .+ copied with an invisible character\./,
    );
  },
);

it.each(['k', 'a b', '\u0021', '~', 'k\u00a0k', '\u00ff'])('%j can', (apiKey) => {
  expect(() => assertCredentials({ apiKey, apiToken: 't:t' })).not.toThrow();
});

it('a colon in the key is told to be that of key and token in one string', () => {
  expect(refusal({ apiKey: 'k:t', apiToken: 't' })).toMatch(
    /Expected `apiKey` to be without a colon.+Did you pass key and token in one string\?/,
  );
});
