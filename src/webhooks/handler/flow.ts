import { ConfigurationError, InvalidNotificationError, type ValidationIssue } from '../../errors';
import { sleep } from '../../shared/time';
import type { ParkedNotification } from '../../stores/parked';
import { checkAgainst } from '../authorization';
import type { Identity } from '../notification/notification-key';
import { readJsonObject } from '../notification/parse-notification';
import { recognize, recognizeNone } from '../notification/recognize';
import { act } from './act';
import { ANSWERS, INTERNAL, OK } from './answers';
import { BodyProblem, readBody } from './body';
import { DeadlineExceeded } from './deadline';
import type { Parking, ReplayResult, ReplaySelection } from './parking';
import { type Reporter, reporterTo, type WebhookReportCode, type WebhookReportDetails } from './report';
import { headOf, type PlainRequest, type PlainResponse, type RequestHead } from './request';
import type { ResolvedHandlerOptions } from './resolve-options';
import { DONE, type Task } from './task';

/** A notification; `issues` says why the body is not of the kind it seems to be. */
interface Recognition {
  readonly notification: { readonly kind: string };
  readonly identity: Identity;
  readonly issues?: readonly ValidationIssue[] | undefined;
}

/** A replay answers no request, so no credentials came with it. */
const NO_CREDENTIALS = -1;
const PARKED = 'It is parked: `handler.replay` runs it again.';
const NOT_PARKED = 'It could not be parked: the store failed.';

/** What became of a notification. Anything but `done` is reported. */
type Conclusion = { readonly code: 'done' } | (WebhookReportDetails & { readonly code: WebhookReportCode });

/** How long an `unrecognized` body is remembered: without an identity, the same body may come again on purpose. */
const HOUR_MS = 60 * 60 * 1000;

/** Takes a request to its answer, independent of any runtime. */
export class WebhookFlow {
  readonly #options: ResolvedHandlerOptions;
  #running = 0;
  #draining = false;
  #whenIdle: (() => void)[] = [];
  /** The latest subjects whose callback took too long. */
  readonly #timedOut = new Set<string>();

  readonly report: Reporter;

  constructor(options: ResolvedHandlerOptions) {
    this.#options = options;
    this.report = reporterTo(options.onReport);
  }

  /** Not `async`, which would cost each notification another turn. */
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
      this.#leave();
    }
  }

  #leave(): void {
    this.#running -= 1;
    if (this.#draining && this.#running === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  async drain(): Promise<void> {
    this.#draining = true;
    if (this.#running === 0) return;
    await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
    // The process may end right after this, so give the runtime a turn to send the last answers.
    await sleep(0);
  }

  async #answer(head: RequestHead, body: unknown): Promise<PlainResponse> {
    const { expectedAuthorizations, getAuthorization } = this.#options;
    if (head.method !== 'POST') return this.#refuse('method_not_allowed', { status: 405 });
    const check = checkAgainst(getAuthorization(head), expectedAuthorizations);
    if (!check.ok) return this.#refuse('unauthorized', { status: 401, reason: check.reason });

    let reading: Recognition;
    let received: unknown;
    try {
      if (body instanceof BodyProblem) throw body;
      // In the same `try`, because recognizing may also find that the body is unreadable.
      received = await readBody(body, this.#options);
      reading = this.#read(head, received);
    } catch (error) {
      return this.#refuseBody(error);
    }

    const plan = this.#plan(reading, check.index);
    const ending = 'code' in plan ? plan : await act(plan, this.#options);
    if (this.#options.parking === undefined || 'code' in plan) return this.#conclude(reading, ending);
    const parked = await this.#park(this.#options.parking, reading, ending, {
      body: received,
      url: head.url,
    });
    return this.#conclude(reading, ending, parked);
  }

  /** Runs parked notifications again; see `WebhookHandler`. */
  async replay(which: string | ReplaySelection): Promise<readonly ReplayResult[]> {
    const { parking } = this.#options;
    if (parking === undefined) {
      throw new ConfigurationError(
        'Expected the handler to have `park: true`: without it, nothing is parked.',
      );
    }
    const results: ReplayResult[] = [];
    for (const entry of await parking.list(which)) {
      const { key } = entry;
      const { code } = await this.#replayOne(parking, entry);
      if (code === 'done') results.push({ key, status: 'done' });
      else results.push({ key, status: code === 'busy' ? 'busy' : 'failed', code });
    }
    return results;
  }

  async #replayOne(parking: Parking, entry: ParkedNotification): Promise<Conclusion> {
    if (this.#draining) return { code: 'draining', status: 503 };
    this.#running += 1;
    try {
      const reading = this.#read({ url: entry.url }, entry.body);
      const plan = this.#plan(reading, NO_CREDENTIALS);
      const ending = 'code' in plan ? plan : await act(plan, this.#options);
      const parked = await this.#park(parking, reading, ending, entry);
      // The key has changed if a definition of its kind was added since.
      if (ending.code === 'done' && entry.key !== reading.identity.key) await parking.forget(entry.key);
      this.#conclude(reading, ending, parked);
      return ending;
    } catch (error) {
      const code = error instanceof InvalidNotificationError ? 'invalid_body' : 'internal';
      this.report(code, { status: 500, key: entry.key, error });
      return { code, status: 500 };
    } finally {
      this.#leave();
    }
  }

  /** Returns the task for a notification, or its outcome if there is no callback to run. */
  #plan({ notification, identity, issues }: Recognition, credentialIndex: number): Task | Conclusion {
    const { kind } = notification;
    const callback = this.#options.callbacks[kind];
    if (callback === undefined || callback === 'ignore') {
      // Even if `unrecognized` is ignored: this body seems to be of a known kind, and may be a payment.
      if (issues !== undefined) return { code: 'invalid_notification', status: 400, issues };
      return callback === 'ignore' ? DONE : { code: 'unhandled', status: 200 };
    }
    const retentionMs = kind === 'unrecognized' ? HOUR_MS : this.#options.retentionMs;
    return { notification, identity, callback, credentialIndex, retentionMs };
  }

  /** Parks a notification that failed, and unparks one that is done. Returns the sentence for the report. */
  async #park(
    parking: Parking,
    { notification, identity }: Recognition,
    ending: Conclusion,
    source: { readonly body: unknown; readonly url: string },
  ): Promise<string | undefined> {
    if (ending.code === 'done') await parking.forget(identity.key);
    if (ending.code !== 'callback_failed' && ending.code !== 'callback_timeout') return undefined;
    const error = ending.code === 'callback_timeout' ? new DeadlineExceeded() : ending.error;
    const kept = await parking.keep(notification.kind, identity, source, error);
    return kept ? PARKED : NOT_PARKED;
  }

  /** Returns the answer for an outcome, and reports it unless it is `done`. */
  #conclude({ notification, identity }: Recognition, ending: Conclusion, parked?: string): PlainResponse {
    if (ending.code === 'done') return OK;
    const { code, ...details } = ending;
    const again = code === 'callback_timeout' ? this.#messageOfTimeout(identity.subject) : undefined;
    const { kind } = notification;
    const { key } = identity;
    return this.#refuse(code, { ...details, kind, key, message: again, parked, received: notification });
  }

  /** A callback that is always a little too slow runs with each delivery, which no single report shows. */
  #messageOfTimeout(subject: string): string | undefined {
    if (this.#timedOut.has(subject)) return TIMED_OUT_AGAIN;
    this.#timedOut.add(subject);
    const [oldest] = this.#timedOut;
    if (this.#timedOut.size > MAX_TIMED_OUT && oldest !== undefined) this.#timedOut.delete(oldest);
    return undefined;
  }

  #read(head: { readonly url: string }, body: unknown): Recognition {
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

  /** Reports, and returns an answer that reveals nothing of the report. */
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
