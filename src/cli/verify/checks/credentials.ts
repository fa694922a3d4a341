import { Buffer } from 'node:buffer';
import type { SandboxNotification } from '../../../sandbox/model/records';
import type { Credentials } from '../../../service/credentials';
import { type Sentence, say } from '../../language';
import { type CheckDefinition, isRedirect } from '../check';
import { everyKind } from '../documented-kinds';
import { describeExchange } from '../session';
import { HEADER_NAME } from './reachable';

/** A notification without the right credentials. */
interface Forgery {
  readonly authorization: string | undefined;
  readonly what: string;
  readonly notification: SandboxNotification;
  readonly method?: string;
}

const METHODS = ['PUT', 'PATCH', 'DELETE', 'GET'];

/** Sections 5 and 6.1. Each forgery has one fault, to find a listener that checks only half of the pair. */
export const credentials: CheckDefinition = {
  id: 'credentials',
  title: 'Rejects missing and wrong credentials, and does not act on such notifications',
  asks: 'A payment with the right pair under `authorization`, which must be accepted; payments with no credentials, half of them, shortened or longer ones, another case or scheme; every other kind, and PUT, PATCH, DELETE and GET, without credentials. Each must get 401 or another 4xx in time, and must not be acted on.',
  why: 'The URL of a listener is no secret. Anybody who finds it could mark orders as paid.',
  fix: 'Compare the whole `Authorization` header with `Basic ` and the Base64 of key, colon and token, case-sensitively and in constant time, and answer 401 if they differ, before you read or do anything else (document section 5). Refuse to start without credentials. `createWebhookHandler` does all this; in a listener of your own, call `verifyAuthorization`.',
  async run(findings, session) {
    const { payment: notification } = await session.sale();
    const forged: Forgery[] = wrongPairs(session.options.credentials).map(([pair, authorization]) => {
      return { authorization, what: say('a payment with {pair}', { pair: say(pair) }), notification };
    });
    for (const [name, other] of await everyKind(session)) {
      if (name === 'payment') continue;
      const what = say('a {kind} with no credentials', { kind: say(name) });
      forged.push({ authorization: undefined, what, notification: other });
    }
    const unknown = say('a body of no known kind, with no credentials');
    forged.push({ authorization: undefined, what: unknown, notification: session.samples.unrecognized() });
    for (const method of METHODS) {
      const what = say('a payment by {method} with no credentials', { method });
      forged.push({ authorization: undefined, what, notification, method });
    }
    const redirected = new Set(session.exchanges.filter(isRedirect).map(({ query }) => query));
    const { payment: lowerCase } = await session.sale();
    const inLowerCase = say('a payment with the right pair under `authorization`, in lower case');
    const letIn = await session.sendOnce(inLowerCase, lowerCase, { headerName: 'authorization' });
    if (letIn.httpStatus === 401 || letIn.httpStatus === 403) findings.fail(letIn, {}, HEADER_NAME);
    await session.settle();
    const { actions } = await session.watch(0, () =>
      session.each(forged, async ({ authorization, what, notification, method }) => {
        const exchange = await session.forge(authorization, what, notification, { method });
        const { reception, httpStatus = 0 } = exchange;
        if (method !== undefined) {
          // A listener may answer 200, as to a health check, but must not act.
          const sent = describeExchange(exchange);
          if (reception === 'accepted' && !session.countsEffects)
            findings.leaveOpen('{sent}; whether it acted shows only with --effects', { sent });
        } else if (reception === 'gone') findings.leaveOpen(exchange);
        // With the right pair it is redirected, too: that is no matter of credentials, and `kinds` reports it.
        else if (isRedirect(exchange) && redirected.has(notification.query)) return;
        else if (httpStatus < 400 || httpStatus >= 500) findings.fail(exchange);
      }),
    );
    const { total = 0 } = actions ?? {};
    if (total > 0) {
      findings.fail(
        '{count} actions were counted for notifications without the right credentials, those by {methods} among them',
        { count: total, methods: METHODS.join(', ') },
      );
    }
  },
};

function wrongPairs({
  apiKey,
  apiToken,
}: Credentials): [what: Sentence, authorization: string | undefined][] {
  const right = encode(`${apiKey}:${apiToken}`);
  const all: [Sentence, string | undefined][] = [
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
    ['right pair and a third part after a colon', basic(apiKey, `${apiToken}:x`)],
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
