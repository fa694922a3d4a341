import { execFile } from 'node:child_process';
import { cp, symlink } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { fixtures } from 'pix-automatic-sdk/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { selfSigned } from '../client/self-signed';
import { type Runtime, runtimes } from './runtimes';

/*
 * What stands between the client and the service in a merchant’s process: mocks, which no request may pass by, because
 * that sends real POSTs in a test; proxies and certificates, which a request needs; instrumentation, which has to see it.
 */

const project = inject('consumer');
const required = process.env['CI_REQUIRE_RUNTIMES'] === '1' || process.env['CI'] === 'true';
const PROGRAM = 'senders.mjs';
const UNKNOWN_HOST = 'http://service.invalid';
/** They are installed here, and the program that imports them runs in the project of the packed package. */
const MODULES = ['undici6', 'undici', 'undici8', 'msw', 'nock', '@opentelemetry'];

const qrCode = { base64: 'iVBORw0KGgo=', plain: '00020126' };
const answers = {
  request: fixtures.recurringCheckoutRequest(),
  GET: { ...fixtures.transaction({ uuid: 'uuid-1' }), message: 'real' },
  POST: {
    ...fixtures.recurringCheckout({ response: { uuid: 'uuid-1', instructions: { qrCode } } }),
    message: 'real',
  },
  PUT: { ...fixtures.scheduledPaymentCancellation(), message: 'real' },
};

/** What reached the service. */
let received: IncomingMessage[] = [];
const service: RequestListener = (request, response) => {
  received.push(request);
  request.resume().on('end', () => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answers[request.method as 'GET' | 'POST' | 'PUT']));
  });
};
const http = createServer(service);
const tls = createTlsServer(selfSigned, service);
/** Forwards everything to the service. The host is one that no name server knows, so only the proxy reaches it. */
const proxy = createServer(service);
proxy.on('connect', (_, socket) => {
  const far = connect(portOf(http), '127.0.0.1');
  for (const end of [far, socket]) end.on('error', () => [far, socket].map((each) => each.destroy()));
  far.once('connect', () => {
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    socket.pipe(far).pipe(socket);
  });
});
const servers: Server[] = [http, tls, proxy];

const portOf = (server: Server) => (server.address() as AddressInfo).port;

beforeAll(async () => {
  for (const server of servers) {
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  }
  await cp(`test/runtimes/programs/${PROGRAM}`, join(project, PROGRAM));
  for (const name of MODULES) {
    const target = resolve('node_modules', name);
    await symlink(target, join(project, 'node_modules', name)).catch(ignoreExisting);
  }
});

afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

beforeEach(() => {
  received = [];
});

function ignoreExisting({ code }: NodeJS.ErrnoException) {
  if (code !== 'EEXIST') throw new Error(`A link cannot be made: ${code}`);
}

interface Setting {
  readonly sender: string;
  /** When it is set up: before the library is imported, after that, or once it has made calls. */
  readonly when?: 'before' | 'after' | 'used';
  readonly baseUrl?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs the program on a version of Node, and returns who answered `fetch` and each call. */
async function run(
  command: readonly string[],
  { sender, when = 'after', baseUrl = `http://127.0.0.1:${portOf(http)}`, env = {} }: Setting,
) {
  const [file = '', ...args] = command;
  const { NODE_OPTIONS: _, VITEST: __, NODE_ENV: ___, ...own } = process.env;
  const world = JSON.stringify({ sender, when, baseUrl, ca: selfSigned.cert, answers });
  const running = promisify(execFile)(file, [...args.slice(0, -1), PROGRAM, world], {
    cwd: project,
    env: { ...own, ...env },
  });
  // What is sent before is real.
  running.child.stdout?.on('data', (chunk: string) => {
    if (when === 'used' && chunk.includes('set up')) received = [];
  });
  const { stdout } = await running;
  const [, found = ''] = /^found (\S+)$/m.exec(stdout) ?? [];
  return JSON.parse(Buffer.from(found, 'base64').toString());
}

const all = (answer: string) => ({ fetch: answer, GET: answer, POST: answer, PUT: answer });

const times = ['before', 'after', 'used'] as const;
const versions = ['20', '22', '24', '26'];
const mocks = ['mockAgent undici6', 'mockAgent undici', 'mockAgent undici8', 'msw', 'nock'];

/** When a mock is set up: each night at each time; else at one, so that each time meets each mock and each version. */
function timesOf(mock: string, version: string): (typeof times)[number][] {
  const turn = mocks.indexOf(mock) + versions.indexOf(version);
  return times.filter((_, index) => process.env['NIGHTLY'] === '1' || index === turn % times.length);
}

describe.each(versions)('on Node %s', (version) => {
  const major = Number(version);
  const runtime = runtimes.find(({ name }) => name === `Node ${version}`) as Runtime;
  let command: readonly string[] | undefined;
  beforeAll(async () => {
    command = await runtime.command(project).catch((error: unknown) => {
      const message = `${runtime.name} cannot be had from the npm registry`;
      if (required) throw new Error(message, { cause: error });
      return undefined;
    });
  });
  const test = it.extend<{ node: readonly string[] }>({
    node: async ({ skip }, use) => {
      if (command === undefined) return skip(`${runtime.name} cannot be had from the npm registry`);
      await use(command);
    },
  });

  // undici 8 needs Node 22, and the `fetch` of Node 26 does not read what undici 6 sets.
  const undicis = ['undici6', 'undici', 'undici8'];
  const defineFor = (sender: string) => {
    const isOfNoUse =
      (sender.endsWith('undici8') && major < 22) || (sender.endsWith('undici6') && major > 24);
    return isOfNoUse ? test.skip : test;
  };

  describe.each(mocks)('%s', (sender) => {
    defineFor(sender).for(timesOf(sender, version))(
      'that is set up before the library, after it, or once it was used, answers every call: %s',
      async (when, { node }) => {
        expect(await run(node, { sender, when })).toEqual(all('mock'));
        expect(received.map(({ method }) => method)).toEqual([]);
      },
    );
  });

  describe.each(undicis)('%s', (module) => {
    defineFor(module)('has its Agent trust the certificate for every call', async ({ node }) => {
      const baseUrl = `https://127.0.0.1:${portOf(tls)}`;
      expect(await run(node, { sender: `agent ${module}`, baseUrl })).toEqual(all('real'));
    });

    defineFor(module)('has its EnvHttpProxyAgent send every call to the proxy', async ({ node }) => {
      const env = { http_proxy: `http://127.0.0.1:${portOf(proxy)}` };
      const setting = { sender: `envHttpProxyAgent ${module}`, baseUrl: UNKNOWN_HOST, env };
      expect(await run(node, setting)).toEqual(all('real'));
    });
  });

  (major < 22 ? test.skip : test)('NODE_USE_ENV_PROXY sends every call to the proxy', async ({ node }) => {
    const env = { NODE_USE_ENV_PROXY: '1', http_proxy: `http://127.0.0.1:${portOf(proxy)}` };
    expect(await run(node, { sender: 'none', baseUrl: UNKNOWN_HOST, env })).toEqual(all('real'));
  });

  test('OpenTelemetry marks every call, each over the connections of its kind', async ({ node }) => {
    expect(await run(node, { sender: 'openTelemetry' })).toEqual(all('real'));
    const seen = received.map(({ method, headers }) => {
      const who = headers['x-api-key'] === 'plain' ? 'fetch' : method;
      return `${who}: ${headers['traceparent']}, ${headers.connection}`;
    });
    const kinds = [
      'fetch: marked, keep-alive',
      'GET: marked, keep-alive',
      'POST: marked, close',
      'PUT: marked, close',
    ];
    expect(seen).toEqual(kinds.flatMap((kind) => [kind, kind, kind]));
  });
});
