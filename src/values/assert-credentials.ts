import { ConfigurationError } from '../errors';
import type { Credentials } from '../service/credentials';

/**
 * Refuses credentials that cannot work, with messages that do not show them: the platform would quote a bad header
 * value in its own error.
 *
 * @throws `ConfigurationError`
 */
export function assertCredentials(credentials: Credentials): void {
  // In JavaScript nothing keeps a forgotten option from being undefined.
  const { apiKey, apiToken } = credentials ?? {};
  assertCredential('apiKey', apiKey);
  assertCredential('apiToken', apiToken);
  if (apiKey.includes(':')) {
    throw new ConfigurationError(
      'Expected `apiKey` to be without a colon: in Basic authentication the colon ends the user name. ' +
        'Did you pass key and token in one string?',
    );
  }
}

function assertCredential(name: keyof Credentials, value: unknown): asserts value is string {
  if (typeof value !== 'string' || value === '') {
    throw new ConfigurationError(
      `Expected \`${name}\` to be a non-empty string. Is its environment variable set?`,
    );
  }
  if (value.trim() !== value) {
    throw new ConfigurationError(
      `Expected \`${name}\` to be without white space at its ends. It was probably copied with a line break.`,
    );
  }
  if (!HEADER_SAFE.test(value)) {
    throw new ConfigurationError(
      `Expected \`${name}\` to be without control characters and of Latin-1 characters only, as a header must be. ` +
        'It was probably copied with an invisible character.',
    );
  }
}

const HEADER_SAFE = /^[\x20-\x7e\xa0-\xff]+$/;
