import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Credentials } from 'pix-automatic-sdk';
import {
  createWebhookHandler,
  MemoryStore,
  type PaymentNotification,
  toNodeListener,
} from 'pix-automatic-sdk/webhooks';

/** A merchant's listener: verifies, parses, and keeps the payments it has acted on. */
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
    // What is not acted on shows in the answer; the demo prints that.
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
