import type { AnyDefinition } from '../notification/define-notification';
import { INTERNAL } from './answers';
import { BodyProblem } from './body';
import { WebhookFlow } from './flow';
import { isNodeResponse, sendTo } from './node-response';
import type { WebhookHandlerOptions } from './options';
import type { ReplayResult, ReplaySelection } from './parking';
import { REPORTER } from './report';
import type { PlainRequest, PlainResponse } from './request';
import { resolveHandlerOptions } from './resolve-options';

/** Receives notifications: a function from `Request` to `Response`. */
export interface WebhookHandler {
  /** Answers a notification. Never rejects. */
  (request: Request): Promise<Response>;

  /** Does the same with plain objects, for frameworks with other request types. Never rejects. */
  handle(request: PlainRequest): Promise<PlainResponse>;

  /**
   * For a clean end of the process: answers all new requests with 503, so that the service tries again later, and
   * resolves once every running request and replayed notification is finished. It does not wait for work whose request
   * was already answered: a callback that has outlived `callbackTimeoutMs`, or a claim that the store has not answered
   * in time.
   */
  drain(): Promise<void>;

  /**
   * With the option `park`: runs parked notifications again, one after the other, least recently failed first. Each
   * runs under the same claim and with the same record as a delivery, so that nothing is done twice. A notification
   * that succeeds is no longer parked; one that fails again stays. The callback's context has `credentialIndex` -1.
   *
   * @param which - the key of one notification, or a selection of the parked ones
   * @returns the result of each notification; empty if none is parked
   * @throws `ConfigurationError` without `park: true` or for an invalid selection; what the store throws, or a
   *   `StoreError` after `storeTimeoutMs`, if it cannot list them
   */
  replay(which: string | ReplaySelection): Promise<readonly ReplayResult[]>;
}

/**
 * Creates a listener for the service's notifications (document sections 5 and 6). It checks the credentials before it
 * reads the body, recognizes the kind, and runs that kind's callback once per notification, however often it is
 * delivered. It answers 200 only when the callback's success is recorded, so that the service retries the others.
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

/** If this is `false`, the handler was probably mounted without `toNodeListener`. */
function isRequest(request: unknown): request is Request {
  return typeof (request as Partial<Request> | undefined | null)?.headers?.get === 'function';
}

/** Answers a call without a `Request`; also on a `node:http` response, whose client would otherwise wait forever. */
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
  'The handler was called with something that is not a `Request`. For node:http, Express and NestJS mount ' +
  '`toNodeListener(handler)`; elsewhere call `handler.handle({ method, url, headers, body })`.';

function toResponse({ status, headers, body }: PlainResponse): Response {
  return new Response(body, { status, headers });
}
