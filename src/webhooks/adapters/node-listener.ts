import { ConfigurationError } from '../../errors';
import { INTERNAL } from '../handler/answers';
import { isConsumed } from '../handler/body';
import type { WebhookHandler } from '../handler/create-webhook-handler';
import { type NodeResponse, sendTo } from '../handler/node-response';
import { reporterOf } from '../handler/report';

/** The part of a `node:http` request that is used here. Requests of Express and NestJS fit. */
export interface NodeRequest {
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
  /** Whether the connection is gone. */
  readonly destroyed?: boolean;
}

/**
 * Turns the handler into a listener for `node:http`, Express 4 and 5, and NestJS. It works before a body parser, and
 * after one that puts its result in `request.body`.
 *
 * @example
 * ```ts
 * http.createServer(toNodeListener(handler)).listen(3000);
 * app.post('/webhooks', toNodeListener(handler)); // Express
 * ```
 *
 * @throws `ConfigurationError` for an argument that is not a handler
 */
export function toNodeListener(
  handler: WebhookHandler,
): (request: NodeRequest, response: NodeResponse) => void {
  if (typeof handler?.handle !== 'function') {
    throw new ConfigurationError(
      'Expected the handler that `createWebhookHandler` returns, with its method `handle`.',
    );
  }
  const report = reporterOf(handler);
  const reportUnsent = (error: unknown) => report('internal', { ...UNSENT, error });
  return (request, response) => {
    const onFailure = (error: unknown) => {
      reportUnsent(error);
      sendTo(response, request, INTERNAL, reportUnsent);
    };
    try {
      const { method = '', url = '', headers } = request;
      handler
        .handle({ method, url, headers, body: bodyOf(request) })
        .then((answer) => sendTo(response, request, answer, reportUnsent), onFailure);
    } catch (error) {
      onFailure(error);
    }
  };
}

const UNSENT = {
  status: 500,
  message:
    'The answer could not be sent, because the response, or a handler of yours, threw. Look at what wraps them. The ' +
    'service sends the notification again.',
};

/** Returns the stream, or a parser's result if the stream was read. Parsers set `body` to `{}` for bodies they skip. */
function bodyOf(request: NodeRequest): unknown {
  const parsed = (request as { readonly body?: unknown }).body;
  return isConsumed(request) && parsed !== undefined ? parsed : request;
}
