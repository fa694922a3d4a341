import { Buffer } from 'node:buffer';
import type { Credentials } from '../../../../schemas/credentials';
import type { CheckDefinition } from '../check';
import { describeExchange } from '../session';

/** Sections 5.4 and 6.1. One fault at a time, so that a check of half the pair is found. */
export const credentials: CheckDefinition = {
  id: 'credentials',
  title: 'Rejects missing and wrong credentials, and does not act on what they carry',
  fix:
    'Compare the whole `Authorization` header with `Basic ` and the Base64 of key, colon and token, in constant time ' +
    'and before anything is read or done; answer 401 otherwise (document section 5). `createWebhookHandler`, or ' +
    '`verifyAuthorization` for a listener of your own, does it.',
  async run(findings, session) {
    const { actions } = await session.watch(async () => {
      for (const [what, authorization] of forgeries(session.options.chosen.credentials)) {
        const exchange = await session.sendWith(authorization, what, session.samples.sale().payment);
        const { reception, httpStatus = 0 } = exchange;
        if (reception === 'silent' || reception === 'gone') findings.leaveOpen(describeExchange(exchange));
        else if (httpStatus < 400 || httpStatus >= 500) findings.fail(describeExchange(exchange));
      }
    });
    if (actions) findings.fail(`${actions} actions were counted for notifications that prove nothing`);
  },
};

function forgeries({ apiKey, apiToken }: Credentials): [what: string, authorization: string | undefined][] {
  return [
    ['no credentials', undefined],
    ['wrong key, right token', basic(altered(apiKey), apiToken)],
    ['right key, wrong token', basic(apiKey, altered(apiToken))],
    ['right key, no token', basic(apiKey, '')],
    ['right key, token with one character more', basic(apiKey, `${apiToken}0`)],
    ['key and token swapped', basic(apiToken, apiKey)],
    ['right pair under the scheme Bearer', basic(apiKey, apiToken).replace('Basic', 'Bearer')],
    ['right pair that is not Base64', `Basic ${apiKey}:${apiToken}`],
  ];
}

/** Without the library's own checks: these are meant to be wrong. */
function basic(key: string, token: string): string {
  return `Basic ${Buffer.from(`${key}:${token}`).toString('base64')}`;
}

/** As long as it was, and different in its last character only. */
function altered(text: string): string {
  return text.slice(0, -1) + (text.endsWith('x') ? 'y' : 'x');
}
