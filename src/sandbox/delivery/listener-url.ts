import { ConfigurationError } from '../../errors';
import type { SandboxNotification } from '../model/records';

/** The listener's URL for a notification, with its flags after the merchant's own query. */
export function listenerUrl(base: string, { query }: Pick<SandboxNotification, 'query'>): string {
  const url = new URL(base);
  if (query !== '') url.search = url.search === '' ? query : `${url.search}&${query}`;
  url.hash = '';
  return url.href;
}

/** @throws `ConfigurationError` for a URL that notifications cannot be sent to */
export function checkWebhookUrl(text: string | undefined): void {
  if (text === undefined) return;
  const url = httpUrl(text);
  if (url === undefined) {
    throw new ConfigurationError('Expected `webhookUrl` to be an absolute http or https URL.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new ConfigurationError(
      'Expected `webhookUrl` without user and password: the sandbox sends its `credentials` by itself.',
    );
  }
}

/** Reads an absolute http or https URL. `undefined` for any other text, because the platform's error would quote it. */
export function httpUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}
