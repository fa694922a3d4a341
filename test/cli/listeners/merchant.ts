import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { PaymentsClient } from 'pix-automatic-sdk';
import { listen, type TestListener } from './listen';

/** The pair that verify sends in these tests. It is marked, so that a test can find it wherever it is printed. */
export const pair = { apiKey: 'Marked-Key-7f3a91', apiToken: 'Marked-Token-5e20bc' };
export const rightHeader = `Basic ${Buffer.from(`${pair.apiKey}:${pair.apiToken}`).toString('base64')}`;

/** A payload of any type, because merchants often have no types for it. */
// biome-ignore lint/suspicious/noExplicitAny: these listeners are written as merchants write them, without checks.
export type Payload = any;

/** A hand-written listener in parts. In each wrong listener, one part is wrong. */
export interface Merchant {
  isLetIn(header: string | undefined, url: URL, method: string): boolean;
  /** Answers a request that is not let in. */
  refuse(response: ServerResponse, header: string | undefined, method: string): void;
  read(request: IncomingMessage): Promise<string>;
  parse(body: string): Payload;
  kindOf(url: URL, payload: Payload): string;
  keyOf(kind: string, payload: Payload): string;
  /** Acts on a notification, besides booking it. Throws to refuse it. */
  work(kind: string, payload: Payload): void | Promise<void>;
  /** The kind that it is booked as; `undefined` if it is not. */
  bookedAs(kind: string, payload: Payload): string | undefined;
  /** The amount that it is booked with. */
  amountOf(kind: string, payload: Payload): number | undefined;
  /** Runs `act` once per key. */
  once(key: string, act: () => Promise<void>, shop: Shop): Promise<Outcome>;
  respond(response: ServerResponse, outcome: Outcome, notification: Notification): void;
  /** What `--effects` answers. */
  effects(shop: Shop): unknown;
}

export type Parts = Partial<Merchant> | ((shop: Shop) => Partial<Merchant>);

export type Outcome = 'done' | 'seen' | 'busy';

export interface Notification {
  readonly kind: string;
  readonly payload: Payload;
  readonly header: string | undefined;
}

/** The state of a listener. */
export interface Shop {
  /** Asks the service, in a listener that is verified with a sandbox. */
  readonly client: PaymentsClient;
  readonly rows: Booked[];
  readonly done: Set<string>;
  readonly running: Set<string>;
  /** Resolves after the next time that the rows are read. */
  read(): Promise<void>;
  stop(): void;
}

/** A row of `--effects`. */
export interface Booked {
  readonly kind: string;
  readonly subject: string;
  readonly amount: number | undefined;
}

export function subjectOf(payload: Payload): string {
  return payload.refund?.uuid ?? payload.saleToken ?? payload.uuid;
}

export function amountOf(payload: Payload): number | undefined {
  return payload.refund?.amount ?? payload.reversedAmount ?? payload.amount;
}

/** A right listener, which all wrong ones start from. */
export const right: Merchant = {
  isLetIn: (header) => header === rightHeader,
  refuse: (response) => response.writeHead(401).end(),
  read: text,
  parse: (body) => JSON.parse(body),
  kindOf(_url, payload) {
    if (payload.refund) return 'refund';
    if (payload.sale && payload.reversedAmount !== undefined) return 'reversal';
    if (typeof payload.success === 'boolean') return payload.success ? 'payout' : 'payoutFailed';
    if (payload.newStatus === undefined) return 'unrecognized';
    return payload.newStatus === 'PAID' ? 'payment' : 'saleStatus';
  },
  keyOf(kind, payload) {
    return [kind, subjectOf(payload), payload.newStatus ?? payload.status].join(':');
  },
  work: () => undefined,
  bookedAs: (kind, { status }) =>
    kind === 'unrecognized' || (kind === 'reversal' && status !== 'PAID') ? undefined : kind,
  amountOf: (_kind, payload) => amountOf(payload),
  async once(key, act, { done, running }) {
    if (done.has(key)) return 'seen';
    if (running.has(key)) return 'busy';
    running.add(key);
    try {
      await act();
      done.add(key);
      return 'done';
    } finally {
      running.delete(key);
    }
  },
  respond: (response, outcome) => response.writeHead(outcome === 'busy' ? 503 : 200).end('ok'),
  effects: ({ rows }) => rows,
};

/** Answers everything in the same way, and never acts. */
export function answering(respond: (response: ServerResponse) => void): Partial<Merchant> {
  return { isLetIn: () => false, refuse: respond };
}

/** Starts a listener that is right except for these parts. */
export async function startMerchant(parts: Parts, client = {} as PaymentsClient): Promise<TestListener> {
  const waiting = new Set<() => void>();
  const shop: Shop = {
    client,
    rows: [],
    done: new Set(),
    running: new Set(),
    read: () => new Promise((resolve) => waiting.add(resolve)),
    stop: () => listener.stop(),
  };
  const merchant = { ...right, ...(typeof parts === 'function' ? parts(shop) : parts) };
  const listener = await listen(
    (request, response) => {
      handle(merchant, shop, request, response).catch((error: unknown) => {
        response.writeHead(500).end(String(error));
      });
    },
    () => {
      const answer = JSON.stringify(merchant.effects(shop));
      for (const resolve of waiting) resolve();
      waiting.clear();
      return JSON.parse(answer);
    },
  );
  return listener;
}

async function handle(
  merchant: Merchant,
  shop: Shop,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const header = request.headers.authorization;
  const url = new URL(request.url ?? '', 'http://listener.invalid');
  const { method = '' } = request;
  if (!merchant.isLetIn(header, url, method)) return merchant.refuse(response, header, method);
  const payload = merchant.parse(await merchant.read(request));
  const kind = merchant.kindOf(url, payload);
  const act = async () => {
    await merchant.work(kind, payload);
    const booked = merchant.bookedAs(kind, payload);
    if (booked === undefined) return;
    const amount = merchant.amountOf(kind, payload);
    shop.rows.push({ kind: booked, subject: subjectOf(payload), amount });
  };
  const outcome = await merchant.once(merchant.keyOf(kind, payload), act, shop);
  merchant.respond(response, outcome, { kind, payload, header });
}

/** Key and token of a header, read as many listeners read them. */
export function readPair(header: string | undefined): [key: string | undefined, token: string | undefined] {
  const [key, token] = Buffer.from((header ?? '').replace(/^Basic /, ''), 'base64')
    .toString()
    .split(':');
  return [key, token];
}
