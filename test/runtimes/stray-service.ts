import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { fixtures } from '../../src/testing';
import { selfSigned } from '../client/self-signed';
import { rawAnswer } from '../helpers/raw-server';
import type { Random } from '../machines/random';

/** Responses that nobody asked for, as balancers and proxies send them over connections that they keep open. */
export const strays: Readonly<Record<string, string>> = {
  400: rawAnswer('400 Bad Request', '{}'),
  401: rawAnswer('401 Unauthorized', '{}'),
  408: rawAnswer('408 Request Timeout', ''),
  429: rawAnswer('429 Too Many Requests', '{}', ['retry-after: 0']),
  another: rawAnswer('200 OK', JSON.stringify(fixtures.transaction({ uuid: 'another', situation: 'PAID' }))),
  half: rawAnswer('200 OK', JSON.stringify({ uuid: 'half', padding: 'x'.repeat(200) })).slice(0, -150),
};

/** A service over HTTP and over TLS that keeps connections, and sends strays over them when it is told to. */
export interface StrayService {
  readonly http: number;
  readonly tls: number;
  /**
   * Sends the stray that a line names over all connections that have served a request and wait: `400 now` at once, and
   * `400 crossing` as the first bytes of the next request come in, so that it crosses that request. Answers `ok`.
   */
  readonly control: number;
  /** The methods of the requests that a stray has crossed on their own connection, and how often. */
  readonly crossed: Readonly<Record<string, number>>;
  /** How often each journey was created, and each payment cancelled. */
  readonly acted: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

export async function startStrayService(random: Random): Promise<StrayService> {
  const idle = new Set<Socket>();
  const sockets = new Set<Socket>();
  const acted = new Map<string, number>();
  const crossed: Record<string, number> = {};
  let crossing = '';
  let told = 0;
  let served = 0;
  const sendStray = (stray: string) => {
    for (const socket of idle) if (socket.writable) socket.write(stray);
  };
  const accept = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => [idle, sockets].map((each) => each.delete(socket)));
  };
  const serve = (socket: Socket) => {
    accept(socket);
    let received = '';
    socket.on('data', async (chunk) => {
      if (crossing !== '') {
        const [method = ''] = chunk.toString().split(' ');
        if (idle.has(socket)) crossed[method] = (crossed[method] ?? 0) + 1;
        sendStray(crossing);
        crossing = '';
      }
      received += chunk.toString('latin1');
      const [head = '', body] = received.split(/\r\n\r\n(.*)/s);
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
      // Deno sends a stream in chunks.
      const isChunked = /^transfer-encoding: chunked/im.test(head);
      if (body === undefined || body.length < length || (isChunked && !body.endsWith('0\r\n\r\n'))) return;
      received = '';
      idle.delete(socket);
      // So that some strays come before the response, and some after it.
      await sleep(3 * random('answer', ++served));
      socket.write(
        rawAnswer('200 OK', JSON.stringify(answerTo(head, body, acted)), ['keep-alive: timeout=60']),
      );
      idle.add(socket);
    });
  };
  const http = createServer(serve);
  const tls = createTlsServer(selfSigned, serve);
  tls.on('tlsClientError', () => undefined);
  const control = createServer((socket) => {
    accept(socket);
    socket.on('data', async (chunk) => {
      const [name = '', when] = chunk.toString().trim().split(' ');
      const stray = strays[name] ?? '';
      if (when === 'crossing') crossing = stray;
      socket.write('ok\n');
      if (when === 'crossing') return;
      await sleep(2 * random('stray', ++told));
      sendStray(stray);
    });
  });
  const servers: Server[] = [http, tls, control];
  const [httpPort, tlsPort, controlPort] = (await Promise.all(servers.map(listen))) as [
    number,
    number,
    number,
  ];
  return {
    http: httpPort,
    tls: tlsPort,
    control: controlPort,
    crossed,
    acted,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

function answerTo(head: string, body: string, acted: Map<string, number>): object {
  const [, method = '', path = ''] = /^(\w+) (\S+)/.exec(head) ?? [];
  const last = path.split('/').at(-1) ?? '';
  if (method === 'GET') return path.includes('/transactions/') ? fixtures.transaction({ uuid: last }) : {};
  const isCancellation = method === 'PUT';
  const id = isCancellation
    ? (path.split('/').at(-2) ?? '')
    : JSON.parse(body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1)).referenceCode;
  acted.set(id, (acted.get(id) ?? 0) + 1);
  if (isCancellation) return fixtures.scheduledPaymentCancellation();
  return fixtures.recurringCheckout({ response: { uuid: `uuid-of-${id}`, referenceCode: id } });
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
