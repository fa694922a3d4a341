import { Buffer } from 'node:buffer';
import type { SandboxNotification } from '../../../sandbox/model/records';
import type { Credentials } from '../../../service/credentials';
import { say } from '../../language';
import type { TextKey } from '../../texts';
import { type CheckDefinition, isRedirect } from '../check';
import { everyKind } from '../documented-kinds';
import { describeExchange } from '../session';

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
  async run(findings, session) {
    const { payment: notification } = await session.sale();
    const forged: Forgery[] = wrongPairs(session.options.credentials).map(([pair, authorization]) => {
      return { authorization, what: say('credentials.payment', { pair: say(pair) }), notification };
    });
    for (const [name, other] of await everyKind(session)) {
      if (name === 'payment') continue;
      const what = say('credentials.kind', { kind: say(name) });
      forged.push({ authorization: undefined, what, notification: other });
    }
    const unknown = say('credentials.unknownKind');
    forged.push({ authorization: undefined, what: unknown, notification: session.samples.unrecognized() });
    for (const method of METHODS) {
      const what = say('credentials.method', { method });
      forged.push({ authorization: undefined, what, notification, method });
    }
    const redirected = new Set(session.exchanges.filter(isRedirect).map(({ query }) => query));
    const { payment: lowerCase } = await session.sale();
    const inLowerCase = say('credentials.lowerCaseHeader');
    const letIn = await session.sendOnce(inLowerCase, lowerCase, { headerName: 'authorization' });
    if (letIn.httpStatus === 401 || letIn.httpStatus === 403)
      findings.fail(letIn, {}, 'reachable.headerCase');
    await session.settle();
    const { actions } = await session.watch(0, () =>
      session.each(forged, async ({ authorization, what, notification, method }) => {
        const exchange = await session.forge(authorization, what, notification, { method });
        const { reception, httpStatus = 0 } = exchange;
        if (method !== undefined) {
          // A listener may answer 200, as to a health check, but must not act.
          const sent = describeExchange(exchange);
          if (reception === 'accepted' && !session.countsEffects)
            findings.leaveOpen('credentials.unseen', { sent });
        } else if (reception === 'gone') findings.leaveOpen(exchange);
        // With the right pair it is redirected, too: that is no matter of credentials, and `kinds` reports it.
        else if (isRedirect(exchange) && redirected.has(notification.query)) return;
        else if (httpStatus < 400 || httpStatus >= 500) findings.fail(exchange);
      }),
    );
    const { total = 0 } = actions ?? {};
    if (total > 0) {
      findings.fail('credentials.counted', { count: total, methods: METHODS.join(', ') });
    }
  },
};

function wrongPairs({ apiKey, apiToken }: Credentials): [what: TextKey, authorization: string | undefined][] {
  const right = encode(`${apiKey}:${apiToken}`);
  const all: [TextKey, string | undefined][] = [
    ['pair.none', undefined],
    ['pair.empty', `Basic ${encode(':')}`],
    ['pair.nothing', 'Basic '],
    ['pair.wrongKey', basic(altered(apiKey), apiToken)],
    ['pair.wrongToken', basic(apiKey, altered(apiToken))],
    ['pair.noToken', basic(apiKey, '')],
    ['pair.noKey', basic('', apiToken)],
    ['pair.shortToken', basic(apiKey, apiToken.slice(0, -1))],
    ['pair.firstCharacter', basic(apiKey, apiToken.slice(0, 1))],
    ['pair.shortKey', basic(apiKey.slice(0, -1), apiToken)],
    ['pair.longToken', basic(apiKey, `${apiToken}0`)],
    ['pair.thirdPart', basic(apiKey, `${apiToken}:x`)],
    ['pair.longKey', basic(`0${apiKey}`, apiToken)],
    ['pair.tokenCase', basic(apiKey, otherCase(apiToken))],
    ['pair.keyCase', basic(otherCase(apiKey), apiToken)],
    ['pair.lowerBase64', `Basic ${right.toLowerCase()}`],
    ['pair.swapped', basic(apiToken, apiKey)],
    ['pair.bearer', `Bearer ${right}`],
    ['pair.noScheme', right],
    ['pair.notEncoded', `Basic ${apiKey}:${apiToken}`],
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
