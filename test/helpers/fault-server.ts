import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** A request, or the part of it that has come. */
export interface Received {
  readonly socket: Socket;
  /** The request line and the headers. */
  readonly head: string;
  /** What has come of the body: nothing yet when only the headers are there. */
  readonly body: string;
  /** Which request it is over all connections, beginning with 1. */
  readonly count: number;
  /** Which connection it came over, beginning with 1. */
  readonly connection: number;
}

export interface FaultServerOptions {
  readonly tls?: TlsOptions | undefined;
  /** Told of each connection. Return `false` to leave its bytes unread. */
  readonly onConnection?: ((socket: Socket, connection: number) => boolean) | undefined;
  /** Told of a request as soon as its headers are there. Its body is read only if this returns `true`. */
  readonly onHead?: ((received: Received) => boolean) | undefined;
  /** Told of each request that is there with its body: what a service would act on. */
  readonly onRequest: (received: Received) => void;
}

/**
 * A server over bare TCP or TLS that counts what it could parse, and that can be restarted on its own port. Unlike
 * `startRawServer` it knows of half-read requests, and leaves closing the connections to the client: what is still
 * open in the end, the client has left behind.
 */
export class FaultServer {
  /** How many requests came whole. */
  requests = 0;
  /** Of how many requests the headers came. */
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
    // Half-open, so that a connection ends when a test says so and not by itself. With TLS a handshake that the client
    // gives up would then stay open for ever.
    const server = tls ? createTlsServer(tls, accept) : createServer({ allowHalfOpen: true }, accept);
    // A client that does not like the certificate is part of the test.
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

  /** Drops every connection and stops listening, as a process that dies does. */
  async kill(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await this.stopListening();
  }

  /** Stops for good: whatever restarts it now comes too late. */
  async retire(): Promise<void> {
    this.#retired = true;
    await this.stopListening();
  }

  async stopListening(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    // Not awaited to the end: `close` waits for the connections, which are judged by `connectionsLeft`.
    server?.close();
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Closes this side of every connection, as servers do with idle ones. */
  hangUp(): void {
    for (const socket of this.#sockets) socket.end();
  }

  /** How many connections the client has not closed within the time. */
  async connectionsLeft(withinMs: number): Promise<number> {
    const deadline = performance.now() + withinMs;
    // The end of a connection is not seen before what came ahead of it is read.
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
