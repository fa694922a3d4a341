/** A response in a plain form. */
export interface PlainResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** A short text that never tells what went wrong. */
  readonly body: string;
}

/**
 * Makes an answer with its length, because without it `node:http` sends chunks, which takes longer. The text tells
 * nothing of what went wrong.
 */
export function answer(status: number): PlainResponse {
  const body = TEXTS[status] ?? 'Internal error';
  const headers = { ...TEXT_HEADERS, 'content-length': String(body.length), ...HEADERS[status] };
  return Object.freeze({ status, headers: Object.freeze(headers), body });
}

const TEXT_HEADERS = { 'content-type': 'text/plain; charset=utf-8' };

const TEXTS: Readonly<Record<number, string>> = {
  200: 'OK',
  400: 'Bad request',
  401: 'Unauthorized',
  405: 'Method not allowed',
  408: 'Request timeout',
  413: 'Content too large',
  503: 'Try again later',
};

const HEADERS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'www-authenticate': 'Basic realm="notifications", charset="UTF-8"' },
  405: { allow: 'POST' },
  // The service retries after about 60 s by itself; proxies and gateways may ask sooner.
  503: { 'retry-after': '5' },
};
