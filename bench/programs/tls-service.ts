// A service over TLS that answers every request with a transaction, and the same service at a distance.
import { createServer } from 'node:https';
import { type AddressInfo, connect, createServer as createProxy, type Server, type Socket } from 'node:net';
import { fixtures } from 'pix-automatic-sdk/testing';
import { selfSigned } from '../../test/client/self-signed';
import { programInput } from '../lib/program-input';

const { distanceMs } = programInput<{ distanceMs: number }>();
const transaction = JSON.stringify(fixtures.transaction({ uuid: 'uuid-1' }));

const service = createServer(selfSigned, (request, response) => {
  request.resume().on('end', () => response.end(transaction));
});
service.keepAliveTimeout = 600_000;
const port = await listen(service);

/** Each direction takes half the distance; so does opening a connection, there and back. */
const proxy = createProxy((near) => {
  near.pause();
  setTimeout(() => {
    const far = connect(port, '127.0.0.1');
    forward(near, far);
    forward(far, near);
    near.resume();
  }, distanceMs);
});
const distantPort = await listen(proxy);

process.send?.({ near: `https://127.0.0.1:${port}`, distant: `https://127.0.0.1:${distantPort}` });

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
