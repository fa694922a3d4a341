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

/** The part of a `node:http` request that is used here. Requests of Express and NestJS fit. */
export type NodeRequest = {
  /** The HTTP method. */
  readonly method?: string | undefined;
  /** The path with the query. */
  readonly url?: string | undefined;
  /** The headers, under lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Whether the whole body has arrived. */
  readonly complete?: boolean;
  /** Whether something has begun to read the body. */
  readonly readableDidRead?: boolean;
  /** Whether the body was read to its end. */
  readonly readableEnded?: boolean;
  /** 1, or 2 for HTTP/2. */
  readonly httpVersionMajor?: number;
  /** Whether the connection is gone. */
  readonly destroyed?: boolean;
};

/** The part of a `node:http` response that is used here. */
export type NodeResponse = {
  /** Whether something has answered already. */
  readonly headersSent: boolean;
  /** Sends the status and the headers. */
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  /** Sends the body and ends the response. */
  end(body: string): unknown;
  /** Closes the connection. Called if another method has thrown, so that the service does not wait for a response. */
  destroy?(): unknown;
};

/** Recognizes a response by its functions. Workers pass an environment as second argument, and Next.js parameters. */
export function isNodeResponse(value: unknown): value is NodeResponse {
  if (typeof value !== 'object' || value === null) return false;
  const { writeHead, end }: { readonly [Name in keyof NodeResponse]?: unknown } = value;
  return typeof writeHead === 'function' && typeof end === 'function';
}

/**
 * Sends the answer. If the response throws, because something has wrapped it, the error goes to `onFailure`: an
 * unhandled rejection would end the process.
 *
 * @param request - `complete` says whether the body has arrived
 * @param onFailure - is given what the response threw
 */
export function sendTo(
  response: NodeResponse,
  request: Pick<NodeRequest, 'complete' | 'httpVersionMajor'>,
  { status, headers, body }: PlainResponse,
  onFailure: (error: unknown) => void,
): void {
  try {
    if (response.headersSent) return;
    // The rest of an unread body would be read to its end before the next request, and it may never end. HTTP/2 ends a
    // stream by itself, and has no such header.
    const closes = request.complete === false && (request.httpVersionMajor ?? 1) < 2;
    response.writeHead(status, closes ? { ...headers, connection: 'close' } : headers);
    response.end(body);
  } catch (error) {
    onFailure(error);
    try {
      // The service sees a failed delivery at once, and sends the notification again.
      response.destroy?.();
    } catch {
      // The first error of the response is already reported.
    }
  }
}
