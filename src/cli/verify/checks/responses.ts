import { Buffer } from 'node:buffer';
import { SHORTEST_SECRET } from '../../../sandbox/credentials';
import type { CheckDefinition } from '../check';
import { describeExchange } from '../session';

/** Looks at all responses, to right and to wrong credentials. */
export const noSecrets: CheckDefinition = {
  id: 'no-secrets',
  async run(findings, session) {
    const { apiKey, apiToken } = session.options.credentials;
    const pair = Buffer.from(`${apiKey}:${apiToken}`).toString('base64');
    const all = [
      ['no-secrets.token', apiToken],
      ['no-secrets.key', apiKey],
      ['no-secrets.base64', pair],
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
  async run(findings, session) {
    const accepted = session.exchanges.filter(({ reception }) => reception === 'accepted');
    const others = accepted.filter(({ httpStatus }) => httpStatus !== 200).toReversed();
    const firstOfEach = new Map(others.map((exchange) => [exchange.httpStatus, exchange]));
    for (const exchange of firstOfEach.values()) findings.fail(exchange);
    if (accepted.length === 0) findings.leaveOpen('run.nothingAccepted');
  },
};

/** Looks at how long all responses took. */
export const prompt: CheckDefinition = {
  id: 'prompt',
  async run(findings, session) {
    const { limitMs } = session.options;
    const answered = session.exchanges.filter(({ reception }) => reception !== 'gone');
    const late = answered.filter(
      ({ durationMs, reception }) => reception === 'silent' || durationMs > limitMs,
    );
    if (answered.length === 0) findings.leaveOpen('prompt.none');
    const [worst] = late.toSorted((one, other) => other.durationMs - one.durationMs);
    if (worst === undefined) return;
    const { durationMs } = worst;
    findings.fail('prompt.late', {
      late: late.length,
      all: answered.length,
      limitMs,
      worst: describeExchange(worst),
      durationMs,
    });
  },
};
