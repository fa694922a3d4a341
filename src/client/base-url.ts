import { ConfigurationError } from '../errors';

/**
 * Checks the service's base URL.
 *
 * @returns the URL without a trailing slash, its path prefix included
 * @throws `ConfigurationError`; its message does not quote the URL, which may hold a password
 */
export function parseBaseUrl(baseUrl: string, allowInsecureHttp: boolean): string {
  // A URL parser drops line breaks and tabs, so the requests would go to another host than the text seems to name.
  if (typeof baseUrl === 'string' && hasWhiteSpace(baseUrl)) {
    throw new ConfigurationError(
      'Expected `baseUrl` to be without white space and control characters. It was probably copied with a line break.',
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
  if (
    url.protocol === 'http:' ? !(allowInsecureHttp || isLoopback(url.hostname)) : url.protocol !== 'https:'
  ) {
    // Another scheme than http is not quoted: of `key:token`, given as the URL by mistake, it would be the key.
    const got = url.protocol === 'http:' ? 'http://' : 'another scheme';
    throw new ConfigurationError(
      `Expected \`baseUrl\` to be an https URL, got ${got}. The credentials travel in every request. ` +
        'Pass `allowInsecureHttp: true` if something on the way adds the encryption.',
    );
  }
  return url.origin + url.pathname.replace(/(?<!\/)\/+$/, '');
}

function hasWhiteSpace(text: string): boolean {
  return /[\s\p{Cc}]/u.test(text);
}

/**
 * Whether a URL's host name is this machine: requests to it cross no network. Names that end in `.localhost` are not:
 * a name server may send them elsewhere.
 */
export function isLoopback(hostname: string): boolean {
  // The URL parser has already brought every spelling of an IPv4 address (0x7f.1) to this form.
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
