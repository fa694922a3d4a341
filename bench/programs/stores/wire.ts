import { type AddressInfo, connect, createServer, type NetConnectOpts } from 'node:net';

export interface Wire {
  readonly port: number;
  /** How often the client sent something after the server had, since the last `reset`. */
  readonly roundTrips: number;
  reset(): void;
  close(): void;
}

/** Starts a proxy between a client and its server that counts round trips on the wire, where none can be missed. */
export async function startWire(target: NetConnectOpts): Promise<Wire> {
  let roundTrips = 0;
  let serverSpoke = true;
  const server = createServer((client) => {
    const upstream = connect(target);
    client.on('data', (chunk) => {
      if (serverSpoke) roundTrips += 1;
      serverSpoke = false;
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      serverSpoke = true;
      client.write(chunk);
    });
    for (const [socket, other] of [[client, upstream] as const, [upstream, client] as const]) {
      socket.on('error', () => undefined);
      socket.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get roundTrips() {
      return roundTrips;
    },
    reset() {
      roundTrips = 0;
      serverSpoke = true;
    },
    close: () => void server.close(),
  };
}
