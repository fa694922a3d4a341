import { InvalidNotificationError, type ValidationIssue } from '../../errors';
import { checkAgainst } from '../authorization';
import type { AnyDefinition } from '../define-notification';
import type { Identity } from '../notification-key';
import { readJsonObject } from '../parse-notification';
import { recognize, recognizeNone } from '../recognize';
import { act } from './act';
import { BodyProblem, readBody } from './body';
import { sleep } from './deadline';
import { type ResolvedHandlerOptions, resolveHandlerOptions, type WebhookHandlerOptions } from './options';
import { WebhookReport, type WebhookReportCode, type WebhookReportDetails } from './report';
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
   * later, and resolves once everything that runs has been answered.
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
  const handler = async (request: Request): Promise<Response> => {
    const body = request.bodyUsed ? new BodyProblem('body_already_read') : request.body;
    const { status, headers, body: text } = await flow.handle(request, body);
    return new Response(text, { status, headers });
  };
  return Object.assign(handler, {
    handle: (request: PlainRequest) => flow.handle(headOf(request), request.body),
    drain: () => flow.drain(),
  });
}

/** A notification, or a body that is none, with the issues that keep it from being one. */
interface Reading {
  readonly notification: { readonly kind: string };
  readonly identity: Identity;
  readonly issues?: readonly ValidationIssue[] | undefined;
}

const MONTH_MS = 30 * 24 * 60 * 60 * 1000;
/** A body without an identity may well come again on purpose. */
const HOUR_MS = 60 * 60 * 1000;

/** From the request to the answer, without anything of a runtime. */
class WebhookFlow {
  readonly #options: ResolvedHandlerOptions;
  #running = 0;
  #draining = false;
  #whenIdle: (() => void)[] = [];

  constructor(options: ResolvedHandlerOptions) {
    this.#options = options;
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

    const retentionMs = kind === 'unrecognized' ? HOUR_MS : MONTH_MS;
    const task: Task = { notification, identity, callback, credentialIndex: check.index, retentionMs };
    const ending = await act(task, this.#options);
    if (ending.code === 'done') return OK;
    const { code, ...details } = ending;
    return this.#refuse(code, { ...details, kind, key, received: notification });
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
    try {
      // A promise that it may give is nobody's either.
      Promise.resolve(this.#options.onReport(new WebhookReport(code, details))).catch(() => undefined);
    } catch {
      // What fails while it reports a failure must not become one.
    }
    return ANSWERS[details.status] ?? INTERNAL;
  }
}

const BODY_STATUS = {
  body_too_large: 413,
  body_timeout: 408,
  body_interrupted: 400,
  body_already_read: 500,
} as const;

/** An answer with its length, without which `node:http` sends it in chunks, and takes longer. */
function answer(status: number, body: string, headers: Readonly<Record<string, string>> = {}): PlainResponse {
  const length = String(body.length);
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'content-length': length, ...headers },
    body,
  };
}

const INTERNAL = answer(500, 'Internal error');
const OK = answer(200, 'OK');
const ANSWERS: Readonly<Record<number, PlainResponse>> = {
  200: OK,
  400: answer(400, 'Bad request'),
  401: answer(401, 'Unauthorized', { 'www-authenticate': 'Basic realm="notifications", charset="UTF-8"' }),
  405: answer(405, 'Method not allowed', { allow: 'POST' }),
  408: answer(408, 'Request timeout'),
  413: answer(413, 'Content too large'),
  // The service retries after about 60 s by itself (document section 6.1); proxies and gateways may ask sooner.
  503: answer(503, 'Try again later', { 'retry-after': '5' }),
};
