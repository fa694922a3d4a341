import { ConfigurationError } from '../../errors';
import type { SandboxNotification } from '../model/records';
import { type Text, text } from '../text';

/** The listener's URL for a notification, with its flags after the merchant's own query. */
export function listenerUrl(base: string, { query }: Pick<SandboxNotification, 'query'>): string {
  const url = new URL(base);
  if (query !== '') url.search = url.search === '' ? query : `${url.search}&${query}`;
  url.hash = '';
  return url.href;
}

/** @throws `ConfigurationError` for a URL that notifications cannot be sent to */
export function checkWebhookUrl(url: string | undefined): void {
  const problem = listenerProblem(url);
  if (problem !== undefined) throw new ConfigurationError(problem[0]);
}

/** Why notifications cannot be sent to this URL. */
export function listenerProblem(given: string | undefined): Text | undefined {
  if (given === undefined) return undefined;
  const url = httpUrl(given);
  if (url === undefined) return text('refused.listenerUrl');
  return url.username === '' && url.password === '' ? undefined : text('refused.listenerPair');
}

/** Reads an absolute http or https URL. `undefined` for any other text, because the platform's error would quote it. */
export function httpUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}
