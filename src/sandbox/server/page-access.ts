import { isLoopback } from '../../client/base-url';
import { ConfigurationError } from '../../errors';
import type { Credentials } from '../../service/credentials';
import { isDefaultPair } from '../default-credentials';
import type { GuardOptions } from './guard';

/**
 * Whom the page is for: who knows the pair, or everybody on this machine where the pair is the default one.
 *
 * @throws `ConfigurationError` for the default pair where others than this machine may reach the sandbox
 */
export function pageOwner(
  credentials: Credentials,
  { host, publicUrl }: GuardOptions,
): Credentials | undefined {
  if (publicUrl !== undefined && !(/^https?:\/\//.test(publicUrl) && URL.canParse(publicUrl))) {
    throw new ConfigurationError('Expected `publicUrl` to be an absolute http or https URL.');
  }
  if (!isDefaultPair(credentials)) return credentials;
  const isLocal =
    isLoopback(host.includes(':') ? `[${host}]` : host) &&
    (publicUrl === undefined || isLoopback(new URL(publicUrl).hostname));
  if (isLocal) return undefined;
  throw new ConfigurationError(
    'The sandbox would be open to the network with its default credentials, which everybody knows. Listen on ' +
      '127.0.0.1 without a `publicUrl` beyond this machine, or bring a pair of your own: `credentials`, or ' +
      'PAYMENTS_API_KEY and PAYMENTS_API_TOKEN in the environment of the command line.',
  );
}
