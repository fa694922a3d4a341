import type { PaymentsClientOptions } from 'pix-automatic-sdk';
import type { Undici } from './peers';

/** What to pass as the client's `fetch`, so that it sends by `undici.request`, which makes no web streams. */
export function undiciFetch({ request }: Undici): NonNullable<PaymentsClientOptions['fetch']> {
  // It follows no redirect by itself.
  return async (url, { redirect: _, ...init }) => {
    const { statusCode, headers, body } = await request(url, init);
    return {
      status: statusCode,
      headers: { get: (name) => headers[name]?.toString() ?? null },
      body,
      text: () => body.text(),
    };
  };
}
