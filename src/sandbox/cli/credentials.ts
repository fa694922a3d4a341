import { ConfigurationError } from '../../errors';
import { assertCredentials, type Credentials } from '../../schemas/credentials';
import { defaultCredentials } from '../default-credentials';
import { usageFailure } from './failure';

/** A pair to send, and where it is from: the pair itself is never shown. */
export interface ChosenCredentials {
  readonly credentials: Credentials;
  readonly source: 'environment' | 'sandbox-default';
}

/**
 * The pair of the environment. Without one, the sandbox's own pair, which is no secret; it opens nothing but listeners
 * that are being developed, so it is for loopback alone.
 */
export function credentialsFromEnvironment(isForLoopback: boolean): ChosenCredentials {
  const apiKey = process.env['PAYMENTS_API_KEY'];
  const apiToken = process.env['PAYMENTS_API_TOKEN'];
  if (!apiKey && !apiToken && isForLoopback) {
    return { credentials: defaultCredentials, source: 'sandbox-default' };
  }
  if (!apiKey || !apiToken) {
    const missing = [apiKey ? [] : 'PAYMENTS_API_KEY', apiToken ? [] : 'PAYMENTS_API_TOKEN'].flat();
    throw usageFailure(
      `Expected ${missing.join(' and ')} in the environment: the pair that your listener expects. ` +
        'Credentials are not taken as arguments, which every process of the machine can read.',
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
