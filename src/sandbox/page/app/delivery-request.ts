import type { DeliveryDetails } from '../../delivery/delivery-log';
import type { PageState } from '../page-state';
import { pretty } from './format';

type Sent = Pick<DeliveryDetails, 'url' | 'body'>;

/** The request as it went out, with its credentials masked. */
export function requestOf({ url, body }: Sent): string {
  const { host, pathname, search } = new URL(url);
  return [
    `POST ${pathname}${search} HTTP/1.1`,
    `Host: ${host}`,
    'Authorization: Basic ***',
    'Content-Type: application/json',
    '',
    pretty(body),
  ].join('\n');
}

/** The same request for a shell. Only the sandbox's own pair, which is no secret, is written out. */
export function curlOf({ url, body }: Sent, credentials: PageState['defaultCredentials']): string {
  const user =
    credentials === undefined
      ? '"$PAYMENTS_API_KEY:$PAYMENTS_API_TOKEN"'
      : quote(`${credentials.apiKey}:${credentials.apiToken}`);
  return `curl -X POST ${quote(url)} -u ${user} -H 'content-type: application/json' --data-raw ${quote(body)}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
