import { createHash } from 'node:crypto';
import fc from 'fast-check';
import {
  ConfigurationError,
  checkAuthorization,
  constructNotification,
  createWebhookHandler,
  verifyAuthorization,
} from 'pix-automatic-sdk/webhooks';
import { describe, expect, it, vi } from 'vitest';
import { basicAuthorization, encodeCredentials, fingerprintOf } from '../../src/webhooks/authorization';
import { changed, flipped, holds, patience, trickyText } from '../helpers/mutations';
import { seedRandomTests } from '../helpers/random-seed';
import { thrownBy } from './faults';
import { basic, everythingPrintedOf } from './support';

seedRandomTests();

const pair = { apiKey: 'key-1', apiToken: 'token:1' };
const former = { apiKey: 'key-0', apiToken: 'token-0' };

const latin1 = fc.string({
  unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
  minLength: 1,
});

/** Mostly valid pairs. There are few, so that a header often meets the pair it was made from. */
const drawnPair = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      apiKey: fc.constantFrom('key-1', 'key-2', 'kéy', '\u00ff'),
      apiToken: fc.constantFrom('token-1', 'token:2', ':', 'tökén'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ apiKey: latin1, apiToken: latin1 }) },
  { weight: 1, arbitrary: fc.record({ apiKey: trickyText, apiToken: trickyText }) },
);

/** Ways to change a right header. */
const changes: readonly ((header: string, at: number, other: string) => string)[] = [
  ...Array.from({ length: 4 }, () => (header: string) => header),
  (header) => header.replace('Basic', 'bAsIC'),
  (header) => header.replace('Basic ', 'Basic   '),
  (header) => ` ${header}\t`,
  (header) => header.replace('Basic ', 'Basic\t'),
  (header) => header.replace('Basic', 'Bearer'),
  (header) => header.replace(/Basic ?/, ''),
  (header) => header.slice(0, -1),
  (header) => header.replace(/=+$/, ''),
  (header) => header.replaceAll('+', '-').replaceAll('/', '_'),
  (header) => header.toLowerCase(),
  (header) => `${header}, ${header}`,
  flipped,
  (header, at) => header.slice(0, at),
  (header, at, other) => header.slice(0, at) + other + header.slice(at),
  (header, at, other) => header.slice(0, at) + other + header.slice(at + 1),
  (header) => Buffer.from(header.slice(6), 'base64').toString('latin1'),
  (header) => header.repeat(200),
];

/** Some pairs, and a header: of one of them, of another pair, or changed. */
const request = fc
  .tuple(fc.array(drawnPair, { minLength: 1, maxLength: 3 }), drawnPair, fc.nat(6))
  .chain(([pairs, other, from]) => {
    const own = from < 5 ? (pairs[from % pairs.length] ?? other) : other;
    const header = changed(fc.constant(basic(own)), changes, ['', ' ', '=', 'A', 'é'], { maxLength: 2 });
    return fc.record({ pairs: fc.constant(pairs), header });
  });

it('a changed header is let in exactly if it is that of a pair', { timeout: patience }, async () => {
  await holds(request, ({ header, pairs }) => {
    const own = pairs.length === 1 ? (pairs[0] ?? pair) : pairs;
    if (!pairs.every(isPossible)) {
      expect(() => checkAuthorization(header, own)).toThrow(ConfigurationError);
      return;
    }
    const check = checkAuthorization(header, own);
    expect(verifyAuthorization(header, own)).toBe(check.ok);
    // Decided by the document (section 5), by RFC 7617, which allows only spaces after the scheme, and by Node's own
    // Base64.
    const sent = /^basic +(\S+)$/i.exec(header.trim())?.[1];
    expect(check.ok ? check.index : -1).toBe(pairs.findIndex((each) => basic(each).slice(6) === sent));
  });
});

/** Whether a header can carry the pair, and Basic authentication can split it again. */
function isPossible({ apiKey, apiToken }: typeof pair): boolean {
  const isCarried = (text: string) =>
    text.trim() === text && /^[\x20-\x7e\xa0-\xff]+$/.test(text) && !['undefined', 'null'].includes(text);
  return isCarried(apiKey) && isCarried(apiToken) && !apiKey.includes(':');
}

describe('the authorization check accepts', () => {
  it.each([
    ['of RFC 7617, section 2', 'Aladdin', 'open sesame', 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=='],
    ['of RFC 7617, section 2.1, in UTF-8', 'test', '123£', 'Basic dGVzdDoxMjPCow=='],
    ['with colons in the token', 'a', ':b:', 'Basic YTo6Yjo='],
    // The Base64 has no padding, so what follows would still decode.
    ['that a text which repeats it does not pass for', 'abc', 'de', 'Basic YWJjOmRl'],
  ])('the vector %s', (_, apiKey, apiToken, header) => {
    const own = { apiKey, apiToken };
    expect([basic(own), basicAuthorization(own)]).toEqual([header, header]);
    expect(checkAuthorization(header, own)).toEqual({ ok: true, index: 0 });
    expect(verifyAuthorization(header, own)).toBe(true);
    const [, encoded] = header.split(' ');
    for (const other of [`${header}${encoded}`, header.slice(0, -4)]) {
      expect(verifyAuthorization(other, own)).toBe(false);
    }
  });

  it.each(['Basic ', 'basic ', 'bAsIc ', '  Basic   '])('the scheme %j, in any case', (scheme) => {
    expect(verifyAuthorization(`${basic(pair).replace('Basic ', scheme)}	`, pair)).toBe(true);
  });

  it('any of several pairs, and tells its index', () => {
    expect(checkAuthorization(basic(pair), [pair, former])).toEqual({ ok: true, index: 0 });
    expect(checkAuthorization(basic(former), [pair, former])).toEqual({ ok: true, index: 1 });
    expect(checkAuthorization(basic(pair), [pair, pair])).toEqual({ ok: true, index: 0 });
  });
});

describe('the authorization check refuses', () => {
  const encoded = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

  it.each<[string, readonly unknown[]]>([
    ['missing', [undefined, null, '', ' \t', [basic(pair)]]],
    ['wrong-scheme', ['Bearer x', 'a2V5LTE6dG9rZW46MQ==', 'Basica2V5LTE6dG9rZW46MQ==', 'Basic,Basic x']],
    // Also Base64 of an impossible length, and with white space before and inside it.
    ['malformed', ['Basic', 'Basic ', 'Basic ???', 'Basic abcde', 'Basic \ta2V5LTE6dG9rZW46Mg==']],
    ['malformed', ['Basic a2V5LTE6 dG9rZW46Mg==', 'Basic key-1:token:1', encoded('no colon')]],
    ['malformed', [`${'Basic a2V5LTE6dG9rZW46MQ=='}, Basic b3RoZXI6b25l`]],
    ['mismatch', ['key-1:token:2', 'key-1:token:', 'key-1:token:11', 'key-1:', ':', ':token:1'].map(encoded)],
    ['mismatch', ['KEY-1:token:1', 'key-1:token:1\n'].map(encoded)],
    ['mismatch', [`${basic(pair)}${basic(pair).slice(6)}`.replaceAll('=', '')]],
  ])('a header with the reason %s: %j', (reason, headers) => {
    for (const header of headers as string[]) {
      expect(checkAuthorization(header, pair)).toEqual({ ok: false, reason });
      expect(checkAuthorization(header, [former, pair])).toEqual({ ok: false, reason });
      expect(verifyAuthorization(header, pair)).toBe(false);
    }
  });

  it('Base64 in another case, because that is another text', () => {
    const [, encoded = ''] = basic(pair).split(' ');
    const swapped = (letter: string) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
    const each = [...encoded].map(
      (letter, at) => encoded.slice(0, at) + swapped(letter) + encoded.slice(at + 1),
    );
    for (const other of [encoded.toLowerCase(), encoded.toUpperCase(), ...each]) {
      expect(verifyAuthorization(`Basic ${other}`, pair)).toBe(other === encoded);
    }
  });
});

it.each([['apiKey'], ['apiToken'], ['apiKey', 'apiToken']] as const)(
  'credentials that are changed in place let only the new pair in: %s',
  (...names) => {
    const own = { apiKey: 'key-1', apiToken: 'token-1' };
    const before = { ...own };
    const renewed = { apiKey: 'key-2', apiToken: 'token-2' };
    expect(verifyAuthorization(basic(before), own)).toBe(true);
    for (const name of names) own[name] = renewed[name];
    expect(verifyAuthorization(basic(before), own)).toBe(false);
    expect(verifyAuthorization(basic({ ...own }), own)).toBe(true);
    // Back to the first pair, which was encoded before.
    Object.assign(own, before);
    expect(verifyAuthorization(basic(before), [own])).toBe(true);
    expect(verifyAuthorization(basic(renewed), [own])).toBe(false);
  },
);

describe('the number of characters compared, which an attacker could time,', () => {
  /** How many characters the check looks at for one header. */
  function comparisonsOf(header: string, own: Parameters<typeof checkAuthorization>[1]): number {
    const charCodeAt = vi.spyOn(String.prototype, 'charCodeAt');
    try {
      checkAuthorization(header, own);
      return charCodeAt.mock.calls.length;
    } finally {
      charCodeAt.mockRestore();
    }
  }

  const own = { apiKey: 'key-of-some-length', apiToken: 'token-of-some-length' };
  const first = basic({ ...own, apiKey: 'Xey-of-some-length' });
  const last = basic({ ...own, apiToken: 'token-of-some-lengtX' });

  it('is the same wherever the first difference is', () => {
    const all = comparisonsOf(basic(own), own);
    expect(all).toBeGreaterThanOrEqual(basic(own).length - 'Basic '.length);
    expect(comparisonsOf(first, own)).toBe(all);
    expect(comparisonsOf(last, own)).toBe(all);
  });

  it('depends only on the length of what was received, never on that of the credentials', () => {
    for (const length of [1, 500]) {
      const other = { apiKey: 'k'.repeat(length), apiToken: 't' };
      expect(comparisonsOf(first, other)).toBe(comparisonsOf(first, own));
    }
  });

  it('is the same whichever of several pairs matches, and when none does', () => {
    const same = { apiKey: 'yek-of-some-length', apiToken: 'token-of-some-length' };
    const none = comparisonsOf(first, [own, same]);
    expect(comparisonsOf(basic(own), [own, same])).toBe(none);
    expect(comparisonsOf(basic(own), [same, own])).toBe(none);
  });
});

describe('a ConfigurationError that shows no credential refuses', () => {
  const marked = 'S3CRET';
  const of = (apiKey: unknown, apiToken: unknown = 't') => ({ apiKey, apiToken });
  const bad: readonly [string, unknown][] = [
    ['an empty key', of('', marked)],
    ['an empty token', of(marked, '')],
    ['both empty, which would let everybody in', of('', '')],
    ['a key of white space', of(' ', marked)],
    ['a missing token', { apiKey: marked }],
    ['a token that is no text', of(marked, 5)],
    ['white space before the key', of(` ${marked}`)],
    ['a line break after the token', of('k', `${marked}\n`)],
    ['a colon in the key', of(`${marked}:a`)],
    ['a control character', of('k', `${marked}\u0000x`)],
    ['an invisible character', of(`${marked}\u200bx`)],
    ['a character beyond Latin-1', of('k', `${marked}€x`)],
    ['a good pair and a bad one', [pair, of(marked, '')]],
    ['no pair at all', []],
    ['undefined', undefined],
    ['null', null],
  ];

  it.each(bad)('%s', (_, credentials) => {
    const own = credentials as never;
    for (const construct of [
      () => checkAuthorization(basic(pair), own),
      () => verifyAuthorization(undefined, own),
      () => constructNotification({ authorization: basic(pair), body: '{}' }, own),
      () => createWebhookHandler({ credentials: own, on: {} }),
    ]) {
      const thrown = thrownBy(construct);
      expect(thrown).toBeInstanceOf(ConfigurationError);
      expect((thrown as Error).message).toMatch(/^Expected/);
      expect(everythingPrintedOf(thrown)).not.toContain(marked);
    }
  });
});

describe('fingerprintOf', () => {
  const of = (credentials: { readonly apiKey: string; readonly apiToken: string }) =>
    encodeCredentials(credentials).map(fingerprintOf).join();
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 8);

  it('is the same for an equal pair: 8 hexadecimal digits', () => {
    expect(of(pair)).toMatch(/^[\da-f]{8}$/);
    expect(of({ ...pair })).toBe(of(pair));
    // Letters that are kept already must be found by the next release, too.
    expect(of({ apiKey: 'key', apiToken: 'token' })).toBe(sha256('a2V5OnRva2Vu'));
  });

  it('differs with the key, with the token, and where the two are cut apart', () => {
    const pairs = [
      pair,
      former,
      { ...pair, apiKey: 'key-0' },
      { ...pair, apiToken: 'token-0' },
      { apiKey: 'token-0', apiToken: 'key-0' },
      { apiKey: 'key-', apiToken: '1token:1' },
    ];
    expect(new Set(pairs.map(of)).size).toBe(pairs.length);
  });

  it('is no plain hash of one of the two, which could be guessed alone', () => {
    const guesses = [pair.apiKey, pair.apiToken].flatMap((secret) => [
      sha256(secret),
      sha256(Buffer.from(secret).toString('base64')),
    ]);
    expect(guesses).not.toContain(of(pair));
  });
});
