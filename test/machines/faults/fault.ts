import type { Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import type { PaymentsClientOptions } from 'pix-automatic-sdk';
import type { operations } from '../../client/support';
import type { FaultServer, Received } from '../../helpers/fault-server';
import type { ExpectedOf } from './expectations';

/** One row of the matrix: what goes wrong, and how each of the three operations must end. */
export interface Fault {
  readonly name: string;
  readonly expected: ExpectedOf;

  /** How the server answers a whole request. By default as documented; what it returns is sent as the body of a 200. */
  readonly respond?: Respond;
  /** What the server does when the headers of a request have come. It reads the body only if this returns `true`. */
  readonly onHead?: (exchange: Exchange) => boolean;
  /** What the server does with a new connection. It reads from the connection only if this returns `true`. */
  readonly onConnection?: (socket: Socket) => boolean;
  /** The server speaks TLS with these options. The client trusts the test's authority. */
  readonly tls?: TlsOptions;

  /** The client's `baseUrl`. By default that of the server. */
  readonly url?: (server: FaultServer, scheme: 'http' | 'https', operation: Operation) => string;
  readonly client?: Partial<PaymentsClientOptions>;
  /** Adds this many bytes to the request body, so that a fault can hit it on the way. */
  readonly padding?: number;
  /** What `Math.random` returns for back-off. With 0, the default, there is no wait. */
  readonly random?: number;

  /** What the merchant does. By default one call. */
  readonly act?: (world: World) => Promise<unknown>;
  /** Whether the result is right. By default it must be the documented answer. */
  readonly accepts?: (result: unknown, answer: object) => boolean;
  /** The least time that the call must take, in milliseconds. */
  readonly notBefore?: number;
  /**
   * The fault cannot be limited to one attempt: it lies in the address, or the row scripts several attempts. Any other
   * fault is also tried as one that is gone by the second attempt.
   */
  readonly lasting?: boolean;
}

export type Operation = (typeof operations)[number];

/** A request under a fault. */
export interface Exchange extends Received {
  readonly server: FaultServer;
  readonly operation: Operation;
  /** The documented answer, as JSON. */
  readonly answer: string;
  readonly write: (bytes: string | Uint8Array) => void;
}

export type Respond = (exchange: Exchange) => unknown;

/** What a row's `act` can use. */
export interface World {
  readonly operation: Operation;
  readonly call: () => Promise<unknown>;
  readonly server: FaultServer;
}

type Rest = Omit<Fault, 'name' | 'expected' | 'respond'>;

/** A row: its name, how the operations must end, and what is special about it, with the server's answer last. */
export function row(name: string, expected: ExpectedOf, rest?: Rest | Respond, respond?: Respond): Fault {
  if (typeof rest === 'function') return { name, expected, respond: rest };
  return { name, expected, ...rest, ...(respond && { respond }) };
}

/** For rows in which a timeout ends the attempt: short, but enough for a whole exchange on a busy machine. */
export const BRIEFLY = { timeoutMs: 1_000 };

/** Sends these bytes. */
export function say(bytes: string | Uint8Array): Respond {
  return ({ write }) => write(bytes);
}

/** Sends these bytes and half-closes the connection. */
export function sayAndClose(bytes: string | Uint8Array): Respond {
  return ({ socket }) => socket.end(bytes);
}

/** A 200 with this body, and its right length. */
export function body(text: string | Uint8Array, headers: readonly string[] = []): Respond {
  return ({ write }) => write(message('200 OK', text, headers));
}

/** A whole response. */
export function message(
  status: string,
  content: string | Uint8Array = '',
  headers: readonly string[] = [],
): Buffer {
  const bytes = Buffer.from(content);
  const lines = [
    `HTTP/1.1 ${status}`,
    'content-type: application/json',
    `content-length: ${bytes.byteLength}`,
    ...headers,
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]);
}

/** Sends something again and again, until the connection ends. */
export function repeat(socket: Socket, next: () => string | Uint8Array, everyMs = 1): void {
  const timer = setInterval(() => {
    if (socket.writableLength < 1_000_000) socket.write(next());
  }, everyMs);
  socket.on('close', () => clearInterval(timer));
  socket.on('end', () => clearInterval(timer));
}
