import type { Credentials } from '../service/credentials';
import { fromEnvironment } from '../values/from-environment';

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
