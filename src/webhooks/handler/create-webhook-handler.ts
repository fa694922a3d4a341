import { isNodeResponse, sendTo } from '../adapters/node-response';
import type { AnyDefinition } from '../notification/define-notification';
import { INTERNAL } from './answers';
import { BodyProblem } from './body';
import { WebhookFlow } from './flow';
import type { WebhookHandlerOptions } from './options';
import type { ReplayResult, ReplaySelection } from './parking';
import { REPORTER } from './report';
import type { PlainRequest, PlainResponse } from './request';
import { resolveHandlerOptions } from './resolve-options';

/** Receives notifications: a function from `Request` to `Response`. */
export interface WebhookHandler {
  /** Answers a notification. Never rejects. */
  (request: Request): Promise<Response>;

  /** The same over plain objects, for frameworks whose requests are of another type. Never rejects. */
  handle(request: PlainRequest): Promise<PlainResponse>;

  /**
   * For a clean end of the process: answers everything new with 503 from now on, so that the service tries again
   * later, and resolves once everything that runs has been answered. It does not wait for what no answer waits for any
   * more: a callback that has outlived `callbackTimeoutMs`, or a claim that the store has left unanswered.
   */
  drain(): Promise<void>;

  /**
   * With the option `park`: runs parked notifications again, one after the other, the oldest first, each under the same
   * claim and with the same record as a delivery, so that nothing is done twice. What is done is parked no more; what
   * fails again stays. The callback's context has `credentialIndex` -1.
   *
   * @param which - the key of one notification, or which of those that are parked
   * @returns what became of each; empty when nothing is parked
   * @throws `ConfigurationError` without `park: true`, and what the store throws when it cannot list them
   */
  replay(which: string | ReplaySelection): Promise<readonly ReplayResult[]>;
}

/**
 * A listener for the service's notifications (document sections 5 and 6). It checks the credentials before it reads
 * the body, tells the kind, runs the callback of that kind once for each notification, however often it is delivered,
 * and answers what the service's retries need: 200 only when the callback's success is recorded.
 *
 * @example
 * ```ts
 * const handler = createWebhookHandler({
 *   credentials: { apiKey, apiToken },
 *   store: new RedisStore(redis),
 *   on: {
 *     payment: async ({ payload }) => markAsPaid(payload.referenceCode),
 *     unrecognized: 'ignore',
 *   },
 * });
 * ```
 *
 * @throws `ConfigurationError` for an option that cannot work
 */
export function createWebhookHandler<
  const Kinds extends readonly AnyDefinition[] = readonly [],
  Transaction = undefined,
>(options: WebhookHandlerOptions<Kinds, Transaction>): WebhookHandler {
  const flow = new WebhookFlow(resolveHandlerOptions(options));
  const handler = async (request: Request, second?: unknown): Promise<Response> => {
    if (!isRequest(request)) return mistaken(flow, request, second);
    const body = request.bodyUsed ? new BodyProblem('body_already_read') : request.body;
    return toResponse(await flow.handle(request, body));
  };
  return Object.assign(handler, {
    handle: (request: PlainRequest) => flow.handlePlain(request),
    drain: () => flow.drain(),
    replay: (which: string | ReplaySelection) => flow.replay(which),
    [REPORTER]: flow.report,
  });
}

/** What is called with something else was probably mounted where `toNodeListener` belongs. */
function isRequest(request: unknown): request is Request {
  return typeof (request as Partial<Request> | undefined | null)?.headers?.get === 'function';
}

/** Answers what is no `Request`; on the response of `node:http`, if there is one, which would wait for ever. */
function mistaken({ report }: WebhookFlow, request: unknown, second: unknown): Response {
  report('internal', { status: 500, message: MISTAKEN });
  if (isNodeResponse(second)) {
    const { complete } = Object(request) as { readonly complete?: boolean };
    sendTo(second, { complete: complete === true }, INTERNAL, (error) =>
      report('internal', { status: 500, error }),
    );
  }
  return toResponse(INTERNAL);
}

const MISTAKEN =
  'The handler was called with something that is no `Request`. For node:http, Express and NestJS mount ' +
  '`toNodeListener(handler)`; elsewhere call `handler.handle({ method, url, headers, body })`.';

function toResponse({ status, headers, body }: PlainResponse): Response {
  return new Response(body, { status, headers });
}
