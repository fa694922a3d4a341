import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { WebhookHandlerOptions } from 'pix-automatic-sdk/webhooks';
import { onTestFinished } from 'vitest';
import { listen } from '../helpers/listen';
import { authorization, createListener, type Listener } from './support';

export type Before = (request: IncomingMessage & { body?: unknown }) => unknown;

/** The handler on a real server; `before` is what a framework does with a request first. */
export async function serve(
  options: Partial<WebhookHandlerOptions> | object = {},
  before: Before = () => undefined,
): Promise<Listener & { readonly url: string }> {
  const listener = createListener(options);
  const server = createServer(async (request, response) => {
    await before(request);
    listener.handler(request, response);
  });
  return { ...listener, url: await listen(server) };
}

/** A connection that sends exactly these bytes. */
export function open(to: string, ...lines: string[]) {
  const socket = connect(Number(new URL(to).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let received = '';
  const closed = new Promise((resolve) => socket.on('close', resolve));
  const answer = new Promise<string>((resolve) => {
    socket.on('data', (chunk) => {
      received += chunk.toString();
      if (received.includes('\r\n\r\n')) resolve(received);
    });
    socket.on('error', () => resolve(received));
    closed.then(() => resolve(received));
  });
  socket.write(lines.join('\r\n'));
  return { socket, answer, closed };
}

export const headLines = (...headers: string[]) => [
  'POST /webhooks HTTP/1.1',
  'host: merchant.example',
  `authorization: ${authorization}`,
  ...headers,
  '',
  '',
];
