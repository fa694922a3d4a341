import { isLoopback } from '../../shared/base-url';
import { usageFailure } from './failure';

/** Where notifications are sent, and so the credentials. */
export interface Target {
  readonly url: string;
  readonly isLoopback: boolean;
}

/** A listener's URL. The credentials go there, so it is https or on this machine. */
export function parseTarget(option: string, text: string): Target {
  const url = parseHttpUrl(option, text);
  if (url.username !== '' || url.password !== '') {
    throw usageFailure(
      `Expected \`${option}\` without user and password: notifications carry PAYMENTS_API_KEY and PAYMENTS_API_TOKEN.`,
    );
  }
  const loopback = isLoopback(url.hostname);
  if (url.protocol !== 'https:' && !loopback) {
    throw usageFailure(
      `Expected \`${option}\` to be an https URL, or one of this machine such as http://127.0.0.1:3000. ` +
        'Every notification carries the credentials, and plain http would show them to the network.',
    );
  }
  url.hash = '';
  return { url: url.href, isLoopback: loopback };
}

/** An absolute http or https URL. No message quotes it: it may hold a secret. */
export function parseHttpUrl(option: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw usageFailure(`Expected \`${option}\` to be an absolute URL such as https://example.com/webhooks.`);
  }
  return url;
}
