import { Buffer } from 'node:buffer';
import type { Credentials } from '../../../service/credentials';
import type { CheckDefinition } from '../check';
import { everyKind, type Named } from '../documented-kinds';
import { describeExchange } from '../exchange';

/** Sections 5 and 6.1. Each forgery has one fault, to find a listener that checks only half of the pair. */
export const credentials: CheckDefinition = {
  id: 'credentials',
  title: 'Rejects missing and wrong credentials, and does not act on such notifications',
  asks:
    'Payments with no credentials, half of them, shortened ones, longer ones, an empty pair, another case, another ' +
    'scheme; and every other kind without credentials. Each must be answered with 401 or another 4xx, and must not be acted on.',
  why: 'The URL of a listener is no secret. Anybody who finds it could mark orders as paid.',
  fix:
    'Compare the whole `Authorization` header with `Basic ` and the Base64 of key, colon and token, case-sensitively and ' +
    'in constant time, and answer 401 if they differ, before you read or do anything else (document section 5). Refuse ' +
    'to start without credentials. `createWebhookHandler` does all this; in a listener of your own, call ' +
    '`verifyAuthorization`.',
  async run(findings, session) {
    const { payment } = await session.sale();
    const others: Named[] = (await everyKind(session)).filter(([name]) => name !== 'payment');
    others.push(['body of no known kind', session.samples.unrecognized()]);
    await session.settle();
    const { actions } = await session.watch(0, async () => {
      const exchanges = [];
      for (const [what, authorization] of forgeries(session.options.credentials)) {
        exchanges.push(await session.forge(authorization, `a payment with ${what}`, payment));
      }
      for (const [name, notification] of others) {
        exchanges.push(await session.forge(undefined, `a ${name} with no credentials`, notification));
      }
      for (const exchange of exchanges) {
        const { reception, httpStatus = 0 } = exchange;
        if (reception === 'silent' || reception === 'gone') findings.leaveOpen(describeExchange(exchange));
        else if (httpStatus < 400 || httpStatus >= 500) findings.fail(describeExchange(exchange));
      }
    });
    const { total = 0 } = actions ?? {};
    if (total > 0)
      findings.fail(`${total} actions were counted for notifications without the right credentials`);
  },
};

type Forgery = readonly [what: string, authorization: string | undefined];

function forgeries({ apiKey, apiToken }: Credentials): Forgery[] {
  const right = encode(`${apiKey}:${apiToken}`);
  const all: Forgery[] = [
    ['no credentials', undefined],
    ['an empty pair', `Basic ${encode(':')}`],
    ['nothing after the scheme', 'Basic '],
    ['wrong key, right token', basic(altered(apiKey), apiToken)],
    ['right key, wrong token', basic(apiKey, altered(apiToken))],
    ['right key, no token', basic(apiKey, '')],
    ['right token, no key', basic('', apiToken)],
    ['right key, token without its last character', basic(apiKey, apiToken.slice(0, -1))],
    ['right key, only the first character of the token', basic(apiKey, apiToken.slice(0, 1))],
    ['right token, key without its last character', basic(apiKey.slice(0, -1), apiToken)],
    ['right key, token with one character more', basic(apiKey, `${apiToken}0`)],
    ['right token, key with one character more', basic(`0${apiKey}`, apiToken)],
    ['token in another case', basic(apiKey, otherCase(apiToken))],
    ['key in another case', basic(otherCase(apiKey), apiToken)],
    ['right pair whose Base64 is in lower case', `Basic ${right.toLowerCase()}`],
    ['key and token swapped', basic(apiToken, apiKey)],
    ['right pair under the scheme Bearer', `Bearer ${right}`],
    ['right pair without a scheme', right],
    ['right pair that is not Base64-encoded', `Basic ${apiKey}:${apiToken}`],
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
