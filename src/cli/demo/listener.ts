import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Credentials } from '../../service/credentials';
import type { PaymentNotification } from '../../service/kinds/sale';
import { MemoryStore } from '../../stores/memory-store';
import { toNodeListener } from '../../webhooks/adapters/node-listener';
import { createWebhookHandler } from '../../webhooks/handler/create-webhook-handler';

/** A merchant's listener: verifies, parses, and keeps the payments it has processed. */
export async function startListener(credentials: Credentials) {
  const payments: PaymentNotification[] = [];
  const handler = createWebhookHandler({
    credentials,
    store: new MemoryStore(),
    on: {
      payment: (notification) => {
        payments.push(notification);
      },
    },
    // The demo prints the listener's responses, which show what was refused.
    onReport: () => {},
  });
  const server = createServer(toNodeListener(handler));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    payments,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
