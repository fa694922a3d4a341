import { inspect } from 'node:util';
import { checkAuthorization } from 'pix-automatic-sdk/webhooks';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { assertCredentials, clientOptionsFromEnv, credentialsFromEnv } from '../../src/values/credentials';
import { failureOf } from './support';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

const refusal = (credentials: unknown) => failureOf(() => assertCredentials(credentials as never));

it.each([undefined, null, {}, { apiToken: 't' }])(
  'the message for %j says that the key is missing',
  (given) => {
    const says = 'Expected `apiKey` to be a non-empty string. Is its environment variable set?';
    expect(refusal(given).message).toContain(says);
  },
);

const invisible =
  'to have only Latin-1 characters and no control characters, as a header must. It was probably copied with an ' +
  'invisible character.';

const placeholders = [
  ...['<your-marked-key>', '{{ marked_key }}', '$MARKED_KEY', '%MARKED_KEY%'],
  ...['{MARKED_KEY}', '{MARKED_KEY:-secret}'].map((name) => `$${name}`),
];

describe.each(['apiKey', 'apiToken'])('%s', (name) => {
  it.each([
    ['undefined', undefined, 'to be a non-empty string'],
    ['a number', 7, 'to be a non-empty string'],
    ['the text `undefined`', 'undefined', 'to be a non-empty string, got the text `undefined`'],
    ['the text `null`', 'null', 'to be a non-empty string, got the text `null`'],
    ...placeholders.map((value): [string, unknown, string] => [
      'a placeholder',
      value,
      'to be a credential, got what',
    ]),
    ['empty', '', 'to be a non-empty string'],
    ['with a line break at its end', 'marked-secret\n', 'to be without white space'],
    ['with a space at its start', ' marked-secret', 'to be without white space'],
    ['with a no-break space at its end', 'marked-secret\u00a0', 'to be without white space'],
    ['with a byte order mark at its start', '\ufeffmarked-secret', 'to be without white space'],
    ['with a line break inside', 'marked\r\nx-evil: secret', 'to have only Latin-1 characters'],
    ['with a NUL', '\u0000marked', 'to have only Latin-1 characters'],
    ['with a control character', 'marked\u001fsecret', 'to have only Latin-1 characters'],
    ['with a DEL', 'marked\u007fsecret', 'to have only Latin-1 characters'],
    ['with a C1 control character', 'marked\u009fsecret', 'to have only Latin-1 characters'],
    ['with an invisible character', 'marked\u200bsecret', invisible],
    ['with a character beyond Latin-1', 'marked\u0100', 'to have only Latin-1 characters'],
    ['with a euro sign', '€', 'to have only Latin-1 characters'],
  ])('that is %s is refused, and not shown', (_, value, says) => {
    const error = refusal({ apiKey: 'k', apiToken: 't', [name]: value });
    expect(error.message).toContain(`Expected \`${name}\` ${says}`);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/marked|secret/i);
  });

  it.each(['k', 'a b', '\u0021', '~', 'k\u00a0k', '\u00ff', '<k', '$', `k$${'{k}'}`, '$k', '%', 'null0'])(
    'may be %j',
    (value) => {
      expect(() => assertCredentials({ apiKey: 'k', apiToken: 't', [name]: value })).not.toThrow();
    },
  );
});

it('a colon is refused in apiKey, where it would end the user name, and allowed in apiToken', () => {
  const { message } = refusal({ apiKey: 'marked:secret', apiToken: 't' });
  expect(message).toMatch(
    /Expected `apiKey` to be without a colon.+Did you pass key and token in one string\?/,
  );
  expect(message).not.toMatch(/marked|secret/);
  expect(() => assertCredentials({ apiKey: 'k', apiToken: 't:t' })).not.toThrow();
});

const pair = { PAYMENTS_API_KEY: 'key-1', PAYMENTS_API_TOKEN: 'token-1' };
const env = { PAYMENTS_BASE_URL: 'https://service.example', ...pair, PAYMENTS_ALLOW_INSECURE_HTTP: 'true' };
const current = { apiKey: 'key-1', apiToken: 'token-1' };
const half = 'It has the other half of the pair. Was the name misspelt, or the value left empty?';

it.each([
  [clientOptionsFromEnv, 'PAYMENTS_API_KEY', '"marked"'],
  [clientOptionsFromEnv, 'PAYMENTS_API_TOKEN', "'marked'"],
  [clientOptionsFromEnv, 'PAYMENTS_BASE_URL', '"https://service.example"'],
  [credentialsFromEnv, 'PAYMENTS_API_KEY', '"marked'],
  [credentialsFromEnv, 'PAYMENTS_API_TOKEN', 'marked"'],
])('%o refuses a copied quotation mark in %s: %s', (read, name, value) => {
  const { code, message } = failureOf(() => read({ ...env, [name]: value }));
  expect([code, message]).toEqual([
    'configuration',
    expect.stringContaining(`Expected ${name} to be without quotation marks at its ends.`),
  ]);
  expect(message).not.toContain('marked');
});

it('a quotation mark is part of a credential that is not from the environment, or not at an end', () => {
  expect(() => assertCredentials({ apiKey: '"k"', apiToken: "'t'" })).not.toThrow();
  expect(credentialsFromEnv({ ...env, PAYMENTS_API_KEY: 'k"k' })).toEqual([{ ...current, apiKey: 'k"k' }]);
});

it('both read process.env when no other environment is given', () => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const { PAYMENTS_BASE_URL: baseUrl } = env;
  expect(clientOptionsFromEnv()).toEqual({ baseUrl, ...current, allowInsecureHttp: true });
  expect(credentialsFromEnv()).toEqual([current]);
});

it.each([
  [clientOptionsFromEnv, env, 'PAYMENTS_BASE_URL'],
  [clientOptionsFromEnv, env, 'PAYMENTS_API_KEY'],
  [credentialsFromEnv, pair, 'PAYMENTS_API_KEY'],
  [credentialsFromEnv, pair, 'PAYMENTS_API_TOKEN'],
])('%o of %j names %s, and no other variable, when it is missing or empty', (read, given, name) => {
  for (const value of [undefined, '']) {
    const error = failureOf(() => read({ ...given, [name]: value }));
    expect(error.code).toBe('configuration');
    expect(error.message).toContain(
      `Expected the environment to have ${name}. ${name === 'PAYMENTS_BASE_URL' ? 'Is the .env file loaded?' : half}`,
    );
  }
});

it.each([clientOptionsFromEnv, credentialsFromEnv])(
  '%o names each missing variable, also on a platform without process',
  (read) => {
    const neither = { ...env, PAYMENTS_API_KEY: '', PAYMENTS_API_TOKEN: undefined };
    const { message } = failureOf(() => read(neither));
    expect(message).toContain('Expected the environment to have PAYMENTS_API_KEY, PAYMENTS_API_TOKEN.');
    vi.stubGlobal('process', undefined);
    const error = failureOf(() => read());
    vi.unstubAllGlobals();
    expect(error).toMatchObject({ code: 'configuration' });
  },
);

describe('during a rotation, credentialsFromEnv', () => {
  const previous = { PAYMENTS_API_KEY_PREVIOUS: 'key-0', PAYMENTS_API_TOKEN_PREVIOUS: 'token-0' };

  it('adds the previous pair as the second one, so that notifications with either are accepted', () => {
    const credentials = credentialsFromEnv({ ...pair, ...previous });
    expect(credentials).toEqual([current, { apiKey: 'key-0', apiToken: 'token-0' }]);
    const check = (given: string) => checkAuthorization(`Basic ${btoa(given)}`, credentials);
    expect(check('key-1:token-1')).toEqual({ ok: true, index: 0 });
    expect(check('key-0:token-0')).toEqual({ ok: true, index: 1 });
    expect(check('key-0:token-1')).toEqual({ ok: false, reason: 'mismatch' });
  });

  it.each(Object.keys(previous))('names %s when only the other half is set', (name) => {
    for (const value of [undefined, '']) {
      const { message } = failureOf(() => credentialsFromEnv({ ...pair, ...previous, [name]: value }));
      expect(message).toContain(`Expected the environment to have ${name}. ${half}`);
    }
  });

  it('needs a current pair, and no previous one whose variables are both empty', () => {
    const empty = { PAYMENTS_API_KEY_PREVIOUS: '', PAYMENTS_API_TOKEN_PREVIOUS: '' };
    expect(credentialsFromEnv({ ...pair, ...empty })).toHaveLength(1);
    const { message } = failureOf(() => credentialsFromEnv(previous));
    expect(message).toContain('have PAYMENTS_API_KEY, PAYMENTS_API_TOKEN.');
  });
});
