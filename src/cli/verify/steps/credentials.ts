import { Buffer } from 'node:buffer';
import type { Credentials } from '../../../service/credentials';
import { say } from '../../language';
import type { TextKey } from '../../texts';
import type { Send } from '../send';
import { books } from '../step';
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

/** Sections 5 and 6.1. Each forged notification has one fault, and a sale of its own: a row tells which one was booked. */
export async function* credentials({ sales, credentials: pair }: World): Script {
  const { payment } = await sales.sale();
  yield {
    ...books('headerName', {
      what: say('sent.lowerCase'),
      notification: payment,
      headerName: 'authorization',
    }),
    byAnswers: true,
  };

  const forged: Send[] = [];
  for (const [name, authorization] of wrongPairs(pair)) {
    const { payment: notification } = await sales.sale();
    forged.push({ what: say(`pair.${name}`), notification, authorization, accept: 'mustNot' });
  }
  yield { id: 'pairs', sends: forged, atOnce: true, byAnswers: true };

  const kinds = [
    ['refund', await (await sales.sale()).refund(1)],
    ['reversal', (await (await sales.sale()).reversal('PAID')).ended],
    ['payout', sales.payout(true)],
    ['unknown', sales.unrecognized()],
  ] as const;
  yield {
    id: 'kindsWithoutPair',
    byAnswers: true,
    sends: kinds.map(([kind, notification]): Send => {
      const what = say('sent.noPair', { kind: say(`kind.${kind}` satisfies TextKey) });
      return { what, notification, authorization: null, accept: 'mustNot' };
    }),
  };

  const methods: Send[] = [];
  for (const method of ['PUT', 'GET']) {
    const { payment: notification } = await sales.sale();
    methods.push({
      what: say('sent.method', { method }),
      method,
      notification,
      authorization: null,
      accept: 'mustNot',
    });
  }
  yield { id: 'methods', sends: methods, byAnswers: true };
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
