import { Buffer } from 'node:buffer';
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { isLoopback } from '../../client/base-url';
import { ConfigurationError } from '../../errors';
import type { Credentials } from '../../service/credentials';
import { isDefaultPair } from '../credentials';
import type { ServiceRequest } from '../model/answers';
import type { Reach } from './same-origin';

/**
 * The credentials that the page asks for. `undefined` with the default pair: everybody on this machine may open it.
 *
 * @throws `ConfigurationError` for a `publicUrl` that is no http or https URL, or for the default pair when other
 *   machines can reach the sandbox
 */
export function pageCredentialsFor(
  credentials: Credentials,
  { host, publicUrl }: Reach,
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
      '127.0.0.1 without a `publicUrl` beyond this machine, or set your own pair: `credentials`, or ' +
      'PAYMENTS_API_KEY and PAYMENTS_API_TOKEN in the environment of the command line.',
  );
}

/**
 * The page's calls carry it in place of the credentials: a token in the page's text, new at each start, that no other
 * page can read.
 */
export class PageToken {
  /** The value of the page's `<meta name="sandbox-page">`. */
  readonly value = randomBytes(32).toString('base64url');

  /** Whether a request carries the token. */
  isIn(request: Pick<ServiceRequest, 'path' | 'headers'>): boolean {
    const [given, expected] = [Buffer.from(tokenIn(request)), Buffer.from(this.value)];
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}

/** The page sends it as a header. `EventSource` cannot set headers, so the event stream has it in its query. */
function tokenIn({ path, headers }: Pick<ServiceRequest, 'path' | 'headers'>): string {
  const [route, query] = path.split('?');
  if (route === '/sandbox/events') return new URLSearchParams(query).get('page') ?? '';
  return String(headers['x-sandbox-page'] ?? '');
}
