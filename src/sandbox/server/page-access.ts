import { Buffer } from 'node:buffer';
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { isLoopback } from '../../client/base-url';
import { ConfigurationError } from '../../errors';
import type { Credentials } from '../../service/credentials';
import { isDefaultPair } from '../credentials';
import type { ServiceRequest } from '../model/answers';
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

/**
 * What the page's calls carry in place of the credentials, made at each start: a cookie that no script can read, and a
 * token in the page's text that no other page can read. Neither is enough alone: a browser also sends the cookie to
 * servers on other ports of the host, and the event stream's URL, which has the token, may end up in a proxy's log.
 */
export class PageToken {
  /** The value of the page's `<meta name="sandbox-page">`. */
  readonly ofPage = randomBytes(32).toString('base64url');
  readonly #cookie: string;

  /** Browsers share cookies between the ports of a host, so the name has the port in it. */
  constructor(port: number) {
    this.#cookie = `pix_sandbox_${port}=${randomBytes(32).toString('base64url')}`;
  }

  /** The header `Set-Cookie`. */
  get setCookie(): string {
    return `${this.#cookie}; Path=/sandbox; HttpOnly; SameSite=Strict`;
  }

  /** Whether a request carries both. */
  isIn(request: Pick<ServiceRequest, 'path' | 'headers'>): boolean {
    const { cookie = '' } = request.headers;
    // Any of that name: a server on another port can set one too, and the browser may send that first.
    const hasCookie = String(cookie)
      .split('; ')
      .some((given) => isSame(given, this.#cookie));
    return hasCookie && isSame(tokenIn(request), this.ofPage);
  }
}

/** The page sends it as a header; `EventSource` can set none, so the event stream has it in its query. */
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
