import { isConsumed } from './body';
import type { WebhookHandler } from './create-webhook-handler';
import type { PlainResponse } from './request';

/** The part of a `node:http` request that is used here. Express's and NestJS's fit. */
export interface NodeRequest {
  /** The HTTP method. */
  readonly method?: string | undefined;
  /** The path with the query. */
  readonly url?: string | undefined;
  /** The headers, under lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Whether the whole body has arrived. */
  readonly complete?: boolean;
  /** Whether something has read of the body. */
  readonly readableDidRead?: boolean;
  /** Whether the body was read to its end. */
  readonly readableEnded?: boolean;
  /** Whether the connection is gone. */
  readonly destroyed?: boolean;
}

/** The part of a `node:http` response that is used here. */
export interface NodeResponse {
  /** Whether something has answered already. */
  readonly headersSent: boolean;
  /** Sends the status and the headers. */
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  /** Sends the body and ends the answer. */
  end(body: string): unknown;
}

/**
 * The handler as a listener for `node:http`, Express 4 and 5, and NestJS. It works before a body parser, and after one
 * that has left what it read in `request.body`.
 *
 * @example
 * ```ts
 * http.createServer(toNodeListener(handler)).listen(3000);
 * app.post('/webhooks', toNodeListener(handler)); // Express
 * ```
 */
export function toNodeListener(
  handler: WebhookHandler,
): (request: NodeRequest, response: NodeResponse) => void {
  return (request, response) => {
    const { method = '', url = '', headers } = request;
    handler
      .handle({ method, url, headers, body: bodyOf(request) })
      .then((answer) => send(request, response, answer));
  };
}

/** The stream, or what a parser has made of it. Parsers set `body` to `{}` for what they leave alone, too. */
function bodyOf(request: NodeRequest): unknown {
  const parsed = (request as { readonly body?: unknown }).body;
  return isConsumed(request) && parsed !== undefined ? parsed : request;
}

function send(request: NodeRequest, response: NodeResponse, { status, headers, body }: PlainResponse): void {
  if (response.headersSent) return;
  // What was not read of a body would be read to its end before the next request, and it may have none.
  response.writeHead(status, request.complete === false ? { ...headers, connection: 'close' } : headers);
  response.end(body);
}
