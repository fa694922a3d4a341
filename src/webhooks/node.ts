import { isBytes } from '../shared/bytes';
import { answer, type NodeRequest, type NodeResponse, sendTo } from './answer';
import { checkHandler, type WebhookHandler } from './handler';
import { reporterOf } from './report';
import { isConsumed } from './request';

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
  checkHandler(handler);
  const report = reporterOf(handler);
  const onFailure = (error: unknown) => report('internal', { ...ANSWER_NOT_SENT, error });
  const listener = async (request: NodeRequest, response: NodeResponse): Promise<void> => {
    let sent = answer(500);
    try {
      const { method = '', url = '', headers } = request;
      sent = await handler.handle({ method, url, headers, body: bodyOf(request) });
    } catch (error) {
      onFailure(error);
    }
    sendTo(response, request, sent, onFailure);
  };
  // Typed as `void`, which is what node:http and Express take; Next.js and h3 await what a listener returns.
  return listener;
}

const ANSWER_NOT_SENT = {
  status: 500,
  message:
    'The answer could not be sent, because the response, or a handler of yours, threw. Look at what wraps them. The ' +
    'service sends the notification again.',
};

/**
 * Returns the stream, or a parser's result if the stream was read. Parsers set `body` to `{}` for bodies they skip.
 * Google Cloud Functions parse 1 GiB and keep the bytes as `rawBody`: their size can still be checked.
 */
function bodyOf(request: NodeRequest): unknown {
  if (!isConsumed(request)) return request;
  const { rawBody, body }: { readonly rawBody?: unknown; readonly body?: unknown } = Object(request);
  if (isBytes(rawBody)) return rawBody;
  return body === undefined ? request : body;
}
