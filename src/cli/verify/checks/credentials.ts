import { Buffer } from 'node:buffer';
import type { Credentials } from '../../../service/credentials';
import type { CheckDefinition, Findings } from '../check';
import { everyKind } from '../documented-kinds';
import { describeExchange, type Named } from '../exchange';
import type { Session } from '../session';

/** Sections 5 and 6.1. Each forgery has one fault, to find a listener that checks only half of the pair. */
export const credentials: CheckDefinition = {
  id: 'credentials',
  title: 'Rejects missing and wrong credentials, and does not act on such notifications',
  asks:
    'Payments with no credentials, half of them, shortened or longer ones, another case or scheme; every other kind, and ' +
    'PUT, PATCH, DELETE and GET, without credentials. Each must get 401 or another 4xx in time, and must not be acted on.',
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
    const forged = [
      ...forgeries(session.options.credentials).map(
        ([what, authorization]) => [authorization, `a payment with ${what}`, payment] as const,
      ),
      ...others.map(
        ([name, notification]) => [undefined, `a ${name} with no credentials`, notification] as const,
      ),
    ] as const;
    const atOnce = session.isSlow ? forged.length : 1;
    const { actions } = await session.watch(0, async () => {
      for (let start = 0; start < forged.length; start += atOnce) {
        const some = forged.slice(start, start + atOnce);
        const exchanges = await Promise.all(
          some.map(([header, what, notification]) => session.forge(header, what, notification)),
        );
        for (const exchange of exchanges) {
          const { reception, httpStatus = 0 } = exchange;
          if (reception === 'gone') findings.leaveOpen(describeExchange(exchange));
          else if (httpStatus < 400 || httpStatus >= 500) findings.fail(describeExchange(exchange));
        }
      }
    });
    const { total = 0 } = actions ?? {};
    if (total > 0)
      findings.fail(`${total} actions were counted for notifications without the right credentials`);
    await otherMethods(findings, session);
  },
};

const METHODS = ['PUT', 'PATCH', 'DELETE', 'GET'];

/** A listener may answer 200 to them, as to a health check, but must not act. */
async function otherMethods(findings: Findings, session: Session): Promise<void> {
  const { payment } = await session.sale();
  const { result: exchanges, actions } = await session.watch(0, () =>
    Promise.all(
      METHODS.map((method) =>
        session.forge(undefined, `a payment by ${method} with no credentials`, payment, { method }),
      ),
    ),
  );
  if (actions !== undefined && actions.total > 0) {
    findings.fail(`a payment by ${METHODS.join(', ')} with no credentials was acted on`);
  }
  const accepted = exchanges.find(({ reception }) => reception === 'accepted');
  if (actions === undefined && accepted !== undefined) {
    findings.leaveOpen(`${describeExchange(accepted)}; whether it acted shows only with --effects`);
  }
}

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
