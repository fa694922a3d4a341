import { Buffer } from 'node:buffer';
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { ServiceRequest } from '../model/answers';

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
