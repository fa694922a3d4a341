import { InvalidNotificationError, type ValidationIssue } from '../../errors';
import { checkAgainst } from '../authorization';
import type { AnyDefinition } from '../define-notification';
import type { Identity } from '../notification-key';
import { readJsonObject } from '../parse-notification';
import { recognize, recognizeNone } from '../recognize';
import { act } from './act';
import { ANSWERS, INTERNAL, OK } from './answers';
import { BodyProblem, readBody } from './body';
import { sleep } from './deadline';
import { isNodeResponse, sendTo } from './node-response';
import { type ResolvedHandlerOptions, resolveHandlerOptions, type WebhookHandlerOptions } from './options';
import {
  REPORTER,
  type Reporter,
  reporterTo,
  type WebhookReportCode,
  type WebhookReportDetails,
} from './report';
import { headOf, type PlainRequest, type PlainResponse, type RequestHead } from './request';
import type { Task } from './task';

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

/** A notification, or a body that is none, with the issues that keep it from being one. */
interface Reading {
  readonly notification: { readonly kind: string };
  readonly identity: Identity;
  readonly issues?: readonly ValidationIssue[] | undefined;
}

/** A body without an identity may well come again on purpose. */
const HOUR_MS = 60 * 60 * 1000;

/** From the request to the answer, without anything of a runtime. */
class WebhookFlow {
  readonly #options: ResolvedHandlerOptions;
  #running = 0;
  #draining = false;
  #whenIdle: (() => void)[] = [];
  /** The newest subjects whose callback took too long. */
  readonly #timedOut = new Set<string>();

  readonly report: Reporter;

  constructor(options: ResolvedHandlerOptions) {
    this.#options = options;
    this.report = reporterTo(options.onReport);
  }

  /** Not `async`: that would take another turn for each notification. */
  handlePlain(request: PlainRequest): Promise<PlainResponse> {
    let head: RequestHead;
    let body: unknown;
    try {
      head = headOf(request);
      body = request?.body;
    } catch (error) {
      return Promise.resolve(this.#refuse('internal', { status: 500, error }));
    }
    return this.handle(head, body);
  }

  async handle(head: RequestHead, body: unknown): Promise<PlainResponse> {
    if (this.#draining) return this.#refuse('draining', { status: 503 });
    this.#running += 1;
    try {
      return await this.#answer(head, body);
    } catch (error) {
      return this.#refuse('internal', { status: 500, error });
    } finally {
      this.#running -= 1;
      if (this.#draining && this.#running === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
    }
  }

  async drain(): Promise<void> {
    this.#draining = true;
    if (this.#running === 0) return;
    await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
    // The process may end right after this, so the runtimes get a turn to send the last answers.
    await sleep(0);
  }

  async #answer(head: RequestHead, body: unknown): Promise<PlainResponse> {
    const { expectedAuthorizations, getAuthorization } = this.#options;
    if (head.method !== 'POST') return this.#refuse('method_not_allowed', { status: 405 });
    const check = checkAgainst(getAuthorization(head), expectedAuthorizations);
    if (!check.ok) return this.#refuse('unauthorized', { status: 401, reason: check.reason });

    let reading: Reading;
    try {
      if (body instanceof BodyProblem) throw body;
      // Within one `try`: a body may also prove unreadable while it is recognized.
      reading = this.#read(head, await readBody(body, this.#options));
    } catch (error) {
      return this.#refuseBody(error);
    }

    const { notification, identity, issues } = reading;
    const { kind } = notification;
    const { key } = identity;
    const callback = this.#options.callbacks[kind];
    if (callback === undefined || callback === 'ignore') {
      const about = { kind, key, issues, received: notification };
      // Also where the unrecognized are ignored: this one seems to be of a documented kind, and may be a payment.
      if (issues !== undefined) return this.#refuse('invalid_notification', { ...about, status: 400 });
      return callback === 'ignore' ? OK : this.#refuse('unhandled', { ...about, status: 200 });
    }

    const retentionMs = kind === 'unrecognized' ? HOUR_MS : this.#options.retentionMs;
    const task: Task = { notification, identity, callback, credentialIndex: check.index, retentionMs };
    const ending = await act(task, this.#options);
    if (ending.code === 'done') return OK;
    const { code, ...details } = ending;
    const message = code === 'callback_timeout' ? this.#messageOfTimeout(identity.subject) : undefined;
    return this.#refuse(code, { ...details, kind, key, message, received: notification });
  }

  /** A callback that is always a little too slow runs at each delivery, and nobody sees that in a single report. */
  #messageOfTimeout(subject: string): string | undefined {
    if (this.#timedOut.has(subject)) return TIMED_OUT_AGAIN;
    this.#timedOut.add(subject);
    const [oldest] = this.#timedOut;
    if (this.#timedOut.size > MAX_TIMED_OUT && oldest !== undefined) this.#timedOut.delete(oldest);
    return undefined;
  }

  #read(head: RequestHead, body: unknown): Reading {
    const raw = readJsonObject(body);
    const recognized = recognize(raw, { url: head.url }, this.#options.kinds);
    const { issues } = recognized;
    return issues === undefined ? recognized : { ...recognizeNone(raw, issues), issues };
  }

  #refuseBody(error: unknown): PlainResponse {
    if (error instanceof BodyProblem)
      return this.#refuse(error.code, { status: BODY_STATUS[error.code], error: error.error });
    if (error instanceof InvalidNotificationError) {
      return this.#refuse('invalid_body', { status: 400, issues: error.issues, received: error.body });
    }
    throw error;
  }

  /** Reports, and answers without a word of the report. */
  #refuse(code: WebhookReportCode, details: WebhookReportDetails): PlainResponse {
    this.report(code, details);
    return ANSWERS[details.status] ?? INTERNAL;
  }
}

const MAX_TIMED_OUT = 1_000;
const TIMED_OUT_AGAIN =
  'The callback took longer than `callbackTimeoutMs`, and not for the first time for this subject: it runs with each ' +
  'delivery, six times, and is never recorded. Raise `callbackTimeoutMs`, or write the work to a queue and return.';

const BODY_STATUS = {
  body_too_large: 413,
  body_timeout: 408,
  body_interrupted: 400,
  body_already_read: 500,
} as const;
