import { ConfigurationError } from '../../errors';
import { isConsumed } from './body';
import type { WebhookHandler } from './handler';
import { answer } from './http';
import { type NodeRequest, type NodeResponse, sendTo } from './node-response';
import { reporterOf } from './report';

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
  const reportUnsent = (error: unknown) => report('internal', { ...ANSWER_NOT_SENT, error });
  return (request, response) => {
    const onFailure = (error: unknown) => {
      reportUnsent(error);
      sendTo(response, request, answer(500), reportUnsent);
    };
    try {
      const { method = '', url = '', headers } = request;
      handler
        .handle({ method, url, headers, body: bodyOf(request) })
        .then((sent) => sendTo(response, request, sent, reportUnsent), onFailure);
    } catch (error) {
      onFailure(error);
    }
  };
}

const ANSWER_NOT_SENT = {
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
