import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface TcpProxy {
  readonly port: number;
  /** Ends all connections, and every new one at once, until `restore`. */
  cut(): void;
  /** Forwards nothing until `restore`, in both directions or in the given one. */
  stall(only?: 'requests' | 'replies'): void;
  /** Sets the target of new connections. */
  retarget(target: NetConnectOpts): void;
  /** Never again forwards anything on the present connections. New connections are not affected. */
  silence(): void;
  restore(): void;
  /**
   * Holds back replies, from the first one that contains the text, until `restore` forwards them in one piece and ends
   * the connection.
   */
  holdRepliesFrom(text: string): void;
  /** The replies that are held back, as text. */
  readonly held: string;
}

/** Forwards between a client and its server, and can imitate a bad network. It closes at the end of the test. */
export async function startTcpProxy(target: NetConnectOpts): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const silenced = new WeakSet<Socket>();
  let upstreamAt = target;
  let stalled: 'requests' | 'replies' | undefined;
  let state: 'open' | 'cut' | 'stalled' = 'open';
  let waiting: (() => void)[] = [];
  let holdFrom: string | undefined;
  let held: Buffer[] = [];
  let release: () => void = () => undefined;

  const server = createServer((client) => {
    if (state === 'cut') {
      client.destroy();
      return;
    }
    const upstream = connect(upstreamAt);
    let holding = false;
    const forward = (
      what: 'requests' | 'replies',
      from: Socket,
      to: Socket,
      pass: (chunk: Buffer) => void,
    ) => {
      sockets.add(from);
      from.on('data', (chunk: Buffer) => {
        if (silenced.has(from)) return;
        if (state === 'stalled' && (stalled ?? what) === what) waiting.push(() => pass(chunk));
        else pass(chunk);
      });
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        // Replies that are held back must arrive before the end of the connection does.
        if (!holding) to.destroy();
      });
    };
    forward('requests', client, upstream, (chunk) => upstream.write(chunk));
    forward('replies', upstream, client, (chunk) => {
      if (holdFrom !== undefined && chunk.includes(holdFrom)) {
        holding = true;
        holdFrom = undefined;
        release = () => client.end(Buffer.concat(held));
      }
      if (holding) held.push(chunk);
      else client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const destroyAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(async () => {
    destroyAll();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      state = 'cut';
      destroyAll();
    },
    stall(only) {
      state = 'stalled';
      stalled = only;
    },
    retarget(next) {
      upstreamAt = next;
    },
    silence() {
      for (const socket of sockets) silenced.add(socket);
    },
    restore() {
      state = 'open';
      const late = waiting;
      waiting = [];
      for (const go of late) go();
      release();
      release = () => undefined;
      held = [];
    },
    holdRepliesFrom(text) {
      holdFrom = text;
    },
    get held() {
      return Buffer.concat(held).toString('latin1');
    },
  };
}
