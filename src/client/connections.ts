import type { Dispatcher } from './options';

// As it is before something replaces it: instrumentation, a framework, or a mock.
const { fetch: platformFetch } = globalThis;

/** Whether the platform's own `fetch` is in use. What any other one did before it failed is unknown. */
export function isPlatformFetch(): boolean {
  return globalThis.fetch === platformFetch;
}

/**
 * Whether `fetchApart` gives a request a connection of its own, whatever other requests have left behind. Where it cannot,
 * the header `connection: close` of each request is all there is: no connection of ours is then left for another request.
 */
export function sendsApart(): boolean {
  return 'Bun' in globalThis || 'Deno' in globalThis || apart() !== undefined;
}

/**
 * Sends with the platform's `fetch`, over a connection that serves nobody before or after. On a kept connection may wait
 * what nobody asked for, such as a balancer's 400 or 429, which is then taken for the answer to the next request.
 */
export async function fetchApart(url: string, init: RequestInit): Promise<Response> {
  const dispatcher = apart();
  // Made for one request and closed after it, because Deno keeps a client until the process ends.
  const client = (globalThis as RuntimeGlobals).Deno?.createHttpClient?.({ poolMaxIdlePerHost: 0 });
  // Bun's own is `keepalive`.
  const own: object = { keepalive: false, ...(client && { client }), ...(dispatcher && { dispatcher }) };
  try {
    return await globalThis.fetch(url, { ...init, ...own });
  } finally {
    client?.close();
  }
}

type AgentClass = new (options: object) => Dispatcher;

/** The dispatchers that everybody shared when they were last judged, and our agent, if they are Node's own. */
let judged: { readonly shared: readonly unknown[]; readonly agent: Dispatcher | undefined } | undefined;

/**
 * Our agent on Node, one for all clients of the process, which closes each connection after one request. Only while the
 * dispatcher that everybody shares is Node's own: any other one is a mock, a proxy, or has the merchant's certificates, and
 * must not be passed by.
 */
function apart(): Dispatcher | undefined {
  const shared = SLOTS.map((slot): unknown => Reflect.get(globalThis, slot));
  if (!judged?.shared.every((one, index) => one === shared[index])) {
    const set = shared.filter((one) => one !== undefined);
    // Node's `fetch` reads the last one that its version knows.
    const nodes = set.every(isNodes) ? (set.at(-1) as { constructor: AgentClass } | undefined) : undefined;
    // Over HTTP/2, which Node 26 offers, requests share a connection, and none is closed.
    const agent = nodes && new nodes.constructor({ allowH2: false, pipelining: 0 });
    judged = { shared, agent };
  }
  return judged?.agent;
}

/**
 * Where the dispatcher is that everybody shares: for Node 20 and 22 in the first, for 24 in both, for 26 in the second,
 * with a wrapper of it in the first. Versions of npm's undici set the first, the second, or both.
 */
const SLOTS = ['undici.globalDispatcher.1', 'undici.globalDispatcher.2'].map((name) => Symbol.for(name));

/**
 * Whether a dispatcher is an agent of Node itself, without a proxy, and neither one of npm's undici, nor a mock, nor one
 * that something was composed with. No property of the class tells where it comes from, but the stack of an error does
 * that its constructor throws. In doubt it is not.
 */
function isNodes(dispatcher: unknown): boolean {
  try {
    const { constructor: Class, dispatch } = dispatcher as Dispatcher & { readonly constructor: AgentClass };
    if (!['Agent', 'Dispatcher1Wrapper'].includes(Class.name) || dispatch !== Class.prototype.dispatch)
      return false;
    new Class({ factory: 'not a function' });
    return false;
  } catch (error) {
    const [, thrower = '', caller = ''] = String(Object(error).stack).split('\n');
    // A class that extends it calls its constructor, too.
    return /\bnode:internal\b/.test(thrower) && caller !== '' && !/\bat new\b/.test(caller);
  }
}

interface RuntimeGlobals {
  readonly Deno?: {
    createHttpClient?(options: { readonly poolMaxIdlePerHost: number }): { close(): void };
  };
}
