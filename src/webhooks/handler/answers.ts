import type { PlainResponse } from './request';

/**
 * Makes an answer with its length, because without it `node:http` sends chunks, which takes longer. Frozen, because all
 * requests share it: a header that one integration sets would be on every answer.
 */
function answer(status: number, body: string, headers: Readonly<Record<string, string>> = {}): PlainResponse {
  const length = String(body.length);
  return Object.freeze({
    status,
    headers: Object.freeze({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': length,
      ...headers,
    }),
    body,
  });
}

export const INTERNAL = answer(500, 'Internal error');
export const OK = answer(200, 'OK');
export const ANSWERS: Readonly<Record<number, PlainResponse>> = {
  200: OK,
  400: answer(400, 'Bad request'),
  401: answer(401, 'Unauthorized', { 'www-authenticate': 'Basic realm="notifications", charset="UTF-8"' }),
  405: answer(405, 'Method not allowed', { allow: 'POST' }),
  408: answer(408, 'Request timeout'),
  413: answer(413, 'Content too large'),
  // The service retries after about 60 s by itself (document section 6.1); proxies and gateways may ask sooner.
  503: answer(503, 'Try again later', { 'retry-after': '5' }),
};
