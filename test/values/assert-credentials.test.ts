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
])(
  'the message for %j says that the key is missing, and asks about its environment variable',
  (credentials) => {
    expect(refusal(credentials)).toContain(
      'Expected `apiKey` to be a non-empty string. Is its environment variable set?',
    );
  },
);

it('a token is checked like a key', () => {
  expect(refusal({ apiKey: 'k' })).toContain('Expected `apiToken` to be a non-empty string');
  expect(refusal({ apiKey: 'k', apiToken: 't ' })).toContain('Expected `apiToken` to be without white space');
});

it.each(['\u0000k', 'k\u001fk', 'k\u007fk', 'k\u009fk', 'k\u0100k', '€'])(
  '%j is refused as a key, because it cannot be a header',
  (apiKey) => {
    expect(refusal({ apiKey, apiToken: 't' })).toMatch(
      /Expected `apiKey` to have only Latin-1 characters .+ copied with an invisible character\./,
    );
  },
);

it.each(['k', 'a b', '\u0021', '~', 'k\u00a0k', '\u00ff'])('%j is accepted as a key', (apiKey) => {
  expect(() => assertCredentials({ apiKey, apiToken: 't:t' })).not.toThrow();
});

it('the message for a colon in the key asks whether key and token were passed in one string', () => {
  expect(refusal({ apiKey: 'k:t', apiToken: 't' })).toMatch(
    /Expected `apiKey` to be without a colon.+Did you pass key and token in one string\?/,
  );
});
