// A listener in its own process: this library's handler, or a bare server.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createWebhookHandler, MemoryStore, toNodeListener } from 'pix-automatic-sdk/webhooks';
import { programInput } from '../lib/program-input';
import { CREDENTIALS, type ListenerInput } from './load/messages';

const { kind } = programInput<ListenerInput>();

const handler = createWebhookHandler({
  credentials: CREDENTIALS,
  store: new MemoryStore(),
  on: { payment: async () => undefined },
});

/** Reads the body, parses it, and answers. */
const bare: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    JSON.parse(Buffer.concat(chunks).toString());
    response.end('OK');
  });
};

const server = createServer(kind === 'bare' ? bare : toNodeListener(handler));
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', () => process.send?.(process.cpuUsage()));
