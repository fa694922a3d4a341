import { ConfigurationError, InvalidNotificationError, type ValidationIssue } from '../errors';
import type { Transaction } from '../service/operations/get-transaction';
import { sleep } from '../shared/time';
import type { DeadLetter, DeadLetters } from '../stores/dead-letters';
import { confirmPayment } from '../values/confirm-payment';
import { act, actAgain, inTime, type Result, type Task } from './act';
import { checkAgainst } from './authorization';
import { checkEntries, deadLetter, isKept } from './dead-letters';
import {
  answer,
  BodyProblem,
  bodyOf,
  headOf,
  isNodeResponse,
  type NodeRequest,
  type PlainRequest,
  type PlainResponse,
  readBody,
  sendTo,
} from './http';
import { type Identity, identify } from './key';
import type { AnyDefinition } from './kinds';
import { type ResolvedHandlerOptions, resolveHandlerOptions, type WebhookHandlerOptions } from './options';
import { readJsonObject, recognize, recognizeNone } from './parse';
import {
  REPORTER,
  type Reporter,
  reporterTo,
  type WebhookReportCode,
  type WebhookReportDetails,
} from './report';

/** Receives notifications: a function from `Request` to `Response`. */
export interface WebhookHandler {
  /** Answers a notification. Never rejects. */
  (request: Request): Promise<Response>;

  /** Does the same with plain objects, for frameworks with other request types. Never rejects. */
  handle(request: PlainRequest): Promise<PlainResponse>;

  /**
   * For a clean end of the process: answers all new requests with 503, so that the service tries again later, and
   * resolves once every running request, replay and settlement is finished. It does not wait for a callback that has
   * outlived `callbackTimeoutMs`: its request was already answered.
   */
  drain(): Promise<void>;

  /**
   * Runs dead letters again, one after the other. Each is claimed under its own subject and state, so that nothing is
   * done twice; if today's definitions read it as something else, under that too. The callback is today's. An entry is
   * forgotten once its state is done, now or before, and stays otherwise. The context has `credentialIndex` -1.
   *
   * @param entries - what `deadLetters.list()` gives
   * @returns the result of each entry, in their order
   * @throws `ConfigurationError` for a handler without `deadLetters`, and for anything but a list of entries
   */
  replay(entries: readonly DeadLetter[]): Promise<readonly ReplayResult[]>;

  /**
   * Runs the payment callback for a transaction that was paid, as a notification of it would: for what `reconcile`
   * yields. It takes the subject `payment:<uuid>` with the state `PAID`, so that it and a notification with that
   * `saleToken` never act twice. It excludes nothing else: whether a later charge's `saleToken` is the uuid that you
   * know is not documented. The context has `credentialIndex` -1, and `confirmation`.
   *
   * @throws `ConfigurationError` without a uuid and a transaction
   */
  settle(paid: { readonly uuid: string; readonly transaction: Transaction }): Promise<SettleResult>;
}

/** The result of running a dead letter again. */
export interface ReplayResult {
  /** The key of the entry. */
  readonly key: string;
  /**
   * - `done`: its state is done, now or before, and the entry is forgotten
   * - `busy`: its subject is being acted on now, so the entry stays
   * - `failed`: the entry stays; `code` says why
   * - `unhandled`: there is no callback for it, so the entry stays
   */
  readonly status: 'done' | 'busy' | 'failed' | 'unhandled';
  /** The report code that says why it is not done. */
  readonly code?: string | undefined;
}

/** The result of `handler.settle`. */
export interface SettleResult {
  /** The key of the payment's notification. */
  readonly key: string;
  /**
   * - `done`: the callback ran, and that is recorded
   * - `already-done`: it was done before, by a notification or a settlement
   * - `busy`: it is being acted on now
   * - `failed`: `code` says why; settle it again
   * - `unhandled`: there is no callback for payments
   * - `not-paid`: the transaction does not confirm a payment; nothing was claimed
   */
  readonly status: 'done' | 'already-done' | 'busy' | 'failed' | 'unhandled' | 'not-paid';
  /** The report code that says why it is not done. */
  readonly code?: string | undefined;
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
 *   confirm: client,
 *   on: {
 *     payment: ({ payload }) => markAsPaid(payload.referenceCode),
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
    const { status, headers, body } = isRequest(request)
      ? await flow.handle(request)
      : answerWrongArgument(flow, request, second);
    return new Response(body, { status, headers });
  };
  return Object.assign(handler, {
    handle: (request: PlainRequest) => flow.handle(request),
    drain: () => flow.drain(),
    replay: (entries: readonly DeadLetter[]) => flow.replay(entries),
    settle: (paid: Parameters<WebhookHandler['settle']>[0]) => flow.settle(paid),
    [REPORTER]: flow.report,
  });
}

/** @throws `ConfigurationError` for an argument of an adapter that is not a handler */
export function checkHandler(handler: WebhookHandler): void {
  if (typeof handler?.handle === 'function') return;
  throw new ConfigurationError(
    'Expected the handler that `createWebhookHandler` returns, with its method `handle`.',
  );
}

/** If this is `false`, the handler was probably mounted without `toNodeListener`. */
function isRequest(request: unknown): request is Request {
  return typeof (request as Partial<Request> | undefined | null)?.headers?.get === 'function';
}

/** Answers a call without a `Request`; also on a `node:http` response, whose client would otherwise wait forever. */
function answerWrongArgument({ report }: WebhookFlow, request: unknown, second: unknown): PlainResponse {
  report('internal', { status: 500, message: WRONG_ARGUMENT });
  if (isNodeResponse(second)) {
    const { complete = false, httpVersionMajor = 1 } = Object(request) as NodeRequest;
    sendTo(second, { complete, httpVersionMajor }, answer(500), (error) =>
      report('internal', { status: 500, error }),
    );
  }
  return answer(500);
}

const WRONG_ARGUMENT =
  'The handler was called with something that is not a `Request`. For node:http, Express and NestJS mount ' +
  '`toNodeListener(handler)`; on AWS Lambda export `toLambda(handler)`; elsewhere call ' +
  '`handler.handle({ method, url, headers, body })`.';

/** A notification; `issues` says why the body is not of the kind it seems to be. */
interface Recognition {
  readonly notification: { readonly kind: string; readonly issues?: readonly ValidationIssue[] | undefined };
  readonly identity: Identity;
  readonly issues?: readonly ValidationIssue[] | undefined;
}

/** Where a notification comes from: the service delivers it, or the merchant replays or settles it. */
type Origin = 'delivery' | 'replay' | 'settle';

/** A replay and a settlement answer no request, so no credentials came with them. */
const NO_CREDENTIALS = -1;

/** Takes a request to its answer, independent of any runtime. */
class WebhookFlow {
  readonly #options: ResolvedHandlerOptions;
  #running = 0;
  #draining = false;
  #whenIdle: (() => void)[] = [];
  /** How many deliveries of a key have failed, for the latest keys. */
  readonly #failures = new Map<string, number>();
  /** The fields of each kind that were reported as left out. */
  readonly #leftOut = new Set<string>();

  readonly report: Reporter;

  constructor(options: ResolvedHandlerOptions) {
    this.#options = options;
    this.report = reporterTo(options.onReport);
  }

  async handle(request: Request | PlainRequest): Promise<PlainResponse> {
    if (this.#draining) return this.#refuse('draining', { status: 503 });
    this.#running += 1;
    try {
      return await this.#answer(request);
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

  async #answer(request: Request | PlainRequest): Promise<PlainResponse> {
    const head = headOf(request);
    const { expectedAuthorizations, getAuthorization } = this.#options;
    if (head.method !== 'POST') return this.#refuse('method_not_allowed', { status: 405 });
    const check = checkAgainst(getAuthorization(head), expectedAuthorizations);
    if (!check.ok) return this.#refuse('unauthorized', { status: 401, reason: check.reason });

    let reading: Recognition;
    let body: unknown;
    try {
      body = await readBody(bodyOf(request), this.#options);
      reading = this.#read(head.url, body);
    } catch (error) {
      return this.#refuseBody(error);
    }
    const { identity } = reading;
    const task = this.#plan(reading, identity, check.index);
    const result = 'code' in task ? task : await act(task, this.#options);
    return answer(await this.#conclude(reading, identity, result, 'delivery', { body, url: head.url }));
  }

  /** Runs dead letters again; see `WebhookHandler`. */
  async replay(entries: readonly DeadLetter[]): Promise<readonly ReplayResult[]> {
    if (this.#options.deadLetters === undefined) {
      throw new ConfigurationError(
        'Expected the handler to have `deadLetters`, which keeps what is replayed.',
      );
    }
    checkEntries(entries);
    const results: ReplayResult[] = [];
    for (const entry of entries) {
      const { key } = entry;
      const { code } = await this.#guard(key, () => this.#replayOne(entry));
      if (code === 'done') results.push({ key, status: 'done' });
      else results.push({ key, status: STATUS_OF_CODE[code] ?? 'failed', code });
    }
    return results;
  }

  async #replayOne({ key, subject, state, kind, body, url }: DeadLetter): Promise<Result> {
    const own = { key, subject, state };
    const reading = this.#read(url, body, kind);
    const task = this.#plan(reading, reading.identity, NO_CREDENTIALS);
    // An entry without a callback stays as it is, and is not reported again.
    if ('code' in task) return task.code === 'done' ? UNHANDLED : task;
    const result = await actAgain(own, task, this.#options);
    await this.#conclude(reading, own, result, 'replay', { body, url });
    return result;
  }

  /** Runs the payment callback for a paid transaction; see `WebhookHandler`. */
  async settle(paid: Parameters<WebhookHandler['settle']>[0]): Promise<SettleResult> {
    const { uuid, transaction } = Object(paid) as Partial<typeof paid>;
    if (typeof uuid !== 'string' || uuid === '' || typeof transaction !== 'object' || transaction === null) {
      throw new ConfigurationError(
        'Expected `handler.settle({ uuid, transaction })`, as `reconcile` yields them. An entry with `error` has no ' +
          'transaction.',
      );
    }
    const identity = identify('payment', uuid, ['PAID']);
    const { key } = identity;
    const { amount, currency, referenceCode } = transaction;
    const payload = { saleToken: uuid, newStatus: 'PAID', amount, currency, referenceCode };
    const notification = { kind: 'payment' as const, payload, raw: { ...transaction }, key };
    const { acceptRefunded } = this.#options.confirm ?? {};
    const source = { getTransaction: async () => transaction };
    const confirmation = await confirmPayment(source, notification, { acceptRefunded });
    if (!confirmation.confirmed) return { key, status: 'not-paid', code: 'not_confirmed' };

    const result = await this.#guard(key, async () => {
      const reading = { notification, identity };
      const task = this.#plan(reading, identity, NO_CREDENTIALS);
      if ('code' in task) return UNHANDLED;
      const confirmed = { ...task, confirm: async () => confirmation };
      const settled = await act(confirmed, this.#options);
      await this.#conclude(reading, identity, settled, 'settle');
      return settled;
    });
    if (result.code === 'done') return { key, status: result.isRepeat ? 'already-done' : 'done' };
    return { key, status: STATUS_OF_CODE[result.code] ?? 'failed', code: result.code };
  }

  /** Runs what no request waits for. Never rejects. */
  async #guard(key: string, run: () => Promise<Result>): Promise<Result> {
    if (this.#draining) return { code: 'draining', status: 503 };
    this.#running += 1;
    try {
      return await run();
    } catch (error) {
      const code = error instanceof InvalidNotificationError ? 'invalid_body' : 'internal';
      this.report(code, { status: 500, key, error });
      return { code, status: 500 };
    } finally {
      this.#leave();
    }
  }

  /** @param ownKind - the kind of a dead letter: its definition may need query parameters that were not kept */
  #read(url: string, body: unknown, ownKind?: string): Recognition {
    const raw = readJsonObject(body);
    const { kinds } = this.#options;
    let recognized = recognize(raw, { url }, kinds);
    const definition = kinds.find(({ kind }) => kind === ownKind);
    if (definition !== undefined && recognized.issues === undefined) {
      const { kind } = recognized.notification;
      if (kind === 'unrecognized') recognized = recognize(raw, {}, [{ ...definition, match: () => true }]);
    }
    const { issues } = recognized;
    return issues === undefined ? recognized : { ...recognizeNone(raw, issues), issues };
  }

  /** Returns the task for a notification, or its result if there is no callback to run. */
  #plan(
    { notification, issues }: Recognition,
    identity: Identity,
    credentialIndex: number,
  ): Task | Exclude<Result, { readonly isRepeat: boolean }> | typeof IGNORED {
    const { callbacks, confirm, unrecognizedRetentionMs, retentionMs } = this.#options;
    const { kind } = notification;
    const callback = callbacks[kind];
    if (callback === undefined || callback === 'ignore') {
      // Even if `unrecognized` is ignored: this body seems to be of a known kind, and may be a payment.
      if (issues !== undefined) return { code: 'invalid_notification', status: 400, issues };
      return callback === 'ignore' ? IGNORED : UNHANDLED;
    }
    const asked = notification as Parameters<typeof confirmPayment>[1];
    return {
      notification,
      identity,
      callback,
      credentialIndex,
      retentionMs: kind === 'unrecognized' ? unrecognizedRetentionMs : retentionMs,
      confirm:
        confirm && kind === 'payment'
          ? (signal) =>
              confirmPayment(confirm.client, asked, { acceptRefunded: confirm.acceptRefunded, signal })
          : undefined,
    };
  }

  /**
   * Keeps or forgets the dead letter, and reports anything but `done`. Returns the status to answer with.
   *
   * @param received - what a dead letter of it holds; without it, nothing is kept
   */
  async #conclude(
    { notification }: Recognition,
    identity: Identity,
    result: Result,
    origin: Origin,
    received?: { readonly body: unknown; readonly url: string },
  ): Promise<number> {
    const { kind } = notification;
    const { key } = identity;
    const { deadLetters } = this.#options;
    const forget = () =>
      this.#stepOfDeadLetters({ status: 200, kind, key }, (letters) => letters.forget(key));
    if (result.code === 'done') {
      this.#failures.delete(key);
      if (result !== IGNORED) await forget();
      this.#reportLeftOut(notification, key, 200);
      return 200;
    }
    const { late, ...failure } = result;
    let { status } = failure;
    let fate = FATES[origin];
    const delivery = origin === 'delivery' ? this.#countFailure(key) : undefined;
    if (deadLetters !== undefined && received !== undefined && isKept(result)) {
      // An acknowledged notification does not come again, so it must be kept first.
      const statusIfLost = status === 200 ? 503 : status;
      const details = { status: statusIfLost, kind, key };
      const kept = await this.#stepOfDeadLetters(details, (letters) =>
        letters.keep(deadLetter({ identity, kind, ...received }, result)),
      );
      if (!kept) status = statusIfLost;
      if (origin === 'delivery') fate = kept ? KEPT : NOT_KEPT;
    }
    if (origin === 'delivery') fate = `${fateOf(status, delivery)} ${fate}`.trim();
    // Not awaited: the answer goes out now. The entry was kept before, so that it is the last step that counts.
    late?.then((isRecorded) => (isRecorded ? forget() : undefined));
    this.report(result.code, { ...failure, status, kind, key, delivery, fate, received: notification });
    this.#reportLeftOut(notification, key, status);
    return status;
  }

  /** Does one step of the dead letters, within its time, and reports a failure. Never rejects. */
  async #stepOfDeadLetters(
    details: Pick<WebhookReportDetails, 'kind' | 'key' | 'status'>,
    step: (deadLetters: DeadLetters) => Promise<unknown>,
  ): Promise<boolean> {
    const { deadLetters, storeTimeoutMs } = this.#options;
    if (deadLetters === undefined) return false;
    try {
      await inTime(storeTimeoutMs, step(deadLetters));
      return true;
    } catch (error) {
      this.report('dead_letters_failed', { ...details, error });
      return false;
    }
  }

  /** Counts the deliveries of one notification that failed: no single report shows that it is always the same one. */
  #countFailure(key: string): number {
    const count = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.delete(key);
    this.#failures.set(key, count);
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MAX_COUNTED && oldest !== undefined) this.#failures.delete(oldest);
    return count;
  }

  /** Reports known fields of another type than documented, once per kind and field. */
  #reportLeftOut({ kind, issues = [] }: Recognition['notification'], key: string, status: number): void {
    if (kind === 'unrecognized') return;
    const fresh = issues.filter(({ path }) => {
      const field = `${kind} ${path.join('.')}`;
      if (this.#leftOut.has(field)) return false;
      this.#leftOut.add(field);
      return true;
    });
    if (fresh.length > 0) this.report('field_left_out', { status, kind, key, issues: fresh });
  }

  #refuseBody(error: unknown): PlainResponse {
    if (error instanceof BodyProblem) return this.#refuse(error.code, error);
    if (error instanceof InvalidNotificationError) {
      return this.#refuse('invalid_body', { status: 400, issues: error.issues, received: error.body });
    }
    throw error;
  }

  /** Reports, and returns an answer that reveals nothing of the report. */
  #refuse(code: WebhookReportCode, details: WebhookReportDetails): PlainResponse {
    this.report(code, details);
    return answer(details.status);
  }
}

const MAX_COUNTED = 1_000;

const IGNORED = { code: 'done', isRepeat: true } as const;
const UNHANDLED = { code: 'unhandled', status: 200 } as const;

const STATUS_OF_CODE: Readonly<Record<string, 'busy' | 'unhandled'>> = {
  busy: 'busy',
  unhandled: 'unhandled',
  invalid_notification: 'unhandled',
};

const KEPT = 'It is kept as a dead letter: `handler.replay` runs it again.';
const NOT_KEPT = 'It could not be kept as a dead letter.';
const FATES: Readonly<Record<Origin, string>> = {
  delivery: '',
  replay: 'It was replayed, and stays a dead letter.',
  settle: 'It was to be settled: do so again.',
};

/** What became of a delivery that failed. */
function fateOf(status: number, delivery: number | undefined): string {
  if (status === 200) return 'It was acknowledged, so the service does not send it again.';
  return (
    `The service sends it again after about 60 s, six times in all (this process has seen ${delivery} of its ` +
    'deliveries fail).'
  );
}
