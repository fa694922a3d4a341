import { Buffer } from 'node:buffer';
import { SHORTEST_SECRET } from '../../../sandbox/credentials';
import type { CheckDefinition } from '../check';
import { describeExchange } from '../session';

/** Looks at all responses, to right and to wrong credentials. */
export const noSecrets: CheckDefinition = {
  id: 'no-secrets',
  title: 'Puts no credentials into its responses',
  asks: 'Whether the key, the token or their Base64 is in the headers or the body of any response.',
  why: 'Anybody who sees such a response, for example in the log of a proxy, can send payments that your listener believes.',
  fix: 'Answer 401 with a fixed text. Never send headers, the expected value or an error with the request in it (document section 5). Change the credentials if the listener was public.',
  async run(findings, session) {
    const { apiKey, apiToken } = session.options.credentials;
    const pair = Buffer.from(`${apiKey}:${apiToken}`).toString('base64');
    const all = [
      ['the token is in the response to {what}', apiToken],
      ['the key is in the response to {what}', apiKey],
      ['the Base64 of both is in the response to {what}', pair],
    ] as const;
    for (const [problem, secret] of all) {
      // A shorter one, such as `k`, is in every text.
      if (secret.length < SHORTEST_SECRET) continue;
      const leak = [...session.forgeries, ...session.exchanges].find(({ text, headers }) =>
        [text, ...headers].some((part) => part.includes(secret)),
      );
      if (leak !== undefined) findings.fail(problem, { what: leak.what });
    }
  },
};

/** Looks at all responses with a 2xx status. */
export const status200: CheckDefinition = {
  id: 'status-200',
  title: 'Accepts with 200 and with no other status',
  asks: 'Whether everything that was accepted was answered with 200.',
  why: 'After 202 or 204 the service sends the notification again, five times, and counts the delivery as failed.',
  fix: 'Answer 200 when you have accepted a notification. The service knows no other success: after 202 or 204 it sends the notification again, five times (document section 6.1).',
  async run(findings, session) {
    const accepted = session.exchanges.filter(({ reception }) => reception === 'accepted');
    const others = accepted.filter(({ httpStatus }) => httpStatus !== 200).toReversed();
    const firstOfEach = new Map(others.map((exchange) => [exchange.httpStatus, exchange]));
    for (const exchange of firstOfEach.values()) findings.fail(exchange);
    if (accepted.length === 0) findings.leaveOpen('nothing was accepted');
  },
};

/** Looks at how long all responses took. */
export const prompt: CheckDefinition = {
  id: 'prompt',
  title: 'Answers promptly',
  asks: 'Whether every response came within `--limit`.',
  why: 'A timeout is a failed delivery: the notification comes five more times. If each attempt times out, it is lost.',
  fix: 'Write the notification to a queue or a table, answer 200, and do the work afterwards. A timeout is a failed delivery, and causes retries (document section 6.1). The document does not say how long the service waits; choose a time with --limit.',
  async run(findings, session) {
    const { limitMs } = session.options;
    const answered = session.exchanges.filter(({ reception }) => reception !== 'gone');
    const late = answered.filter(
      ({ durationMs, reception }) => reception === 'silent' || durationMs > limitMs,
    );
    if (answered.length === 0) findings.leaveOpen('there was no response');
    const [worst] = late.toSorted((one, other) => other.durationMs - one.durationMs);
    if (worst === undefined) return;
    const { durationMs } = worst;
    findings.fail(
      '{late} of {all} responses took longer than {limitMs} ms; the slowest: {worst} after {durationMs} ms',
      { late: late.length, all: answered.length, limitMs, worst: describeExchange(worst), durationMs },
    );
  },
};
