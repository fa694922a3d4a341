import { ConfigurationError } from '../errors';
import {
  createCore,
  resolveSettings,
  type SandboxControls,
  type SandboxCore,
  SERVICE_OPTIONS,
  type ServiceOptions,
} from '../sandbox/core';
import { realTimers } from '../sandbox/delivery/delivery-log';
import { answerCall, type Ending } from '../sandbox/faults';
import type { ServiceAnswer } from '../sandbox/model/answers';
import type { ServiceState } from '../sandbox/model/records';
import type { Credentials } from '../service/credentials';
import { checkFunction, type OptionNames, readNamedOptions } from '../values/option-checks';
import type { FakeClock } from './fake-clock';
import { DEFAULT_LISTENER, type DeliverTo, requestSend } from './signed-request';

/**
 * The part of msw's `http` that is used here. It is passed in, not imported: this entry loads without msw, and the
 * handlers come from the same copy of msw, ESM or CommonJS, as the server that you give them to.
 *
 * @typeParam Handler - what msw makes: its `HttpHandler`
 */
export interface MswHttp<Handler> {
  /** Handles requests of every method to a URL. */
  all(predicate: RegExp, resolver: (info: { request: Request }) => Promise<Response>): Handler;
}

/** How the service is mocked. Everything has a default. */
export interface MockServiceOptions<Handler> extends ServiceOptions {
  /** `http` of msw 2: `import { http } from 'msw'`. Without it there are no `handlers`: use `fetch`. */
  http?: MswHttp<Handler> | undefined;
  /** The base URL that is mocked; a path prefix is kept. Default: `https://service.example`. */
  baseUrl?: string | undefined;
  /**
   * Your handler, which is called in this process with each signed notification. Without it, notifications go to
   * `webhookUrl` with `fetch`. With it, `webhookUrl` is only the URL that requests show,
   * `https://merchant.example/webhooks` by default.
   */
  deliverTo?: DeliverTo | undefined;
  /** The clock of date-times and deliveries, made with `fakeClock`. Default: real time. */
  clock?: FakeClock | undefined;
}

export const MOCK_OPTIONS: OptionNames<MockServiceOptions<unknown>> = {
  ...SERVICE_OPTIONS,
  http: true,
  baseUrl: true,
  deliverTo: true,
  clock: true,
};

/**
 * The service inside a test: msw handlers over the sandbox's model, with its control methods. With a fake clock, a
 * notification is sent when the clock advances, the first time by `advance(0)`. `idle` sends what is due, and waits for
 * retries, which only `clock.advance` makes happen.
 */
// biome-ignore lint/suspicious/noExplicitAny: msw's handlers by default, without its types in these declarations
export interface MockService<Handler = any> extends SandboxControls {
  /** For msw's `setupServer(...service.handlers)`: of msw's own type, which comes with the `http` that you pass. */
  readonly handlers: Handler[];
  /**
   * For `new PaymentsClient({ fetch: service.fetch, … })`, where msw cannot be loaded: Jest on Node 20 refuses some of
   * its dependencies. A client with a `fetch` of its own never knows that a request was not sent, so `outcome` is
   * `unknown` for each lost connection, and a 429 to a call that changes something is not retried.
   */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Base URL for `PaymentsClient`. */
  readonly url: string;
  /** The credentials that calls must have, and notifications carry. */
  readonly credentials: Credentials;
  /** Stops deliveries and retries, so that no timer is left. */
  close(): Promise<void>;
}

/**
 * The service as msw handlers, for tests without a server. It has the same model as `startSandbox`, and so the same
 * bytes, control methods, faults and deliveries. A reset connection is msw's network error, without the platform's
 * code.
 *
 * @example
 * import { http } from 'msw';
 * import { setupServer } from 'msw/node';
 *
 * const service = mockService({ http, deliverTo: handler });
 * const server = setupServer(...service.handlers);
 * server.listen();
 * const client = new PaymentsClient({ baseUrl: service.url, ...service.credentials });
 * const { response } = await client.createRecurringCheckout(fixtures.recurringCheckoutRequest());
 * service.pay(response.uuid);
 * await service.idle(); // your handler has been called
 *
 * @throws `ConfigurationError` for an option that cannot work
 */
export function mockService<Handler>(options: MockServiceOptions<Handler> = {}): MockService<Handler> {
  return mockedService(options).service;
}

/** The same, with the state of its model. */
export function mockedService<Handler>(options: MockServiceOptions<Handler>): {
  service: MockService<Handler>;
  state: ServiceState;
} {
  const own = readNamedOptions<MockServiceOptions<Handler>>('mockService', options, MOCK_OPTIONS);
  const { http, clock, deliverTo } = own;
  if (deliverTo !== undefined) checkFunction('deliverTo', deliverTo, '(request) => handler(request)');
  const url = resolveBaseUrl(own.baseUrl ?? 'https://service.example');
  const webhookUrl = own.webhookUrl ?? (deliverTo && DEFAULT_LISTENER);
  const settings = resolveSettings({ ...own, webhookUrl });
  const timers = clock ?? realTimers;
  const core = createCore(settings, {
    baseUrl: url,
    now: timers.now,
    timers,
    waitsForTimers: clock !== undefined,
    send: requestSend(deliverTo ?? ((request) => fetch(request)), timers.now),
    onAttempt: () => {},
  });
  clock?.join(() => core.deliveryLog.settled());

  const prefix = new URL(url).pathname.replace(/\/$/, '');
  // A text pattern would take the colons of an IPv6 address for parameters.
  const everything = new RegExp(`^${url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}/`);
  const answer = (request: Request) => answerRequest(core, request, prefix);
  const service = Object.assign(core.controls, {
    handlers: http === undefined ? [] : [http.all(everything, ({ request }) => answer(request))],
    async fetch(input: string | URL | Request, init?: RequestInit) {
      const request = new Request(input, init);
      if (!everything.test(request.url)) throw new TypeError(`mockService answers ${url} alone.`);
      const response = await answer(request);
      if (response.type === 'error') throw new TypeError('fetch failed');
      return response;
    },
    url,
    credentials: settings.credentials,
    async idle() {
      await clock?.advance(0);
      await core.deliveryLog.idle();
    },
    close: () => core.deliveryLog.close(),
  });
  return { service, state: core.model.state };
}

/** The base URL as a request shows it, without a slash at the end. */
function resolveBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if ((url?.protocol !== 'http:' && url?.protocol !== 'https:') || url.search !== '' || url.hash !== '') {
    throw new ConfigurationError('Expected `baseUrl` to be an absolute http or https URL without a query.');
  }
  return url.href.replace(/(?<!\/)\/+$/, '');
}

/** Answers a request of msw as the sandbox's HTTP server does. */
async function answerRequest(core: SandboxCore, request: Request, prefix: string): Promise<Response> {
  const { method, signal } = request;
  const { pathname, search } = new URL(request.url);
  const { answer, ending } = await answerCall(core, {
    method,
    path: pathname.slice(prefix.length) + search,
    headers: Object.fromEntries(request.headers),
    signal,
    async readBody(maxBytes) {
      const bytes = await request.arrayBuffer();
      return bytes.byteLength > maxBytes ? undefined : new TextDecoder().decode(bytes);
    },
  });
  return answer === undefined ? Response.error() : respond(answer, ending, signal);
}

function respond({ status, headers, body }: ServiceAnswer, ending: Ending, signal: AbortSignal): Response {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const init = { status, headers: { ...headers, 'content-length': String(bytes.byteLength) } };
  // With these statuses, a `Response` refuses a body, even an empty one.
  if (status === 204 || status === 205 || status === 304) return new Response(null, init);
  // No connection closes after the answer: msw has none.
  const isHalf = ending === 'stalled' || ending === 'truncated';
  return new Response(isHalf ? half(bytes, ending, signal) : new Uint8Array(bytes), init);
}

/** Half of a body, and then nothing more, or a lost connection. */
function half(bytes: Uint8Array, ending: Ending, signal: AbortSignal): ReadableStream {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes.slice(0, Math.floor(bytes.byteLength / 2)));
      if (ending === 'stalled') signal.addEventListener('abort', () => controller.error(signal.reason));
    },
    pull(controller) {
      // Fails at the second read: an error at once would discard the first half.
      if (ending === 'truncated') controller.error(new TypeError('terminated'));
    },
  });
}
