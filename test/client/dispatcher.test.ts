import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Dispatcher, PaymentsClientOptions } from 'pix-automatic-sdk';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAuthority } from '../helpers/certificates';
import { type Respond, reply, startHttpServer, startHttpsServer, unusedPort } from '../helpers/http-server';
import { apiKey, clientFor, endOf, failureOf, operations, withoutBackOff } from './support';

const previous = { apiKey: 'older-pair-1f9c04e2', apiToken: 'older-pair-77ab3d10' };
const [, query] = operations;
const { MockAgent, ProxyAgent, Agent } = await undici();
const ours = await createAuthority('ours');
const another = await createAuthority('another');

beforeEach(withoutBackOff);
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** The platform creates its own dispatcher at the first use. undici would take its place if it were imported before. */
async function undici(): Promise<typeof import('undici')> {
  await fetch('data:,');
  return import('undici');
}

type Headers = Readonly<Record<string, unknown>>;
/** The status and the headers of each response; a 200 has the answer of the operation. */
type Answers = ReadonlyArray<readonly [status: number, headers?: Record<string, string>]>;

interface Setting {
  readonly url: string;
  readonly dispatcher: Dispatcher;
  /** The headers of all requests so far. */
  readonly seen: () => readonly Headers[];
}

type Operation = (typeof operations)[number];

const bodyOf = ({ answer }: Operation, status: number): object => (status === 200 ? answer() : {});
const respondWith = (operation: Operation, answers: Answers): Respond[] =>
  answers.map(([status, headers]) => reply(status, bodyOf(operation, status), headers));

const headersOf = (server: { readonly requests: ReadonlyArray<{ readonly headers: Headers }> }) => () =>
  server.requests.map(({ headers }) => headers);

/** A proxy that opens tunnels, to which it counts. */
async function startProxy() {
  let tunnels = 0;
  const proxy = createHttpServer().on('connect', ({ url }, socket) => {
    tunnels += 1;
    const { hostname, port } = new URL(`http://${url}`);
    const far = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      far.pipe(socket).pipe(far);
    });
    for (const end of [far, socket]) end.on('error', () => [far, socket].map((each) => each.destroy()));
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, tunnels: () => tunnels };
}

/** An agent that ends with the test. */
function ended<Agent extends Dispatcher & { close(): Promise<void> }>(agent: Agent): Agent {
  onTestFinished(() => agent.close());
  return agent;
}

const dispatchers: Record<string, (operation: Operation, answers: Answers) => Promise<Setting>> = {
  async ProxyAgent(operation, answers) {
    const proxy = await startProxy();
    const server = await startHttpServer(...respondWith(operation, answers));
    const seen = headersOf(server);
    return {
      url: server.url,
      dispatcher: ended(new ProxyAgent(proxy.url)),
      // What came past the proxy is missing here.
      seen: () => seen().slice(0, proxy.tunnels()),
    };
  },
  async 'Agent with an authority'(operation, answers) {
    const server = await startHttpsServer(await ours.issue(), ...respondWith(operation, answers));
    const dispatcher = ended(new Agent({ connect: { ca: ours.ca } }));
    return { url: server.url, dispatcher, seen: headersOf(server) };
  },
  async 'Agent with a client certificate'(operation, answers) {
    const mutual = { ca: ours.ca, requestCert: true, rejectUnauthorized: true };
    const server = await startHttpsServer(
      { ...(await ours.issue()), ...mutual },
      ...respondWith(operation, answers),
    );
    const own = await ours.issue({ names: ['merchant'] });
    const dispatcher = ended(new Agent({ connect: { ca: ours.ca, ...own } }));
    return { url: server.url, dispatcher, seen: headersOf(server) };
  },
  async MockAgent(operation, answers) {
    const { path, method } = operation;
    // Which is asked only if the mock is passed by.
    const real = await startHttpServer(reply(500));
    const seen: Headers[] = [];
    const agent = ended(new MockAgent());
    agent.disableNetConnect();
    for (const [statusCode, headers = {}] of answers) {
      agent
        .get(real.url)
        .intercept({ path, method })
        .reply((request) => {
          seen.push(Object.fromEntries(new Headers(request.headers as Record<string, string>)));
          return {
            statusCode,
            data: JSON.stringify(bodyOf(operation, statusCode)),
            responseOptions: { headers },
          };
        });
    }
    return { url: real.url, dispatcher: agent, seen: () => [...seen, ...headersOf(real)()] };
  },
};

/** A dispatcher of each kind that cannot reach the service. */
const unreachable: Record<string, (operation: Operation) => Promise<Omit<Setting, 'seen'>>> = {
  async ProxyAgent() {
    const refusing = createHttpServer().on('connect', (_, socket) => socket.end('HTTP/1.1 403 No\r\n\r\n'));
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void refusing.close());
    const { port } = refusing.address() as AddressInfo;
    const dispatcher = ended(new ProxyAgent(`http://127.0.0.1:${port}`));
    return { url: 'https://service.example', dispatcher };
  },
  async 'Agent with an authority'() {
    const server = await startHttpsServer(await another.issue(), reply(200));
    return { url: server.url, dispatcher: ended(new Agent({ connect: { ca: ours.ca } })) };
  },
  async 'Agent with a client certificate'() {
    const dispatcher = ended(new Agent({ connect: { ca: ours.ca, ...(await ours.issue()) } }));
    return { url: `https://127.0.0.1:${await unusedPort()}`, dispatcher };
  },
  async MockAgent({ path, method }) {
    const agent = ended(new MockAgent());
    const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' });
    agent.get('https://service.example').intercept({ path, method }).replyWithError(refused);
    return { url: 'https://service.example', dispatcher: agent };
  },
};

describe.each(Object.keys(dispatchers))('over a dispatcher of its own, %s,', (name) => {
  const start = dispatchers[name] as (typeof dispatchers)[string];

  describe.each(operations)('$name', (operation) => {
    const { call, answer } = operation;
    const run = async (answers: Answers, options: Partial<PaymentsClientOptions> = {}) => {
      const { url, dispatcher, seen } = await start(operation, answers);
      const end = await endOf(call(clientFor({ url }, { dispatcher, ...options })), answer());
      return { end, seen: seen() };
    };

    it('is sent, and asks to close its connection', async () => {
      const { end, seen } = await run([[200]]);
      expect(end).toBe('answer');
      expect(seen).toMatchObject([{ connection: 'close', 'x-api-key': apiKey }]);
    });

    it('is retried after a 429', async () => {
      const { end, seen } = await run([[429, { 'retry-after': '0' }], [200]]);
      expect(end).toBe('answer');
      expect(seen).toHaveLength(2);
    });

    it('is sent with the other pair during a rotation', async () => {
      const { end, seen } = await run([[401], [200]], { previous, maxRetries: 0 });
      expect(end).toBe('answer');
      expect(seen.map((headers) => headers['x-api-key'])).toEqual([apiKey, previous.apiKey]);
    });

    it('is not-sent if nothing could be reached', async () => {
      const to = await (unreachable[name] as (typeof unreachable)[string])(operation);
      const called = call(clientFor(to, { dispatcher: to.dispatcher, maxRetries: 0 }));
      expect(await endOf(called, {})).toBe('connection_failed: not-sent after 1');
    });
  });
});

describe('a dispatcher', () => {
  const nothing: Dispatcher = { dispatch: () => true };

  it('is handed to a globalThis.fetch that was replaced later, too, so that no proxy is passed by', async () => {
    const replaced = vi.spyOn(globalThis, 'fetch').mockResolvedValue(Response.json(query.answer()));
    const client = clientFor({ url: 'https://service.example' }, { dispatcher: nothing });
    await query.call(client);
    expect(replaced.mock.calls[0]?.[1]).toHaveProperty('dispatcher', nothing);
  });

  it.each([null, {}, 'http://proxy.example', 7, { dispatch: true }])(
    'that is %j is refused',
    async (wrong) => {
      const thrown = await refused({ dispatcher: wrong as never });
      expect(thrown.message).toContain(
        "Expected `dispatcher` to be one of undici's, such as `new ProxyAgent('http://proxy.example:3128')`.",
      );
    },
  );

  it('beside a fetch is refused, because nothing would use it', async () => {
    const thrown = await refused({ dispatcher: nothing, fetch: async () => Response.json({}) });
    expect(thrown.message).toMatch(/^Expected `dispatcher` or `fetch`, not both: your own `fetch` would not/);
  });

  it('is refused where the platform’s fetch takes none: Bun, Deno, workerd', async () => {
    const { undici: _, ...versions } = process.versions;
    vi.stubGlobal('process', { ...process, versions });
    const thrown = await refused({ dispatcher: nothing });
    expect(thrown.message).toMatch(
      /^Only Node's `fetch` takes a `dispatcher`, and this runtime's would ignore/,
    );
  });

  it.each(operations)(
    'of another undici than fits this Node is not-sent, and says so: $name',
    async ({ call }) => {
      const dispatch = vi.fn(() => {
        throw Object.assign(new TypeError('invalid onRequestStart method'), { code: 'UND_ERR_INVALID_ARG' });
      });
      const called = call(clientFor({ url: 'https://service.example' }, { dispatcher: { dispatch } }));
      expect(await endOf(called, {})).toBe('connection_failed: not-sent after 1');
      await expect(called).rejects.toThrow(
        "it does not fit this Node's `fetch`. One of undici 7 fits every Node",
      );
      expect(dispatch).toHaveBeenCalledOnce();
    },
  );

  async function refused(options: Partial<PaymentsClientOptions>) {
    const thrown = await failureOf((async () => clientFor({ url: 'https://service.example' }, options))());
    expect(thrown).toMatchObject({ code: 'configuration', outcome: 'not-sent' });
    return thrown;
  }
});
