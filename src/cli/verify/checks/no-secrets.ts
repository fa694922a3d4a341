import { Buffer } from 'node:buffer';
import type { CheckDefinition } from '../check';

/** Over everything that was sent, with right credentials and with others. */
export const noSecrets: CheckDefinition = {
  id: 'no-secrets',
  title: 'Puts no credentials into its responses',
  asks: 'Whether the key, the token or their Base64 is in any response.',
  why: 'Whoever reads the response, a proxy log or somebody who guesses, can send payments that you believe.',
  fix:
    'Answer 401 with a fixed text. Never send headers, the expected value or an error with the request in it (document ' +
    'section 5). Change the credentials if the listener was public.',
  async run(findings, session) {
    const { apiKey, apiToken } = session.options.credentials;
    const pair = Buffer.from(`${apiKey}:${apiToken}`).toString('base64');
    const secrets = [
      ['the token', apiToken],
      ['the key', apiKey],
      ['the Base64 of both', pair],
    ] as const;
    for (const [name, secret] of secrets) {
      const leak = [...session.forgeries, ...session.exchanges].find(({ text }) => text.includes(secret));
      if (leak !== undefined) findings.fail(`${name} is in the response to ${leak.what}`);
    }
  },
};
