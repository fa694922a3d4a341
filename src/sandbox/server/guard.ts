import { isLoopback } from '../../client/base-url';
import { json, type ServiceAnswer, type ServiceRequest } from '../model/answers';

/** Where the sandbox may be reached, beyond loopback. */
export interface GuardOptions {
  /** What the server was told to listen on. */
  readonly host: string;
  /** The name that others know it by, if any. */
  readonly publicUrl: string | undefined;
}

/** The part of a request that says who sent it, and from where. */
export interface GuardedRequest extends Pick<ServiceRequest, 'method' | 'path' | 'headers'> {
  /** The address of this machine that the connection came in on. */
  readonly localAddress: string | undefined;
}

/**
 * Refuses what a web page of another origin may have sent: a sandbox holds payloads, and posts where it is told to.
 *
 * - `Host` must name this machine, so that a DNS name that was pointed at it (rebinding) reads nothing.
 * - `Origin` and `Sec-Fetch-Site` must be the sandbox's own, where a browser sends them.
 *
 * @returns the refusal, or `undefined` for a request to answer
 */
export function guard(request: GuardedRequest, options: GuardOptions): ServiceAnswer | undefined {
  const host = headerOf(request, 'host') ?? '';
  if (!isOwnHost(host, request.localAddress, options)) {
    return refusal(
      421,
      'This host name is not the sandbox’s. Call it by its loopback address, or start it with `publicUrl`.',
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
  { host: bound, publicUrl }: GuardOptions,
): boolean {
  if (!/^[\w.:[\]-]+$/.test(host) || !URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  if (isLoopback(hostname)) return true;
  const own = [bound, localAddress?.replace(/^::ffff:/, '')].map(
    (name) => name && new URL(`http://${name.includes(':') ? `[${name}]` : name}`).hostname,
  );
  return own.includes(hostname) || (publicUrl !== undefined && new URL(publicUrl).hostname === hostname);
}

function isForeign(request: GuardedRequest, host: string, { publicUrl }: GuardOptions): boolean {
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

/** The page, which shows nothing before its own script asks, may be linked to; and a checkout shows the QR code's image. */
function mayBeLinked(request: GuardedRequest): boolean {
  if (request.method !== 'GET') return false;
  const [path = ''] = request.path.split('?');
  const isNavigation =
    headerOf(request, 'sec-fetch-mode') === 'navigate' && headerOf(request, 'sec-fetch-dest') === 'document';
  return (path === '/' && isNavigation) || path.startsWith('/sandbox/qr-codes/');
}

function headerOf({ headers }: GuardedRequest, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

function refusal(status: number, message: string): ServiceAnswer {
  return json(status, { message }, { connection: 'close' });
}
