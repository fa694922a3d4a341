import { ConfigurationError } from '../errors/configuration-error';
import type { Credentials } from '../service/credentials';

/**
 * Refuses credentials that cannot work, with messages that do not show them: the platform would quote a bad header
 * value in its own error.
 *
 * @param option - the option that holds the pair, if it is one
 * @throws `ConfigurationError`
 */
export function assertCredentials(credentials: Credentials, option?: string): void {
  // In JavaScript, an option that was forgotten is undefined.
  const { apiKey, apiToken } = credentials ?? {};
  const nameOf = (name: keyof Credentials) => (option === undefined ? name : `${option}.${name}`);
  assertCredential(nameOf('apiKey'), apiKey);
  assertCredential(nameOf('apiToken'), apiToken);
  if (apiKey.includes(':')) {
    const message =
      'Expected `apiKey` to be without a colon: in Basic authentication the colon ends the user name. ' +
      'Did you pass key and token in one string?';
    throw new ConfigurationError(message.replace('apiKey', nameOf('apiKey')));
  }
}

function assertCredential(name: string, value: unknown): asserts value is string {
  if (typeof value !== 'string' || value === '' || value === 'undefined' || value === 'null') {
    const got = value === 'undefined' || value === 'null' ? `, got the text \`${value}\`` : '';
    throw new ConfigurationError(
      `Expected \`${name}\` to be a non-empty string${got}. Is its environment variable set?`,
    );
  }
  if (PLACEHOLDER.test(value)) {
    throw new ConfigurationError(
      `Expected \`${name}\` to be a credential, got what stands for one. Was an example copied, or a variable not replaced?`,
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

/** `<your-api-key>`, `${API_KEY}`, `{{ api_key }}`, `$API_KEY`, `%API_KEY%`: whole, for a credential may have any of the signs. */
const PLACEHOLDER = /^(?:<[\w -]{4,}>|\$\{\w{3}.*\}|\{\{ ?\w{3}.*\}\}|\$[A-Z]+_\w+|%[A-Z]+_\w+%)$/;

const HEADER_SAFE = /^[\x20-\x7e\xa0-\xff]+$/;

/** Environment variables by name, such as `process.env`. */
type Environment = Readonly<Record<string, string | undefined>>;

const CURRENT_PAIR = { apiKey: 'PAYMENTS_API_KEY', apiToken: 'PAYMENTS_API_TOKEN' };
const PREVIOUS_PAIR = { apiKey: 'PAYMENTS_API_KEY_PREVIOUS', apiToken: 'PAYMENTS_API_TOKEN_PREVIOUS' };

/**
 * The options of `PaymentsClient.fromEnv()`.
 *
 * @throws `ConfigurationError` naming every variable that is missing, and for one in quotation marks
 */
export function clientOptionsFromEnv(env: Environment = processEnvironment()): Credentials & {
  readonly baseUrl: string;
  readonly previous?: Credentials;
  readonly allowInsecureHttp: boolean;
} {
  return {
    ...readVariables({ baseUrl: 'PAYMENTS_BASE_URL', ...CURRENT_PAIR }, env),
    ...(isRotation(env) && { previous: readVariables(PREVIOUS_PAIR, env) }),
    allowInsecureHttp: env['PAYMENTS_ALLOW_INSECURE_HTTP'] === 'true',
  };
}

/**
 * The credentials that a listener accepts, from environment variables (document section 5):
 *
 * - `PAYMENTS_API_KEY` and `PAYMENTS_API_TOKEN`, which `PaymentsClient.fromEnv()` reads too
 * - during a rotation, `PAYMENTS_API_KEY_PREVIOUS` and `PAYMENTS_API_TOKEN_PREVIOUS`, the pair that the service may still
 *   use. It comes second, so `context.credentialIndex` is 1 for as long as the service uses it
 *
 * An empty variable counts as missing.
 *
 * @example
 * ```ts
 * const handler = createWebhookHandler({ credentials: credentialsFromEnv(), confirm: client, on: { payment: markAsPaid } });
 * ```
 *
 * @param env - where to look, `process.env` by default
 * @throws `ConfigurationError` naming the variables that are missing, and for one in quotation marks
 */
export function credentialsFromEnv(
  env: Readonly<Record<string, string | undefined>> = processEnvironment(),
): [Credentials, ...Credentials[]] {
  const current = readVariables(CURRENT_PAIR, env);
  return isRotation(env) ? [current, readVariables(PREVIOUS_PAIR, env)] : [current];
}

function isRotation(env: Environment): boolean {
  return Object.values(PREVIOUS_PAIR).some((variable) => env[variable]);
}

/** Not every platform has `process`. */
function processEnvironment(): Environment {
  return globalThis.process?.env ?? {};
}

/** @throws `ConfigurationError` naming every variable that is missing or empty */
function readVariables<Name extends string>(
  variables: Readonly<Record<Name, string>>,
  env: Environment,
): Record<Name, string> {
  if (typeof env !== 'object' || env === null) {
    throw new ConfigurationError(
      'Expected `env` to be an object of environment variables, such as `process.env`.',
    );
  }
  const names: string[] = Object.values(variables);
  const missing = names.filter((variable) => !env[variable]);
  if (missing.length > 0) {
    const isHalf = missing.length === 1 && missing[0] !== 'PAYMENTS_BASE_URL';
    const advice = isHalf
      ? 'It has the other half of the pair. Was the name misspelt, or the value left empty?'
      : 'Is the .env file loaded?';
    throw new ConfigurationError(`Expected the environment to have ${missing.join(', ')}. ${advice}`);
  }
  const quoted = names.find((variable) => /^["']|["']$/.test(env[variable] as string));
  if (quoted !== undefined) {
    throw new ConfigurationError(
      `Expected ${quoted} to be without quotation marks at its ends. Was it copied with them? ` +
        '`docker run --env-file` does not take them off.',
    );
  }
  const entries = Object.entries<string>(variables).map(([name, variable]) => [name, env[variable]]);
  return Object.fromEntries(entries) as Record<Name, string>;
}
