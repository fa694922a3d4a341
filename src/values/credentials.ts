import { ConfigurationError } from '../errors';
import type { Credentials } from '../service/credentials';

/**
 * Refuses credentials that cannot work, with messages that do not show them: the platform would quote a bad header
 * value in its own error.
 *
 * @throws `ConfigurationError`
 */
export function assertCredentials(credentials: Credentials): void {
  // In JavaScript, an option that was forgotten is undefined.
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
      `Expected \`${name}\` to have only Latin-1 characters and no control characters, as a header must. ` +
        'It was probably copied with an invisible character.',
    );
  }
}

const HEADER_SAFE = /^[\x20-\x7e\xa0-\xff]+$/;

/** Environment variables by name, such as `process.env`. */
type Environment = Readonly<Record<string, string | undefined>>;

/** The environment variable of each option. */
const VARIABLES = {
  baseUrl: 'PAYMENTS_BASE_URL',
  apiKey: 'PAYMENTS_API_KEY',
  apiToken: 'PAYMENTS_API_TOKEN',
} as const;

type Option = keyof typeof VARIABLES;

/**
 * Reads options from environment variables. An empty variable counts as missing.
 *
 * @param env - where to look, `process.env` by default
 * @throws `ConfigurationError` naming every variable that is missing
 */
export function fromEnvironment<Name extends Option>(
  options: readonly Name[],
  env: Environment = globalThis.process?.env ?? {},
): Record<Name, string> {
  const missing = options.filter((option) => !env[VARIABLES[option]]);
  if (missing.length > 0) {
    const names = missing.map((option) => VARIABLES[option]);
    throw new ConfigurationError(
      `Expected the environment to have ${names.join(', ')}. Is the .env file loaded?`,
    );
  }
  const values = options.map((option) => [option, env[VARIABLES[option]]]);
  return Object.fromEntries(values) as Record<Name, string>;
}

/**
 * The credentials in the environment variables `PAYMENTS_API_KEY` and `PAYMENTS_API_TOKEN`, which
 * `PaymentsClient.fromEnv()` reads too (document section 5).
 *
 * @example
 * ```ts
 * const handler = createWebhookHandler({ credentials: credentialsFromEnv(), on: { payment: markAsPaid } });
 * ```
 *
 * @param env - where to look, `process.env` by default
 * @throws `ConfigurationError` naming the variables that are missing
 */
export function credentialsFromEnv(env?: Readonly<Record<string, string | undefined>>): Credentials {
  return fromEnvironment(['apiKey', 'apiToken'], env);
}
