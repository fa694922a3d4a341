import assert from 'node:assert/strict';
import fc from 'fast-check';
import { PaymentsError } from 'pix-automatic-sdk';
import { checkAuthorization, verifyAuthorization } from 'pix-automatic-sdk/webhooks';
import { flipped, trickyText } from '../mutations';
import { assertNothingPolluted, onlyOurErrors } from '../oracles';
import { Tally, type Target } from '../target';

const latin1 = fc.string({
  unit: fc
    .integer({ min: 0x21, max: 0xff })
    .filter((code) => code < 0x7f || code > 0xa0)
    .map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 12,
});

/** Mostly valid pairs. There are few, so that a header often meets the pair it was made from. */
const pair = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      apiKey: fc.constantFrom('key-1', 'key-2', 'kéy', '\u00ff'),
      apiToken: fc.constantFrom('token-1', 'token:2', ':', 'tökén'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ apiKey: latin1.map((text) => text.replaceAll(':', '') || 'k'), apiToken: latin1 }),
  },
  { weight: 1, arbitrary: fc.record({ apiKey: trickyText, apiToken: trickyText }) },
);

/** The ways to change a right header. */
const changes: ReadonlyArray<(header: string, at: number) => string> = [
  (header) => header,
  (header) => header,
  (header) => header.replace('Basic', 'bAsIC'),
  (header) => header.replace('Basic ', 'Basic   '),
  (header) => ` ${header}\t`,
  (header) => header.replace('Basic ', 'Basic\t'),
  (header) => header.replace('Basic', 'Bearer'),
  (header) => header.replace('Basic ', ''),
  (header) => header.replace('Basic ', 'Basic'),
  (header) => header.slice(0, -1),
  (header) => `${header}=`,
  (header) => header.replace(/=+$/, ''),
  (header) => header.replaceAll('+', '-').replaceAll('/', '_'),
  (header) => header.toLowerCase(),
  (header) => `${header}, ${header}`,
  (header, at) => header.slice(0, at % header.length),
  flipped,
  (header, at) => `${header.slice(0, at % header.length)} ${header.slice(at % header.length)}`,
  (header) => Buffer.from(header.slice(6), 'base64').toString('latin1'),
  (header) => header.repeat(200),
];

const altered = fc.array(fc.tuple(fc.constantFrom(...changes), fc.nat(200)), { minLength: 1, maxLength: 2 });

/** Some pairs, and a header: of one of them, of another pair, or of none. */
const request = fc
  .tuple(fc.array(pair, { minLength: 1, maxLength: 3 }), pair, fc.nat(7), altered, trickyText)
  .map(([pairs, other, from, changed, text]) => {
    if (from === 7) return { pairs, header: text || undefined };
    const start = right(from < 5 ? (pairs[from % pairs.length] ?? other) : other);
    return { pairs, header: changed.reduce((header, [change, at]) => change(header, at), start) };
  });

const tally = new Tally();

export const authorizationTarget: Target = {
  name: 'checkAuthorization',
  share: 0.25,
  summary: () => String(tally),
  property: fc.property(request, ({ header, pairs }) => {
    const credentials = pairs.length === 1 ? (pairs[0] ?? []) : pairs;
    const check = onlyOurErrors(() => checkAuthorization(header, credentials));
    assertNothingPolluted();
    if (check instanceof PaymentsError) {
      assert.equal(check.code, 'configuration');
      assert.ok(!pairs.every(isPossible), 'refused credentials that can be');
      tally.count('credentials refused');
      return;
    }
    assert.ok(pairs.every(isPossible), 'took credentials that cannot be');
    assert.equal(verifyAuthorization(header, credentials), check.ok);
    // Decided by the document (section 5), by RFC 7617, which allows only spaces after the scheme, and by Node’s own
    // Base64.
    const sent = /^basic +(\S+)$/i.exec(header?.trim() ?? '')?.[1];
    const index = pairs.findIndex((each) => right(each).slice(6) === sent);
    assert.deepEqual(check.ok ? check.index : -1, index);
    if (!check.ok) assert.ok(['missing', 'wrong-scheme', 'malformed', 'mismatch'].includes(check.reason));
    tally.count(check.ok ? 'let in' : check.reason);
  }),
};

type Pair = { readonly apiKey: string; readonly apiToken: string };

function right({ apiKey, apiToken }: Pair): string {
  return `Basic ${Buffer.from(`${apiKey}:${apiToken}`).toString('base64')}`;
}

/** Whether a header can carry the pair, and Basic authentication can split it again. */
function isPossible({ apiKey, apiToken }: Pair): boolean {
  const carried = [apiKey, apiToken].every(
    (text) => text !== '' && text.trim() === text && [...text].every(isHeaderSafe),
  );
  return carried && !apiKey.includes(':');
}

function isHeaderSafe(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return (code >= 0x20 && code < 0x7f) || (code >= 0xa0 && code <= 0xff);
}
