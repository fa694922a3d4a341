import { Buffer } from 'node:buffer';
import type { Credentials } from '../../../service/credentials';
import { say } from '../../language';
import type { CauseId, TextKey } from '../../texts';
import type { Sale } from '../sales';
import { isRedirect, type Send } from '../send';
import { books, type Outcome } from '../step';
import type { Script, World } from '../world';

type Pair =
  | 'none'
  | 'empty'
  | 'wrongKey'
  | 'wrongToken'
  | 'shortToken'
  | 'longToken'
  | 'thirdPart'
  | 'tokenCase'
  | 'keyCase'
  | 'lowerBase64'
  | 'bearer'
  | 'noScheme';

/** The mistake by the wrong pairs that are let in: of two that fit, the first one. */
const mistakes: readonly (readonly [cause: CauseId, letIn: readonly Pair[], keptOut: readonly Pair[]])[] = [
  ['ownPairEmpty', ['empty'], ['none', 'wrongToken']],
  ['checksNothing', ['none', 'wrongKey', 'wrongToken'], []],
  ['checksHeaderAlone', ['wrongKey', 'wrongToken'], ['none']],
  ['checksKeyAlone', ['wrongToken', 'shortToken'], ['wrongKey']],
  ['checksTokenAlone', ['wrongKey'], ['wrongToken']],
  ['searchesPair', ['longToken', 'bearer'], ['wrongToken', 'tokenCase']],
  ['ignoresCase', ['lowerBase64'], ['wrongToken', 'shortToken']],
  ['ignoresCase', ['tokenCase'], ['wrongToken', 'shortToken']],
  ['ignoresCase', ['keyCase'], ['wrongToken', 'shortToken']],
  ['shortToken', ['shortToken'], ['wrongToken']],
  ['longToken', ['longToken'], ['wrongToken']],
  ['splits', ['thirdPart'], ['wrongToken', 'longToken']],
  ['anyScheme', ['noScheme'], ['wrongToken']],
  ['anyScheme', ['bearer'], ['wrongToken']],
  ['letsNoneIn', ['none'], ['wrongKey', 'wrongToken']],
];

/** Sections 5 and 6.1. Each forged notification has one fault, and a sale of its own: a row tells which one was booked. */
export async function* credentials(world: World): Script {
  const { sales } = world;
  const { payment } = await sales.sale();
  const lower = yield {
    ...books('headerName', {
      what: say('sent.lowerCase'),
      notification: payment,
      headerName: 'authorization',
    }),
    byAnswers: true,
  };
  const status = lower.exchanges[0]?.httpStatus;
  if (status === 401 || status === 403) lower.blame('headerCase');

  const forged: (Send & { readonly pair: Pair })[] = [];
  for (const [pair, authorization] of wrongPairs(world.credentials)) {
    const { payment: notification } = await sales.sale();
    forged.push({ pair, what: say(`pair.${pair}`), notification, authorization, accept: 'mustNot' });
  }
  const pairs = yield { id: 'pairs', sends: forged, atOnce: true, byAnswers: true };
  const isIn = ({ pair, notification }: (typeof forged)[number]) =>
    wasBooked(pairs, notification) ||
    pairs.exchanges.some(
      ({ send, reception }) => 'pair' in send && send.pair === pair && reception === 'accepted',
    );
  const letIn = forged.filter(isIn).map(({ pair }) => pair);
  const { exchanges } = pairs;
  const redirects = exchanges.filter(isRedirect).length > 0;
  const isAnswered = exchanges.some(({ reception }) => reception === 'accepted');
  if (pairs.rows.length > 0 && !isAnswered) pairs.blame('goesOn');
  else if (letIn.length > 0 && world.hasEffects && pairs.rows.length === 0) pairs.blame('acceptsForged');
  else if (letIn.length > 0) {
    const isMistake = ([, yes, no]: (typeof mistakes)[number]) =>
      yes.every((pair) => letIn.includes(pair) || !forged.some((one) => one.pair === pair)) &&
      yes.some((pair) => letIn.includes(pair)) &&
      no.every((pair) => !letIn.includes(pair));
    const [cause] = mistakes.find(isMistake) ?? [];
    if (cause !== undefined) pairs.blame(cause);
  } else if (redirects) pairs.blame('redirectsForged');
  else if (pairs.only('silent')) pairs.blame('hangsOnForged');
  else if (pairs.only('notRefused', 'broken')) pairs.blame('crashesOnForged');

  const refund = await (await sales.sale()).refund(1);
  const kinds = [
    ['refund', refund],
    ['reversal', (await (await sales.sale()).reversal('PAID')).ended],
    ['payout', sales.payout(true)],
    ['unknown', sales.unrecognized()],
  ] as const;
  const others = yield {
    id: 'kindsWithoutPair',
    byAnswers: true,
    sends: kinds.map(([kind, notification]): Send => {
      const what = say('sent.noPair', { kind: say(`kind.${kind}` satisfies TextKey) });
      return { what, notification, authorization: null, accept: 'mustNot' };
    }),
  };
  if (pairs.types.length === 0 && others.only('letIn', 'unexpected', 'again')) others.blame('paymentsAlone');

  const methods: Send[] = [];
  for (const method of ['PUT', 'GET']) {
    const what = say('sent.method', { method });
    methods.push({
      what,
      method,
      notification: (await sales.sale()).payment,
      authorization: null,
      accept: 'mustNot',
    });
  }
  const by = yield { id: 'methods', sends: methods, byAnswers: true };
  const acted = methods.filter(({ notification }) => wasBooked(by, notification)).map(({ method }) => method);
  if (pairs.types.length === 0 && by.only('unexpected', 'again') && acted.length > 0)
    by.blame('otherMethods', { list: acted.join(', ') });
}

function wasBooked({ rows }: Outcome, { payload }: Sale['payment']): boolean {
  const { saleToken, referenceCode } = Object(payload);
  return rows.some(({ subject }) => subject !== undefined && [saleToken, referenceCode].includes(subject));
}

function wrongPairs({ apiKey, apiToken }: Credentials): [pair: Pair, authorization: string | null][] {
  const right = encode(`${apiKey}:${apiToken}`);
  const all: [Pair, string | null][] = [
    ['none', null],
    ['empty', `Basic ${encode(':')}`],
    ['wrongKey', basic(altered(apiKey), apiToken)],
    ['wrongToken', basic(apiKey, altered(apiToken))],
    ['shortToken', basic(apiKey, apiToken.slice(0, -1))],
    ['longToken', basic(apiKey, `${apiToken}0`)],
    ['thirdPart', basic(apiKey, `${apiToken}:x`)],
    ['tokenCase', basic(apiKey, otherCase(apiToken))],
    ['keyCase', basic(otherCase(apiKey), apiToken)],
    ['lowerBase64', `Basic ${right.toLowerCase()}`],
    ['bearer', `Bearer ${right}`],
    ['noScheme', right],
  ];
  // A token without letters is the same in another case.
  return all.filter(([, authorization]) => authorization !== `Basic ${right}`);
}

/** Unlike the library's own function, this one encodes wrong pairs. */
function basic(key: string, token: string): string {
  return `Basic ${encode(`${key}:${token}`)}`;
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** Changes only the last character, so that the length stays the same. */
function altered(text: string): string {
  return text.slice(0, -1) + (text.endsWith('x') ? 'y' : 'x');
}

function otherCase(text: string): string {
  const upper = text.toUpperCase();
  return upper === text ? text.toLowerCase() : upper;
}
