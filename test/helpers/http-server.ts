import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A request as it arrived. */
export interface ReceivedRequest {
  readonly method: string;
  /** The request target, undecoded. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** When its body was complete, by `performance.now()`. */
  readonly at: number;
}

export type Respond = (response: ServerResponse, request: ReceivedRequest) => unknown;

export interface TestServer {
  /** Without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** All requests so far, in order. */
  readonly requests: readonly ReceivedRequest[];
  /** Ends the server and every connection. Also called at the end of the test. */
  close(): Promise<void>;
}

/**
 * A real HTTP server on loopback, which closes at the end of the test. The first of `responses` answers the first
 * request, the second the second, and the last one all others.
 */
export async function startHttpServer(...responses: Respond[]): Promise<TestServer> {
  const requests: ReceivedRequest[] = [];
  return listen(createServer(listener(requests, responses)), 'http', requests);
}

/** Like `startHttpServer`, over TLS. */
export async function startHttpsServer(options: ServerOptions, ...responses: Respond[]): Promise<TestServer> {
  const requests: ReceivedRequest[] = [];
  return listen(createTlsServer(options, listener(requests, responses)), 'https', requests);
}

/** Answers with a status and a JSON body. A string is sent as it is. */
export function reply(status: number, body: unknown = '', headers: Record<string, string> = {}): Respond {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  };
}

/** Reads the request and drops the connection. */
export const dropConnection: Respond = (response) => response.socket?.destroy();

/** Reads the request and never answers. */
export const stall: Respond = () => undefined;

/** A loopback port on which nothing listens. */
export async function unusedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function listener(requests: ReceivedRequest[], responses: Respond[]): RequestListener {
  return async (request, response) => {
    // A test’s client may break off, which is no error of the server.
    response.on('error', () => undefined);
    const { method = '', url = '', headers } = request;
    const body = await text(request).catch(() => '');
    const received = { method, url, headers, body, at: performance.now() };
    requests.push(received);
    await responses[Math.min(requests.length, responses.length) - 1]?.(response, received);
  };
}

async function listen(
  server: ReturnType<typeof createServer> | ReturnType<typeof createTlsServer>,
  scheme: string,
  requests: ReceivedRequest[],
): Promise<TestServer> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  return { url: `${scheme}://127.0.0.1:${port}`, port, requests, close };
}
