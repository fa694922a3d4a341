import { sleep } from '../shared/time';
import type { DeadLetter } from '../stores/dead-letters';
import { answer, type PlainResponse } from './answer';
import type { AnyDefinition } from './kinds';
import type { Listener } from './listener';
import { answerOn, isNodeResponse, type NodeRequest, type NodeResponse } from './node';
import { resolveHandlerOptions, type WebhookHandlerOptions } from './options';
import type { OrderLink } from './order-link';
import { receive, refuse, type Verdict } from './receive';
import { type DeadLetters, deadLettersOf, type ReplayResult, replay, type UnlessDraining } from './replay';
import { REPORTER, reporterTo } from './report';
import type { PlainRequest, SharedRequest } from './request';
import { isDecidedAgain, replayOne } from './run-letter';

/**
 * Receives notifications. One function for a `Request` (Hono, Next.js, Bun, Deno, Workers) and for the two arguments of
 * `node:http`, Express and NestJS: pass it as it is.
 */
export interface WebhookHandler {
  /**
   * Answers a notification on its response, before a body parser and after one that puts its result in `request.body`.
   * Never rejects.
   */
  (request: NodeRequest, response: NodeResponse): Promise<void>;

  // The last of two signatures is the one that Next.js checks a route by, and that `Parameters` reads.
  /** Answers a notification. Never rejects. Ignores further arguments, such as those of Bun, Deno, Workers and Next.js. */
  (request: Request): Promise<Response>;

  /** Does the same with plain objects, for frameworks with other request types. Never rejects. */
  handle(request: PlainRequest): Promise<PlainResponse>;

  /**
   * For a clean end of the process: answers all new requests with 503, so that the service tries again later, and
   * resolves once every running request and replay is finished. It does not wait for a callback that has
   * outlived `callbackTimeoutMs`: its request was already answered.
   */
  drain(): Promise<void>;

  /** What could not be acted on, with the option `deadLetters`. **Letters hold personal data.** */
  readonly deadLetters: DeadLetters;

  /**
   * Runs dead letters again, one after the other, with today's callbacks. If today's definitions read an entry as
   * something else than when it was kept, it is done if either is. An entry is forgotten once it is done, now or before,
   * and stays otherwise, but never for longer. The context has `credentialIndex` -1.
   *
   * Call it every hour. Without entries it runs those that are due: an hour after their first failure, then after two
   * hours more, four, and so on up to a day. What came with a pair that is not in `credentials` now is never due.
   *
   * @param entries - some of `handler.deadLetters.list()`, which are run whether they are due or not. Default: all that
   *   are due
   * @returns the result of each entry that was run, in their order
   * @throws `ConfigurationError` for a handler without `deadLetters`, and for anything but a list of entries
   */
  replay(entries?: readonly DeadLetter[]): Promise<readonly ReplayResult[]>;
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
  return createListener(options).handler;
}

/** A listener in its parts, of which `createOrders` makes more. */
export interface ListenerParts {
  readonly handler: WebhookHandler;
  readonly listener: Listener;
  readonly unlessDraining: UnlessDraining;
}

/**
 * Creates a listener.
 *
 * @param orders - how it finds the orders of its notifications
 */
export function createListener<const Kinds extends readonly AnyDefinition[], Transaction>(
  options: WebhookHandlerOptions<Kinds, Transaction>,
  orders?: OrderLink,
): ListenerParts {
  const resolved = { ...resolveHandlerOptions(options), orders };
  const report = reporterTo(resolved.onReport, { explain: resolved.store.explain, texts: orders?.texts });
  const listener: Listener = {
    ...resolved,
    report,
    failures: new Map<string, number>(),
    leftOut: new Set<string>(),
    runWaiting: (key: string): Promise<unknown> =>
      replayOne(key, listener, (letter) => isDecidedAgain(letter, listener)),
  };
  const running = new Running();

  const judge = (request: Request | PlainRequest | SharedRequest): Promise<Verdict> => {
    const verdict = running.run(
      () =>
        receive(request, listener).catch((error: unknown) =>
          refuse(report, 'internal', { status: 500, error }),
        ),
      () => refuse(report, 'draining', { status: 503 }),
    );
    // The answer does not wait for it.
    if (orders !== undefined) void verdict.then(() => orders.onAnswer());
    return verdict;
  };
  const handle = async (request: Request | PlainRequest) => answer((await judge(request)).status);
  const unlessDraining: UnlessDraining = (work) =>
    running.run(work, () => ({ code: 'draining', status: 503 }));
  async function answerTo(request: NodeRequest, response: NodeResponse): Promise<void>;
  async function answerTo(request: Request): Promise<Response>;
  async function answerTo(first: unknown, second?: unknown): Promise<unknown> {
    if (isRequest(first)) return toResponse(await handle(first));
    if (isNodeResponse(second)) return answerOn(second, Object(first), judge, report);
    report('internal', { status: 500, message: `${WRONG_ARGUMENT}${adapterFor(first)}` });
    return toResponse(answer(500));
  }
  const handler = Object.assign(answerTo, {
    async handle(request: PlainRequest, ...more: unknown[]) {
      // It would resolve, and nobody would answer the request.
      if (isNodeResponse(more[0])) report('internal', { status: 500, message: HANDLE_WITH_RESPONSE });
      return handle(request);
    },
    drain: () => running.drain(),
    deadLetters: deadLettersOf(listener),
    replay: (entries?: readonly DeadLetter[]) => replay(entries, listener, unlessDraining),
    [REPORTER]: report,
  });
  return { handler, listener, unlessDraining };
}

/** Counts what runs, so that `drain` can wait for it. */
class Running {
  #count = 0;
  #isDraining = false;
  #whenIdle: (() => void)[] = [];

  /** Runs the work, or `refuse` once the handler drains. */
  async run<T>(work: () => Promise<T>, refuse: () => T): Promise<T> {
    if (this.#isDraining) return refuse();
    this.#count += 1;
    try {
      return await work();
    } finally {
      this.#count -= 1;
      if (this.#count === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
    }
  }

  async drain(): Promise<void> {
    this.#isDraining = true;
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
    // The process may end right after this, so give the runtime a turn to send the last answers.
    await sleep(0);
  }
}

/** Only the first argument decides: Bun, Deno, Workers and Next.js pass a second one beside a `Request`. */
function isRequest(first: unknown): first is Request {
  try {
    return typeof (first as Partial<Request> | undefined | null)?.headers?.get === 'function';
  } catch {
    return false;
  }
}

const toResponse = ({ status, headers, body }: PlainResponse): Response =>
  new Response(body, { status, headers });

const WRONG_ARGUMENT =
  'The handler was called neither with a `Request` nor with the request and response of `node:http`. On AWS Lambda ' +
  'export `toLambda(handler)`; elsewhere call `handler.handle({ method, url, headers, body })`.';

const HANDLE_WITH_RESPONSE =
  '`handler.handle` was called with the response of `node:http`, which it does not answer: it resolves with the answer. ' +
  'Call the handler itself: `handler(request, response)`, in Express `app.post(path, handler)`.';

/** What to call, by what the handler was called with; `''` if that says nothing. */
function adapterFor(given: unknown): string {
  if (given === undefined) {
    return ' It was called without anything: mount the handler itself, `handler`, and not what `handler()` gives.';
  }
  try {
    const { on, headers, raw, req, res } = Object(given) as Readonly<Record<string, unknown>>;
    if (isRequest(Object(req).raw)) return ' This is a context of Hono: call `handler(c.req.raw)`.';
    if (isNodeResponse(res)) return ' This has `req` and `res` in it: call `handler(req, res)`.';
    if (raw !== undefined && headers !== undefined)
      return ' This is a request of Fastify: call `handler.handle(request)`, and send what it resolves with.';
    if (typeof on === 'function' && headers !== undefined)
      return ' This is the request without its response: call `handler(request, response)`.';
  } catch {
    // A getter threw.
  }
  return '';
}
