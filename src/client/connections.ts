// As it is before something replaces it: instrumentation, a framework, or a mock.
const { fetch: platformFetch } = globalThis;

/** Whether the platform's own `fetch` is in use. What any other one did before it failed is unknown. */
export function isPlatformFetch(): boolean {
  return globalThis.fetch === platformFetch;
}

/** What Node's `fetch` takes as `dispatcher`: what connects, sends and receives. */
interface Dispatcher {
  dispatch(options: { readonly headers: object }, handler: object): boolean;
}

interface Agent extends Dispatcher {
  close(): Promise<void>;
}

type AgentClass = new (options: object) => Agent;

/** Options of a `fetch`, beside those of the standard, that say over which connections it sends. */
type ConnectionOptions = Readonly<Record<string, unknown>>;

/**
 * The connections of one client. An answer that nobody asked for, such as a balancer's 400 or 429, waits on a connection
 * that somebody used before, and is then taken for the answer to the next request. So calls that change something go
 * over connections that serve one request each, and nobody else's `fetch` leaves one there. Queries go over kept ones,
 * which serve queries alone: the answer to a query names its transaction, so a wrong one is noticed.
 *
 * On Node both are agents of ours, while the dispatcher that everybody shares is Node's own. Any other one is a mock, a
 * proxy, or has the merchant's certificates, and must not be passed by: the header `connection: close` is then all there
 * is. Bun and Deno keep connections in spite of that header, and have options of their own.
 */
export class Connections {
  #apart: Agent | undefined;
  #kept: { readonly agent: Agent; readonly options: ConnectionOptions } | undefined;
  /** The dispatchers that everybody shared when they were last judged, and the verdict. */
  #judged: { readonly shared: readonly unknown[]; readonly nodesAgent: AgentClass | undefined } | undefined;

  /** Sends with the platform's `fetch`, over a connection that serves nobody else. */
  async fetchApart(url: string, init: RequestInit): Promise<Response> {
    const NodesAgent = this.#nodesAgent();
    if (NodesAgent !== undefined) this.#apart ??= new NodesAgent({});
    const dispatcher = NodesAgent && this.#apart;
    // Made for one request and closed after it, because Deno keeps a client until the process ends.
    const client = (globalThis as RuntimeGlobals).Deno?.createHttpClient?.({ poolMaxIdlePerHost: 0 });
    // Bun's own is `keepalive`.
    const own: ConnectionOptions = {
      keepalive: false,
      ...(client && { client }),
      ...(dispatcher && { dispatcher }),
    };
    try {
      return await globalThis.fetch(url, { ...init, ...own });
    } finally {
      client?.close();
    }
  }

  /** How the platform's `fetch` sends a query over a kept connection; `undefined` where none are kept. */
  kept(): ConnectionOptions | undefined {
    if ('Bun' in globalThis || 'Deno' in globalThis) return SHARED_WITH_ALL;
    const NodesAgent = this.#nodesAgent();
    if (NodesAgent === undefined) return undefined;
    if (this.#kept === undefined) {
      // Few seconds, whatever the service offers: after longer ones, more of them are dead.
      const agent = new NodesAgent({ keepAliveTimeout: KEPT_MS, keepAliveMaxTimeout: KEPT_MS });
      this.#kept = { agent, options: { dispatcher: withoutClose(agent) } };
    }
    return this.#kept.options;
  }

  /** Keeps the connections no longer over which a query got another answer than over one of its own. */
  drop(kept: ConnectionOptions): void {
    if (this.#kept?.options !== kept) return;
    this.#kept.agent.close().catch(() => undefined);
    this.#kept = undefined;
  }

  /** The class of Node's own dispatcher, if everybody shares one of it now. */
  #nodesAgent(): AgentClass | undefined {
    const shared = SLOTS.map((slot): unknown => Reflect.get(globalThis, slot));
    if (!this.#judged?.shared.every((one, index) => one === shared[index])) {
      const set = shared.filter((one) => one !== undefined);
      // Node's `fetch` reads the last one that its version knows.
      const nodesAgent = set.every(isNodes)
        ? (set.at(-1) as { constructor: AgentClass } | undefined)
        : undefined;
      this.#judged = { shared, nodesAgent: nodesAgent?.constructor };
    }
    return this.#judged?.nodesAgent;
  }
}

/** Bun and Deno keep the connections of all requests, whoever made them. */
const SHARED_WITH_ALL: ConnectionOptions = {};

const KEPT_MS = 4_000;

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

/** The header stays in the request, so that whatever does not know this dispatcher leaves no connection behind. */
function withoutClose(agent: Agent): Dispatcher {
  return {
    dispatch: (options, handler) => {
      const { connection: _, ...headers } = options.headers as { readonly connection?: unknown };
      return agent.dispatch({ ...options, headers }, handler);
    },
  };
}

interface RuntimeGlobals {
  readonly Deno?: {
    createHttpClient?(options: { readonly poolMaxIdlePerHost: number }): { close(): void };
  };
}
