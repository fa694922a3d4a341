import type { PaymentsClientOptions } from 'pix-automatic-sdk';
import type { Undici } from './peers';

/** A `fetch` option for the client that sends with `undici.request`, which creates no web streams. */
export function undiciFetch({ request }: Undici): NonNullable<PaymentsClientOptions['fetch']> {
  // Without `redirect`, because `undici.request` does not follow redirects.
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
