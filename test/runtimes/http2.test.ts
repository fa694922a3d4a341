import { execFile } from 'node:child_process';
import { cp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createSecureServer } from 'node:http2';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { fixtures } from 'pix-automatic-sdk/testing';
import { expect, inject, it, onTestFinished } from 'vitest';
import { selfSigned } from '../client/self-signed';
import { runtimes } from './runtimes';

/*
 * Node 26 offers HTTP/2, over which the requests of a process share one session. When the path between forgets it, Node
 * does not notice for minutes, and every call over it would be lost.
 */

const project = inject('consumer');
const required = process.env['CI_REQUIRE_RUNTIMES'] === '1' || process.env['CI'] === 'true';

it.for(runtimes.filter(({ name }) => name === 'Node 26'))(
  'on $name, a service that offers HTTP/2 gets each POST over a connection of its own, and one that dies costs one call',
  async (runtime, { skip }) => {
    const command = await runtime.command(project).catch((error: unknown) => {
      const message = `${runtime.name} cannot be had from the npm registry`;
      if (required) throw new Error(message, { cause: error });
      return skip(message);
    });
    const certificate = join(project, 'certificate.pem');
    await writeFile(certificate, selfSigned.cert);
    await cp('test/runtimes/programs/http2.mjs', join(project, 'http2.mjs'));
    const { referenceCode: _, ...checkout } = fixtures.recurringCheckoutRequest();
    const world = { ...(await startService()), checkout };
    const { NODE_OPTIONS: __, VITEST: ___, NODE_ENV: ____, ...env } = process.env;
    const [file = '', ...args] = command;
    const { stdout } = await promisify(execFile)(
      file,
      [...args.slice(0, -1), 'http2.mjs', JSON.stringify(world)],
      { cwd: project, env: { ...env, NODE_EXTRA_CA_CERTS: certificate } },
    );
    const [, found = ''] = /^found (\S+)$/m.exec(stdout) ?? [];
    const ten = Array(10).fill('answer');
    const lost = ['timeout unknown', ...ten.slice(1)];
    expect(JSON.parse(Buffer.from(found, 'base64').toString())).toEqual({
      // As everybody's `fetch` on Node 26.
      queries: { ends: ten, connections: 1, versions: { '2.0': 10 } },
      posts: { ends: ten, connections: 10, versions: { '1.1': 10 } },
      // The first one goes over the dead session. The others avoid it.
      queriesAfterSilence: { ends: lost, connections: 9, versions: { '1.1': 9 } },
      postsAfterSilence: { ends: ten, connections: 10, versions: { '1.1': 10 } },
      postsDuringSilence: { ends: lost, connections: 10, versions: { '1.1': 9 } },
    });
  },
);

async function startService(): Promise<{ baseUrl: string; control: string }> {
  let connections = 0;
  let versions: Record<string, number> = {};
  /** The ends of the connections that are open, each with whether it still forwards. */
  const open = new Set<{ isSilent: boolean }>();
  let isNextSilent = false;
  const service = createSecureServer({ ...selfSigned, allowHTTP1: true }, async (request, response) => {
    const { method, url, httpVersion } = request;
    versions[httpVersion] = (versions[httpVersion] ?? 0) + 1;
    const body = await text(request);
    const answer =
      method === 'GET'
        ? fixtures.transaction({ uuid: String(url).split('/').at(-1) ?? '' })
        : fixtures.recurringCheckout({ response: { referenceCode: JSON.parse(body).referenceCode } });
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer));
  });
  const sockets = new Set<Socket>();
  const path = createTcpServer((near) => {
    connections += 1;
    const state = { isSilent: isNextSilent };
    isNextSilent = false;
    open.add(state);
    const far = connect((service.address() as AddressInfo).port, '127.0.0.1');
    const forward = (from: Socket, to: Socket) => {
      sockets.add(from);
      from.on('data', (chunk) => {
        if (!state.isSilent) to.write(chunk);
      });
      from.on('error', () => undefined).on('close', () => to.destroy());
    };
    forward(near, far);
    forward(far, near);
  });
  const control = createServer((request, response) => {
    if (request.url === '/silence') for (const state of open) state.isSilent = true;
    if (request.url === '/silence-next-post') isNextSilent = true;
    const seen = { connections, versions };
    [connections, versions] = [0, {}];
    response.end(JSON.stringify(seen));
  });
  const servers = [service, path, control] as unknown as Server[];
  for (const server of servers) await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    control.closeAllConnections();
    for (const server of servers) server.close();
  });
  const portOf = (server: Pick<Server, 'address'>) => (server.address() as AddressInfo).port;
  return {
    baseUrl: `https://127.0.0.1:${portOf(path)}`,
    control: `http://127.0.0.1:${portOf(control)}`,
  };
}
