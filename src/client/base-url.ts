import { ConfigurationError } from '../errors/configuration-error';

/**
 * Checks the service's base URL.
 *
 * @returns the URL without a trailing slash, its path prefix included
 * @throws `ConfigurationError`; its message does not quote the URL, which may hold a password
 */
export function parseBaseUrl(baseUrl: string, allowInsecureHttp: boolean): string {
  // URL parsers drop line breaks and tabs, so requests would go to a different host than the text appears to name.
  if (typeof baseUrl === 'string' && hasWhiteSpace(baseUrl)) {
    throw new ConfigurationError(
      'Expected `baseUrl` to be without white space and control characters. It was probably copied with a line break.',
    );
  }
  if (baseUrl === undefined || baseUrl === null || baseUrl === '') {
    throw new ConfigurationError(
      'Expected `baseUrl` to be an absolute URL such as https://api.example.com, and there is none. Is its environment ' +
        'variable set? `PaymentsClient.fromEnv()` reads PAYMENTS_BASE_URL.',
    );
  }
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl)) {
    throw new ConfigurationError('Expected `baseUrl` to be an absolute URL such as https://api.example.com.');
  }
  const url = new URL(baseUrl);
  if (url.username !== '' || url.password !== '') {
    throw new ConfigurationError(
      'Expected `baseUrl` to be without a user name or password. Pass the credentials as `apiKey` and `apiToken`.',
    );
  }
  if (baseUrl.includes('?') || baseUrl.includes('#')) {
    throw new ConfigurationError(
      'Expected `baseUrl` to be without a query or a fragment: paths are appended to it.',
    );
  }
  if (!/^https?:$/.test(url.protocol)) {
    // Do not quote the scheme: if `key:token` was passed as the URL by mistake, the scheme is the key.
    throw new ConfigurationError(
      'Expected `baseUrl` to begin with `https://`, or with `http://` if it is on this machine.',
    );
  }
  if (url.protocol === 'http:' && !allowInsecureHttp && !isLoopback(url.hostname)) {
    throw new ConfigurationError(
      'Expected `baseUrl` to be an https URL, got http://. The credentials travel in every request. ' +
        'Pass `allowInsecureHttp: true`, or set PAYMENTS_ALLOW_INSECURE_HTTP=true for `fromEnv`, if the network between ' +
        'is yours or something on the way adds the encryption.',
    );
  }
  const parsed = url.origin + url.pathname.replace(/(?<!\/)\/+$/, '');
  if (/\/v1\.1(?:\/(?:checkout|transactions)(?:\/.*)?)?$/.test(parsed)) {
    throw new ConfigurationError(
      'Expected `baseUrl` to be without `/v1.1` at its end, and without the path of a call: the paths of the calls begin with ' +
        'it, and are appended.',
    );
  }
  return parsed;
}

function hasWhiteSpace(text: string): boolean {
  return /[\s\p{Cc}]/u.test(text);
}

/**
 * Whether a URL's host name is this machine, so that requests to it cross no network. Names that end in `.localhost` do
 * not count: a name server may resolve them to another host.
 */
export function isLoopback(hostname: string): boolean {
  // The URL parser has already normalized every spelling of an IPv4 address (such as 0x7f.1) to this form.
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
