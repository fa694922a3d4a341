import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer, type Server } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PaymentsClient } from 'pix-automatic-sdk';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createAuthority } from '../helpers/certificates';
import { reply, startHttpServer, unusedPort } from '../helpers/http-server';
import { blockWith } from './markdown';
import { loadBlock } from './run-block';

/** The client of the block that has the text, with an environment of its own. */
async function clientOf(
  text: string,
  env: Readonly<Record<string, string>>,
  folder = '',
): Promise<PaymentsClient> {
  const block = blockWith(text, 'docs/client.md');
  const all = { PAYMENTS_API_KEY: 'key', PAYMENTS_API_TOKEN: 'token', NO_PROXY: '', ...env };
  for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const code = block.code.replaceAll("'certificates/", `'${folder}/`);
  return (await loadBlock({ ...block, code })).client;
}

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

it('the recipe for client certificates sends the certificate, and a wrong one is an unknown outcome', async () => {
  const [ours, other] = [await createAuthority('ours'), await createAuthority('another')];
  const { key, cert } = await ours.issue();
  const subjects: unknown[] = [];
  const server = createHttpsServer(
    { key, cert, ca: ours.ca, requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      const { socket } = request as unknown as { socket: { getPeerCertificate(): { subject: unknown } } };
      subjects.push(socket.getPeerCertificate().subject);
      response.end(JSON.stringify({ uuid: 'uuid-1', situation: 'PAID' }));
    },
  );
  const port = await listenOn(server);

  const folder = await mkdtemp(join(tmpdir(), 'certificates-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const write = async (of: { key: string; cert: string }) => {
    await writeFile(join(folder, 'authority.pem'), ours.ca);
    await writeFile(join(folder, 'client.pem'), of.cert);
    await writeFile(join(folder, 'client-key.pem'), of.key);
  };
  const env = { PAYMENTS_BASE_URL: `https://127.0.0.1:${port}` };

  await write(await ours.issue({ names: ['merchant'] }));
  const client = await clientOf('new Agent(', env, folder);
  expect(await client.getTransaction('uuid-1')).toMatchObject({ situation: 'PAID' });
  expect(subjects).toEqual([{ CN: 'merchant' }]);

  await write(await other.issue({ names: ['impostor'] }));
  const impostor = await clientOf('new Agent(', env, folder);
  const failure = await failureOf(impostor.getTransaction('uuid-1', { maxRetries: 0 }));
  expect(failure).toMatchObject({ code: 'connection_failed', outcome: 'unknown' });
  expect(subjects).toHaveLength(1);
});

it('the recipe for proxies goes through the proxy, and one that refuses or is down is an unknown outcome', async () => {
  const server = await startHttpServer(reply(200, { uuid: 'uuid-1', situation: 'PAID' }));
  let refuses = false;
  const tunnels: string[] = [];
  const proxy = createHttpServer();
  proxy.on('connect', (request, socket, head) => {
    tunnels.push(String(request.url));
    if (refuses) return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const { hostname, port } = new URL(`http://${request.url}`);
    const target = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      target.write(head);
      target.pipe(socket).pipe(target);
    });
    target.on('error', () => socket.destroy());
    socket.on('error', () => target.destroy());
  });
  const port = await listenOn(proxy);
  const env = { PAYMENTS_BASE_URL: server.url, HTTP_PROXY: `http://127.0.0.1:${port}` };

  const client = await clientOf('new EnvHttpProxyAgent()', env);
  expect(await client.getTransaction('uuid-1')).toMatchObject({ situation: 'PAID' });
  expect(tunnels).toEqual([new URL(server.url).host]);

  refuses = true;
  const refused = await clientOf('new EnvHttpProxyAgent()', env);
  expect(await failureOf(refused.cancelScheduledPayment('i', { reason: 'r' }))).toMatchObject({
    code: 'connection_failed',
    outcome: 'unknown',
    attempts: 1,
  });

  const down = { ...env, HTTP_PROXY: `http://127.0.0.1:${await unusedPort()}` };
  const unreachable = await clientOf('new EnvHttpProxyAgent()', down);
  expect(await failureOf(unreachable.cancelScheduledPayment('i', { reason: 'r' }))).toMatchObject({
    outcome: 'unknown',
    attempts: 1,
  });
  expect(server.requests).toHaveLength(1);
});

async function listenOn(server: Server | ReturnType<typeof createHttpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as { port: number }).port;
}
