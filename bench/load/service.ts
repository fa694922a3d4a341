import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fixtures } from '../../src/testing';
import { saleOf } from './sales';

/** The service's answer to a query: every sale is paid. Lighter than the sandbox, which would take a core of its own. */
export async function startService() {
  const transaction = fixtures.transaction({ refunds: null });
  const server = createServer((incoming, outgoing) => {
    const uuid = incoming.url?.split('/').at(-1) ?? '';
    const { referenceCode, amount } = saleOf(Number(uuid.split('-').at(-1)));
    outgoing.setHeader('content-type', 'application/json');
    outgoing.end(JSON.stringify({ ...transaction, uuid, referenceCode, amount, situation: 'PAID' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
