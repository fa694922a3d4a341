import type { Credentials } from '../service/credentials';
import { basicAuthorization } from '../webhooks/authorization';

/** A listener that nobody has. */
export const DEFAULT_LISTENER = 'https://merchant.example/webhooks';

export interface SignedRequestParts {
  readonly url: string;
  readonly body: string;
  readonly credentials: Credentials;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A notification as the service sends it (document sections 5 and 6.1). */
export function signedRequest({ url, body, credentials, headers, signal }: SignedRequestParts): Request {
  const usual = { authorization: basicAuthorization(credentials), 'content-type': 'application/json' };
  const sent = new Headers(usual);
  // Set one by one: a record would hold `Authorization` beside `authorization`, and send both.
  for (const [name, value] of Object.entries(headers ?? {})) sent.set(name, value);
  return new Request(url, {
    method: 'POST',
    headers: sent,
    body,
    // The service counts a redirect as a failure, like every answer but 200.
    redirect: 'manual',
    signal: signal ?? null,
  });
}
