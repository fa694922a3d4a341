import { Buffer } from 'node:buffer';
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { isLoopback } from '../../client/base-url';
import { ConfigurationError } from '../../errors';
import type { Credentials } from '../../service/credentials';
import { isDefaultPair } from '../credentials';
import type { ServiceRequest } from '../model/answers';
import type { GuardOptions } from './guard';

/**
 * The credentials that the page asks for. `undefined` with the default pair: everybody on this machine may open it.
 *
 * @throws `ConfigurationError` for a `publicUrl` that is no http or https URL, or for the default pair when other
 *   machines can reach the sandbox
 */
export function pageCredentialsFor(
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
      '127.0.0.1 without a `publicUrl` beyond this machine, or set your own pair: `credentials`, or ' +
      'PAYMENTS_API_KEY and PAYMENTS_API_TOKEN in the environment of the command line.',
  );
}

/**
 * The page's calls carry these in place of the credentials: a cookie that no script can read, and a token in the page's
 * text that no other page can read. Both are new at each start. Neither is enough alone: a browser also sends the
 * cookie to servers on other ports of the host, and the event stream's URL, which has the token, may end up in a
 * proxy's log.
 */
export class PageToken {
  /** The value of the page's `<meta name="sandbox-page">`. */
  readonly ofPage = randomBytes(32).toString('base64url');
  readonly #cookie: string;
  readonly #publicUrl: URL | undefined;

  /** Browsers share cookies between the ports of a host, so the name has the port in it. */
  constructor(port: number, publicUrl?: string) {
    this.#publicUrl = publicUrl === undefined ? undefined : new URL(publicUrl);
    this.#cookie = `pix_sandbox_${port}=${randomBytes(32).toString('base64url')}`;
  }

  /** The header `Set-Cookie`; `Secure` for a browser that came by the https `publicUrl`. */
  setCookie({ headers }: Pick<ServiceRequest, 'headers'>): string {
    const { protocol, host } = this.#publicUrl ?? {};
    const secure = protocol === 'https:' && headers['host'] === host ? '; Secure' : '';
    return `${this.#cookie}; Path=/sandbox; HttpOnly; SameSite=Strict${secure}`;
  }

  /** Whether a request carries both, the cookie and the token. */
  isIn(request: Pick<ServiceRequest, 'path' | 'headers'>): boolean {
    const { cookie = '' } = request.headers;
    // Look at every cookie: a server on another port can set one of the same name, which may come first.
    const hasCookie = String(cookie)
      .split('; ')
      .some((given) => isSame(given, this.#cookie));
    return hasCookie && isSame(tokenIn(request), this.ofPage);
  }
}

/** The page sends it as a header. `EventSource` cannot set headers, so the event stream has it in its query. */
function tokenIn({ path, headers }: Pick<ServiceRequest, 'path' | 'headers'>): string {
  const [route, query] = path.split('?');
  if (route === '/sandbox/events') return new URLSearchParams(query).get('page') ?? '';
  return String(headers['x-sandbox-page'] ?? '');
}

function isSame(given: string, expected: string): boolean {
  const bytes = Buffer.from(given);
  const expectedBytes = Buffer.from(expected);
  return bytes.length === expectedBytes.length && timingSafeEqual(bytes, expectedBytes);
}
