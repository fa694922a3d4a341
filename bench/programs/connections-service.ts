// A service over HTTP and over TLS that answers a GET with a transaction, and everything else with a journey; and the
// one over TLS at a distance.
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, createServer as createProxy, type Server, type Socket } from 'node:net';
import { fixtures } from 'pix-automatic-sdk/testing';
import { selfSigned } from '../../test/client/self-signed';
import { programInput } from '../lib/program-input';

const { distanceMs } = programInput<{ distanceMs: number }>();
const transaction = JSON.stringify(fixtures.transaction({ uuid: 'uuid-1' }));
const journey = JSON.stringify(fixtures.recurringCheckout());

const answer: RequestListener = (request, response) => {
  response.setHeader('content-type', 'application/json');
  request.resume().on('end', () => response.end(request.method === 'GET' ? transaction : journey));
};
const http = createServer(answer);
const tls = createTlsServer(selfSigned, answer);
for (const server of [http, tls]) server.keepAliveTimeout = 600_000;
const [httpPort, tlsPort] = [await listen(http), await listen(tls)];

/** Each direction takes half the distance; so does opening a connection, there and back. */
const proxy = createProxy((near) => {
  near.pause();
  setTimeout(() => {
    const far = connect(tlsPort, '127.0.0.1');
    forward(near, far);
    forward(far, near);
    near.resume();
  }, distanceMs);
});
const distantPort = await listen(proxy);

process.send?.({
  http: `http://127.0.0.1:${httpPort}`,
  tls: `https://127.0.0.1:${tlsPort}`,
  distant: `https://127.0.0.1:${distantPort}`,
});

function forward(from: Socket, to: Socket): void {
  from.on('data', (chunk) => setTimeout(() => to.write(chunk), distanceMs / 2));
  from.on('close', () => setTimeout(() => to.destroy(), distanceMs / 2));
  from.on('error', () => to.destroy());
}

function listen(server: Pick<Server, 'listen' | 'address'>): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
