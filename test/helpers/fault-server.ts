import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** A request, or the part of it that has arrived. */
export interface Received {
  readonly socket: Socket;
  /** The request line and the headers. */
  readonly head: string;
  /** The part of the body that has arrived: none when only the headers have. */
  readonly body: string;
  /** The number of the request over all connections, from 1. */
  readonly count: number;
  /** The number of its connection, from 1. */
  readonly connection: number;
}

export interface FaultServerOptions {
  readonly tls?: TlsOptions | undefined;
  /** Called for each connection. Return `false` to leave its bytes unread. */
  readonly onConnection?: ((socket: Socket, connection: number) => boolean) | undefined;
  /** Called for a request as soon as its headers have arrived. Its body is read only if this returns `true`. */
  readonly onHead?: ((received: Received) => boolean) | undefined;
  /** Called for each complete request, on which a service would act. */
  readonly onRequest: (received: Received) => void;
}

/**
 * A server over bare TCP or TLS that counts the requests it could parse, and that can be restarted on its own port.
 * Unlike `startRawServer`, it reports half-read requests, and never closes connections by itself: a connection that
 * is open at the end was left behind by the client.
 */
export class FaultServer {
  /** How many requests arrived completely. */
  requests = 0;
  /** How many requests arrived at least with their headers. */
  begun = 0;
  connections = 0;
  port = 0;

  readonly #options: FaultServerOptions;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #retired = false;

  constructor(options: FaultServerOptions) {
    this.#options = options;
  }

  async listen(): Promise<void> {
    if (this.#retired) return;
    const { tls } = this.#options;
    const accept = (socket: Socket) => this.#accept(socket);
    // Half-open, so that a connection ends when a test says so and not by itself. With TLS, a handshake that the
    // client abandons would then stay open for ever.
    const server = tls ? createTlsServer(tls, accept) : createServer({ allowHalfOpen: true }, accept);
    // Some tests have a client that refuses the certificate.
    server.on('tlsClientError', () => undefined);
    // A raw socket counts as open even when its handshake never ends.
    server.on('connection', (socket: Socket) => this.#remember(socket));
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.port, '127.0.0.1', resolve);
    });
    this.port = (server.address() as AddressInfo).port;
    if (this.#retired) await this.stopListening();
  }

  /** Drops every connection and stops listening, like a process that dies. */
  async kill(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await this.stopListening();
  }

  /** Stops for good: a restart after this does nothing. */
  async retire(): Promise<void> {
    this.#retired = true;
    await this.stopListening();
  }

  async stopListening(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    // Not awaited: `close` waits for the connections to end, and `connectionsLeft` checks those.
    server?.close();
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Closes this side of every connection, as servers do with idle ones. */
  hangUp(): void {
    for (const socket of this.#sockets) socket.end();
  }

  /** How many connections the client has not closed within `withinMs`. */
  async connectionsLeft(withinMs: number): Promise<number> {
    const deadline = performance.now() + withinMs;
    // The end of a connection shows only after the bytes before it are read.
    for (const socket of this.#sockets) socket.resume();
    while (this.#sockets.size > 0 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return this.#sockets.size;
  }

  #remember(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
  }

  #accept(socket: Socket): void {
    this.connections += 1;
    const connection = this.connections;
    if (this.#options.tls !== undefined) socket.on('error', () => undefined);
    socket.on('end', () => socket.end());
    if (this.#options.onConnection?.(socket, connection) === false) return;
    let received = Buffer.alloc(0);
    let head: string | undefined;
    let reading = true;
    socket.on('data', (chunk) => {
      if (!reading) return;
      received = Buffer.concat([received, chunk]);
      for (;;) {
        if (head === undefined) {
          const end = received.indexOf('\r\n\r\n');
          if (end < 0) return;
          head = received.toString('latin1', 0, end);
          received = received.subarray(end + 4);
          this.begun += 1;
          reading = this.#options.onHead?.({ socket, head, body: '', count: this.begun, connection }) ?? true;
          if (!reading) return;
        }
        const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
        if (received.length < length) return;
        const body = received.toString('utf8', 0, length);
        received = received.subarray(length);
        this.requests += 1;
        const request = { socket, head, body, count: this.requests, connection };
        head = undefined;
        this.#options.onRequest(request);
      }
    });
  }
}
