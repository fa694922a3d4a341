// A service for the clients: it answers a GET with a transaction, and everything else with a journey.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fixtures } from 'pix-automatic-sdk/testing';

const transaction = JSON.stringify(fixtures.transaction({ uuid: '7d1f2a90-3c54-4c8e-9a55-5f3f1c0f6a11' }));
const journey = JSON.stringify(fixtures.recurringCheckout());

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    const body = request.method === 'GET' ? transaction : journey;
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  });
});
// Keep connections open while other clients are measured.
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  const sizes = {
    request: Buffer.byteLength(JSON.stringify(fixtures.recurringCheckoutRequest())),
    transaction: Buffer.byteLength(transaction),
    journey: Buffer.byteLength(journey),
  };
  process.send?.({ url: `http://127.0.0.1:${port}`, sizes });
});
