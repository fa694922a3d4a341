import { ConfigurationError } from '../errors';
import { defaultCredentials } from '../sandbox/credentials';
import type { Credentials } from '../service/credentials';
import { assertCredentials } from '../values/credentials';
import { usageFailure } from './failure';

/** A pair to send, and where it is from: the pair itself is never shown. */
export interface ChosenCredentials {
  readonly credentials: Credentials;
  readonly source: 'environment' | 'sandbox-default';
}

/**
 * The pair of the environment. Without one, the sandbox's own pair, which is no secret. It opens only listeners under
 * development, so it is sent only to this machine or to a network the caller vouches for.
 */
export function credentialsFromEnvironment(isDevelopment: boolean): ChosenCredentials {
  const apiKey = process.env['PAYMENTS_API_KEY'];
  const apiToken = process.env['PAYMENTS_API_TOKEN'];
  if (!apiKey && !apiToken && isDevelopment) {
    return { credentials: defaultCredentials, source: 'sandbox-default' };
  }
  if (!apiKey || !apiToken) {
    const missing = [apiKey ? [] : 'PAYMENTS_API_KEY', apiToken ? [] : 'PAYMENTS_API_TOKEN'].flat();
    throw usageFailure(
      `Expected ${missing.join(' and ')} in the environment: the pair that the other side expects. ` +
        'Credentials are not taken as arguments, because every process of the machine can read those.',
    );
  }
  try {
    assertCredentials({ apiKey, apiToken });
  } catch (error) {
    if (error instanceof ConfigurationError) throw usageFailure(error.message);
    throw error;
  }
  return { credentials: { apiKey, apiToken }, source: 'environment' };
}
