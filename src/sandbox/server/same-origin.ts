import { isLoopback } from '../../client/base-url';
import { json, type ServiceAnswer, type ServiceRequest } from '../model/answers';

/** Where the sandbox may be reached, beyond loopback. */
export interface Reach {
  /** The address or name that the server listens on. */
  readonly host: string;
  /** The URL by which others reach the sandbox, if any. */
  readonly publicUrl: string | undefined;
}

/** The part of a request that shows where it comes from. */
export interface SentRequest extends Pick<ServiceRequest, 'method' | 'path' | 'headers'> {
  /** The address of this machine that the connection came in on. */
  readonly localAddress: string | undefined;
}

/**
 * Refuses a request that a web page of another origin may have sent: it could read payloads, or make the sandbox post
 * to a URL of its choice.
 *
 * - `Host` must name this machine. This stops DNS rebinding, where a page's own host name resolves to this machine.
 * - `Origin` and `Sec-Fetch-Site`, if a browser sends them, must show the sandbox's own origin.
 *
 * @returns the refusal, or `undefined` for a request to answer
 */
export function refuseForeign(request: SentRequest, options: Reach): ServiceAnswer | undefined {
  const host = headerOf(request, 'host') ?? '';
  if (!isOwnHost(host, request.localAddress, options)) {
    return refusal(
      421,
      'This host name is not the sandbox’s. Call the sandbox by its loopback address, or start it with `publicUrl`.',
    );
  }
  if (isForeign(request, host, options)) {
    return refusal(403, 'The sandbox answers no calls from web pages of another origin.');
  }
  return undefined;
}

function isOwnHost(
  host: string,
  localAddress: string | undefined,
  { host: bound, publicUrl }: Reach,
): boolean {
  if (!/^[\w.:[\]-]+$/.test(host) || !URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  if (isLoopback(hostname)) return true;
  const own = [bound, localAddress?.replace(/^::ffff:/, '')].map(
    (name) => name && new URL(`http://${name.includes(':') ? `[${name}]` : name}`).hostname,
  );
  return own.includes(hostname) || (publicUrl !== undefined && new URL(publicUrl).hostname === hostname);
}

function isForeign(request: SentRequest, host: string, { publicUrl }: Reach): boolean {
  const origin = headerOf(request, 'origin');
  const isOwnOrigin =
    origin === undefined ||
    origin === `http://${host}` ||
    (publicUrl !== undefined && origin === new URL(publicUrl).origin);
  if (!isOwnOrigin) return true;
  const site = headerOf(request, 'sec-fetch-site');
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  return !mayBeLinked(request);
}

/** Other sites may link to the page, which shows nothing before its script asks, and may show QR code images. */
function mayBeLinked(request: SentRequest): boolean {
  if (request.method !== 'GET') return false;
  const [path = ''] = request.path.split('?');
  const isNavigation =
    headerOf(request, 'sec-fetch-mode') === 'navigate' && headerOf(request, 'sec-fetch-dest') === 'document';
  return (path === '/' && isNavigation) || path.startsWith('/sandbox/qr-codes/');
}

function headerOf({ headers }: SentRequest, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

function refusal(status: number, message: string): ServiceAnswer {
  return json(status, { message }, { connection: 'close' });
}
