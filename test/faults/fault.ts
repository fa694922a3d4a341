import type { Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import type { PaymentsClientOptions } from 'pix-automatic-sdk';
import type { operations } from '../client/support';
import type { FaultServer, Received } from '../helpers/fault-server';
import type { ExpectedOf } from './expectations';
import type { Pool } from './pools';

/** One row of the matrix: what goes wrong, and how each of the three operations has to end. */
export interface Fault {
  readonly name: string;
  readonly expected: ExpectedOf;

  /** What the server says to a whole request. By default it answers as documented. */
  readonly respond?: Respond;
  /** What it does as soon as the headers of a request are there. The body is read only if this returns `true`. */
  readonly onHead?: (exchange: Exchange) => boolean;
  /** What it does with a new connection. Its bytes are read only if this returns `true`. */
  readonly onConnection?: (socket: Socket) => boolean;
  /** Speaks TLS, with these options. The client trusts the test's own authority, unless `agent` says otherwise. */
  readonly tls?: TlsOptions;

  /** Where the client takes the service to be. By default where it is. */
  readonly url?: (server: FaultServer, scheme: 'http' | 'https', operation: Operation) => string;
  /**
   * Options of the connection pool, which is the cell's own and of the platform's class; or `'shared'` for the pool
   * that the platform uses when nobody names one.
   */
  readonly agent?: object | 'shared';
  /**
   * The client is given a `fetch` of the caller's, over the same pool. By default it uses the platform's, which alone
   * may send a POST or PUT again after a connection that was refused.
   */
  readonly callersFetch?: true | ((url: string, init: object, fetch: CallersFetch) => Promise<Response>);
  readonly client?: Partial<PaymentsClientOptions>;
  /** Adds so many bytes to the body, to catch it on the way. */
  readonly padding?: number;
  /** What the caller adds to the body. */
  readonly extraFields?: () => Record<string, unknown>;
  /** What `Math.random` gives for back-off, which is none at 0. */
  readonly random?: number;

  /** What the merchant does. By default one call. */
  readonly act?: (world: World) => Promise<unknown>;
  /** Whether what came back is right. By default it is the documented answer. */
  readonly accepts?: (result: unknown, answer: object) => boolean;
  /** Claims about the error beyond the expectation: what is wrong with it, if anything. */
  readonly inspect?: (error: Error & Record<string, unknown>) => string | undefined;
  /** A pool in place of the cell's own, with the cell's under it. */
  readonly wrapPool?: (pool: Pool) => Pool;
  /** The call may not end before, in milliseconds. */
  readonly notBefore?: number;
  /**
   * The fault cannot be for once only: it lies in the address, or the row tells a story of its own. Every other fault
   * is also tried as one that has passed when the next attempt comes.
   */
  readonly lasting?: boolean;
}

/** The platform's `fetch` over the cell's pool. */
export type CallersFetch = (url: string, init: object) => Promise<Response>;

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

/** What a row's `act` has at hand. */
export interface World {
  readonly operation: Operation;
  readonly call: () => Promise<unknown>;
  readonly server: FaultServer;
  readonly controller: AbortController;
  /** Resolves when the client has begun an attempt. */
  readonly attempted: () => Promise<void>;
  /** Resolves when the server has the headers of a request. */
  readonly begun: () => Promise<void>;
  /** Resolves when the server has a whole request. */
  readonly seen: () => Promise<void>;
}

/** Where time ends the attempt: short, and still enough for a whole exchange on a busy machine. */
export const BRIEFLY = { timeoutMs: 1_000 };

/** Says these bytes. */
export function say(bytes: string | Uint8Array): Respond {
  return ({ write }) => write(bytes);
}

/** Says these bytes and closes its side. */
export function sayAndClose(bytes: string | Uint8Array): Respond {
  return ({ socket }) => socket.end(bytes);
}

/** A 200 with this body, and its right length. */
export function body(text: string | Uint8Array, headers: readonly string[] = []): Respond {
  return ({ write }) => write(message('200 OK', text, headers));
}

/** A whole answer. */
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

/** Says something again and again, for as long as the client listens. */
export function repeat(socket: Socket, next: () => string | Uint8Array, everyMs = 1): void {
  const timer = setInterval(() => {
    if (socket.writableLength < 1_000_000) socket.write(next());
  }, everyMs);
  socket.on('close', () => clearInterval(timer));
  socket.on('end', () => clearInterval(timer));
}
