import { ConfigurationError } from '../../errors';
import type { DocumentedNotification } from '../../service/notifications';
import type { SandboxNotification } from '../model/records';

/**
 * Where notifications go: one URL for all, or one for each context, as in the merchant panel (`payment`, `reversal`,
 * `refund`, `payout`). A context without a URL gets none. Sale statuses and notifications of your own (`notify`) go where
 * payments go.
 */
export type WebhookUrl =
  | string
  | { [Context in Exclude<DocumentedNotification['kind'], 'saleStatus'>]?: string | undefined };

/** The URL that a notification is sent to, with its flags after the merchant's own query. */
export function listenerUrl(
  target: WebhookUrl | undefined,
  { kind, query }: Pick<SandboxNotification, 'kind' | 'query'>,
): string | undefined {
  const base = typeof target === 'string' ? target : target?.[panelContextOf(kind)];
  if (base === undefined) return undefined;
  const url = new URL(base);
  if (query !== '') url.search = url.search === '' ? query : `${url.search}&${query}`;
  url.hash = '';
  return url.href;
}

/** @throws `ConfigurationError` for a URL that notifications cannot be sent to */
export function checkWebhookUrl(target: WebhookUrl | undefined): void {
  for (const text of typeof target === 'string' ? [target] : Object.values(target ?? {})) {
    if (text === undefined) continue;
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
}

/** Reads an absolute http or https URL. `undefined` for any other text, because the platform's error would quote it. */
export function httpUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}

/** The context of the merchant panel that a kind belongs to. A new kind is a context of its own. */
export function panelContextOf(kind: SandboxNotification['kind']): keyof Exclude<WebhookUrl, string> {
  return kind === 'saleStatus' || kind === 'custom' ? 'payment' : kind;
}
