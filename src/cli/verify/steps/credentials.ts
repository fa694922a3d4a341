import { Buffer } from 'node:buffer';
import type { Credentials } from '../../../service/credentials';
import { line } from '../../visible';
import type { Send } from '../send';
import { books } from '../step';
import type { Script, World } from '../world';

/** Sections 5 and 6.1. Each forged notification has one fault, and a sale of its own: a row tells which one was booked. */
export async function* credentials({ sales, credentials: pair }: World): Script {
  const { payment } = await sales.sale();
  yield {
    ...books('headerName', {
      what: 'a payment with the pair under `authorization`',
      notification: payment,
      headerName: 'authorization',
    }),
    byAnswers: true,
  };

  const forged: Send[] = [];
  for (const [name, authorization] of wrongPairs(pair)) {
    const { payment: notification } = await sales.sale();
    forged.push({ what: name, notification, authorization, accept: 'mustNot' });
  }
  yield { id: 'pairs', sends: forged, atOnce: true, byAnswers: true };

  const kinds = [
    ['refund', await (await sales.sale()).refund(1)],
    ['reversal', (await (await sales.sale()).reversal('PAID')).ended],
    ['payout', sales.payout(true)],
    ['body of no known kind', sales.unrecognized()],
  ] as const;
  yield {
    id: 'kindsWithoutPair',
    byAnswers: true,
    sends: kinds.map(([kind, notification]): Send => {
      const what = `a ${kind} without credentials`;
      return { what, notification, authorization: null, accept: 'mustNot' };
    }),
  };

  const methods: Send[] = [];
  for (const method of ['PUT', 'GET']) {
    const { payment: notification } = await sales.sale();
    methods.push({
      what: line`a payment by ${method}, without credentials`,
      method,
      notification,
      authorization: null,
      accept: 'mustNot',
    });
  }
  yield { id: 'methods', sends: methods, byAnswers: true };
}

function wrongPairs({ apiKey, apiToken }: Credentials): [what: string, authorization: string | null][] {
  const right = encode(`${apiKey}:${apiToken}`);
  const all: [string, string | null][] = [
    ['no credentials', null],
    ['an empty pair', basic('', '')],
    ['right key, no token', basic(apiKey, '')],
    ['right token, no key', basic('', apiToken)],
    ['key in place of the token', basic(apiKey, apiKey)],
    ['token in place of the key, key in place of the token', basic(apiToken, apiKey)],
    ['wrong key, right token', basic(altered(apiKey), apiToken)],
    ['right key, wrong token', basic(apiKey, altered(apiToken))],
    ['token without its last character', basic(apiKey, apiToken.slice(0, -1))],
    ['token with one character more', basic(apiKey, `${apiToken}0`)],
    ['right pair and a third part after a colon', basic(apiKey, `${apiToken}:x`)],
    ['token in another case', basic(apiKey, otherCase(apiToken))],
    ['key in another case', basic(otherCase(apiKey), apiToken)],
    ['Base64 in lower case', `Basic ${right.toLowerCase()}`],
    ['right pair under the scheme Bearer', `Bearer ${right}`],
    ['right pair without a scheme', right],
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
