import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer, type Server } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PaymentsClient, TimeoutError, type Transaction } from 'pix-automatic-sdk';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { createAuthority } from '../helpers/certificates';
import { reply, startHttpServer, unusedPort } from '../helpers/http-server';
import { blockWith } from './markdown';
import { loadBlock } from './run-block';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const PAGE = 'docs/client.md';
const DISPATCHER = 'new EnvHttpProxyAgent()';

/** The client of the guide's recipe, with an environment of its own, and perhaps with another dispatcher. */
async function clientOf(
  env: Readonly<Record<string, string>>,
  { dispatcher = DISPATCHER, imports = '' } = {},
): Promise<PaymentsClient> {
  const all = { PAYMENTS_API_KEY: 'key', PAYMENTS_API_TOKEN: 'token', NO_PROXY: '', ...env };
  for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value);
  const block = blockWith(DISPATCHER, PAGE);
  return (await loadBlock({ ...block, code: imports + block.code.replace(DISPATCHER, dispatcher) })).client;
}

const failed = (outcome: string) => ({ code: 'connection_failed', outcome, attempts: 1 });

async function listenOn(server: Server | ReturnType<typeof createHttpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as { port: number }).port;
}

it('the recipe for client certificates sends the certificate, and the outcome of a wrong one is unknown', async () => {
  const [ours, other] = [await createAuthority('ours'), await createAuthority('another')];
  const subjects: unknown[] = [];
  const options = { ...(await ours.issue()), ca: ours.ca, requestCert: true, rejectUnauthorized: true };
  const server = createHttpsServer(options, (request, response) => {
    const { socket } = request as unknown as { socket: { getPeerCertificate(): { subject: unknown } } };
    subjects.push(socket.getPeerCertificate().subject);
    response.end(JSON.stringify({ uuid: 'uuid-1', situation: 'PAID' }));
  });
  const FOLDER = await mkdtemp(join(tmpdir(), 'certificates-'));
  onTestFinished(() => rm(FOLDER, { recursive: true }));
  const env = { PAYMENTS_BASE_URL: `https://127.0.0.1:${await listenOn(server)}` };
  const [shown = ''] = /new Agent\(.*\)(?=`)/.exec(readFileSync(PAGE, 'utf8')) ?? [];
  const recipe = {
    imports: "import { readFileSync } from 'node:fs';\nimport { Agent } from 'undici';\n",
    // The page says to add `ca` for a private authority.
    dispatcher: shown
      .replace('cert:', "ca: readFileSync('authority.pem'), cert:")
      .replaceAll("readFileSync('", `readFileSync('${FOLDER}/`),
  };
  const clientWith = async (of: { key: string; cert: string }) => {
    await writeFile(join(FOLDER, 'authority.pem'), ours.ca);
    await writeFile(join(FOLDER, 'client.pem'), of.cert);
    await writeFile(join(FOLDER, 'client-key.pem'), of.key);
    return clientOf(env, recipe);
  };

  const client = await clientWith(await ours.issue({ names: ['merchant'] }));
  expect(await client.getTransaction('uuid-1')).toMatchObject({ situation: 'PAID' });
  const impostor = await clientWith(await other.issue({ names: ['impostor'] }));
  await expect(impostor.getTransaction('uuid-1', { maxRetries: 0 })).rejects.toMatchObject(failed('unknown'));
  expect(subjects).toEqual([{ CN: 'merchant' }]);
});

it('the recipe for proxies goes through the proxy, and nothing is sent over one that refuses or is down', async () => {
  const server = await startHttpServer(reply(200, { uuid: 'uuid-1', situation: 'PAID' }));
  const tunnels: string[] = [];
  const proxy = createHttpServer().on('connect', (request, socket, head) => {
    tunnels.push(String(request.url));
    if (tunnels.length > 1) return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const { hostname, port } = new URL(`http://${request.url}`);
    const target = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      target.write(head);
      target.pipe(socket).pipe(target);
    });
    target.on('error', () => socket.destroy());
    socket.on('error', () => target.destroy());
  });
  const clientThrough = (port: number) =>
    clientOf({ PAYMENTS_BASE_URL: server.url, HTTP_PROXY: `http://127.0.0.1:${port}` });
  const port = await listenOn(proxy);

  expect(await (await clientThrough(port)).getTransaction('uuid-1')).toMatchObject({ situation: 'PAID' });
  expect(tunnels).toEqual([new URL(server.url).host]);
  for (const failing of [port, await unusedPort()]) {
    const cancelling = (await clientThrough(failing)).cancelScheduledPayment('i', { reason: 'r' });
    await expect(cancelling).rejects.toMatchObject(failed('not-sent'));
  }
  expect(server.requests).toHaveLength(1);
});

it('the recipe for reconciling resumes where a run was cut short', async () => {
  const checked = new Set<string>();
  const uuids = Array.from({ length: 60 }, (_, index) => `uuid-${index}`);
  vi.stubGlobal('orders', {
    openAndNotCheckedOn: async () => uuids.filter((uuid) => !checked.has(uuid)),
    markAsChecked: async (uuid: string) => void checked.add(uuid),
  });
  const told = vi.spyOn(console, 'error').mockReturnValue();
  let isDown = false;
  const asked: string[] = [];
  const client = {
    getTransaction: async (uuid: string): Promise<Transaction> => {
      asked.push(uuid);
      // The service goes down in the middle of the first run.
      isDown ||= asked.length === 25;
      if (!isDown) return { uuid, situation: 'PAID' };
      throw new TimeoutError('m', { operation: 'getTransaction', attempts: 1, outcome: 'unknown' });
    },
  } as unknown as PaymentsClient;
  vi.useFakeTimers();
  const { reconcileOrders } = await loadBlock(blockWith('function reconcileOrders', 'docs/listener.md'));

  const first = expect(reconcileOrders(client, '2026-11-23')).rejects.toMatchObject({ code: 'timeout' });
  await vi.runAllTimersAsync();
  await first;
  expect(checked.size).toBe(24);

  isDown = false;
  const before = asked.length;
  const second = reconcileOrders(client, '2026-11-23');
  await vi.runAllTimersAsync();
  await second;
  expect(new Set(asked.slice(before))).toEqual(new Set(uuids.slice(24)));
  expect(told.mock.calls.map(([, uuid]) => uuid).sort()).toEqual([...uuids].sort());
});
