import { ConfigurationError } from '../errors';

/** Environment variables by name, such as `process.env`. */
type Environment = Readonly<Record<string, string | undefined>>;

/** Which environment variable has which option. */
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
