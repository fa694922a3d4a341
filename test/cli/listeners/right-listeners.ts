import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { confirmPayment, type PaymentsClient } from 'pix-automatic-sdk';
import {
  createWebhookHandler,
  MemoryStore,
  type Notification,
  parseNotification,
  verifyAuthorization,
  type WebhookHandler,
} from 'pix-automatic-sdk/webhooks';
import type { StepId } from '../../../src/cli/verify/hints';
import { listen, onTestsEnd } from './listen';
import {
  amountOf,
  type Booked,
  type Parts,
  type Payload,
  pair,
  right,
  rightHeader,
  subjectOf,
} from './merchant';
import { rightInExpress } from './styles/express';
import { rightInFastify } from './styles/fastify';
import { rightInNest } from './styles/nestjs';
import { rightInNext } from './styles/nextjs';
import { rightInPhp } from './styles/php';
import { rightInPlainNode } from './styles/plain';
import { hasPython, rightInPython } from './styles/python';
import { rightRouteHandlers } from './styles/routes';
import type { Listener } from './verify-listener';

/** A listener without a mistake. */
export interface RightListener extends Listener {
  /** The steps that its rows cannot answer. */
  readonly open?: readonly StepId[];
}

/** Merchants' listeners, by what each does. */
const byHand: Readonly<Record<string, Parts>> = {
  'is written by hand': {},
  'is written by hand, and answers duplicates with another text': {
    respond: (response, outcome) => response.writeHead(outcome === 'busy' ? 503 : 200).end(outcome),
  },
  'is written by hand, and refuses refunds of payments that it has not seen': () => {
    const paid = new Set<string>();
    return {
      work(kind, payload) {
        if (kind === 'payment') paid.add(payload.saleToken);
        const sale = kind === 'refund' ? payload.saleToken : payload.sale?.uuid;
        if (sale !== undefined && !paid.has(sale)) throw new Error('There is no such payment.');
      },
    };
  },
  'is written by hand, and locks out who has sent ten wrong credentials': () => {
    let refused = 0;
    return {
      isLetIn(header) {
        const isRight = header === rightHeader && refused < 10;
        if (!isRight) refused++;
        return isRight;
      },
      refuse: (response) => response.writeHead(refused > 10 ? 429 : 401).end(),
    };
  },
  'writes to a durable inbox, and lets a worker book': inbox(async () => true),
  'also books bodies of no known kind and failed payouts, as kinds of its own': {
    bookedAs: (kind, payload) => (kind === 'reversal' ? right.bookedAs(kind, payload) : kind),
  },
  'books a reversal when it begins, and takes it back when it is cancelled': ({ rows }) => ({
    bookedAs(kind, payload) {
      if (kind !== 'reversal') return right.bookedAs(kind, payload);
      const index = rows.findIndex(({ subject }) => subject === payload.uuid);
      if (payload.status === 'CANCELLED' && index >= 0) rows.splice(index, 1);
      return index < 0 && payload.status !== 'CANCELLED' ? kind : undefined;
    },
  }),
  'writes refunds with a minus, and amounts as text': {
    effects: ({ rows }) =>
      rows.map(({ kind, subject, amount = 0 }) => ({
        kind,
        subject,
        amount: (kind === 'payment' ? amount : -amount).toFixed(2),
      })),
  },
  'books payments under the reference of their order': ({ rows }) => ({
    bookedAs: (kind, payload) => {
      if (kind !== 'payment') return right.bookedAs(kind, payload);
      rows.push({ kind, subject: payload.referenceCode, amount: payload.amount });
      return undefined;
    },
  }),
  'answers with many headers and a long text': {
    respond: (response, outcome) =>
      response
        .writeHead(outcome === 'busy' ? 503 : 200, { 'x-request-id': randomUUID(), server: 'shop/1.0' })
        .end(`<html>${'<p>Obrigado.</p>'.repeat(500)}</html>`),
  },
  'answers 403 to wrong credentials, after a while': {
    refuse: (response) => void setTimeout(() => response.writeHead(403).end(), 30),
  },
  'answers GET with 200, as a health check, and other methods with 405': {
    isLetIn: (header, url, method) => method === 'POST' && right.isLetIn(header, url, method),
    refuse: (response, _header, method) =>
      response.writeHead(method === 'GET' ? 200 : method === 'POST' ? 401 : 405).end(),
  },
  'takes one notification at a time, and answers 503 to the others meanwhile': {
    async once(key, act, shop) {
      if (shop.running.size > 0) return 'busy';
      return right.once(key, () => sleep(5).then(act), shop);
    },
  },
  'takes its time for each notification': { work: () => sleep(20) },
  'takes bodies of up to 1 MB in pieces': {
    async read(request) {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece);
      const body = Buffer.concat(pieces);
      if (body.length > 1024 * 1024) throw new Error('Too large.');
      return body.toString();
    },
  },
};

export const rightListeners: readonly RightListener[] = [
  ...rightInExpress,
  ...rightInFastify,
  ...rightInNest,
  ...rightInNext,
  ...rightRouteHandlers,
  ...rightInPhp,
  ...rightInPlainNode,
  ...(hasPython ? rightInPython : []),
  ...Object.entries(byHand).map(([does, merchant]) => ({ does, merchant })),
  {
    does: 'uses createWebhookHandler with a MemoryStore',
    start: () => startHandler(),
  },
  {
    does: 'confirms payments with the service, as the README advises',
    asksService: true,
    start: (client) =>
      startHandler(async (notification) => {
        if (notification.kind !== 'payment') return;
        const { confirmed, differences } = await confirmPayment(client, notification);
        if (!confirmed)
          throw new Error(`Not as notified: ${differences.map(({ field }) => field).join(', ')}`);
      }),
  },
  {
    does: 'is written by hand, and refuses orders that it does not know',
    asksService: true,
    merchant: ({ client }) => ({
      async work(kind, payload) {
        const sale = payload.saleToken ?? payload.sale?.uuid;
        if (sale === undefined || payload.event) return;
        // The service answers 404 to an unknown sale, and the client throws.
        const { situation, amount } = await client.getTransaction(sale);
        const isPayment = kind === 'payment';
        if (isPayment && (situation !== 'PAID' || amount !== payload.amount)) throw new Error('Not as paid.');
      },
    }),
  },
  {
    does: 'lets the handler confirm payments',
    asksService: true,
    start: (client) => startHandler(undefined, client),
  },
  {
    does: 'is in the Fetch style: a Request in, a Response out',
    start: () => startHandler(undefined, undefined, fetchStyle),
  },
  {
    does: 'verifies and parses with the library, and keeps the keys itself',
    start: () => {
      const rows: Booked[] = [];
      const done = new Set<string>();
      return listen(
        async (request, response) => {
          if (!verifyAuthorization(request.headers.authorization, pair)) return response.writeHead(401).end();
          const { key, raw } = parseNotification({ url: request.url, body: await text(request) });
          if (!done.has(key)) book(rows, raw);
          done.add(key);
          return response.writeHead(200).end();
        },
        () => rows,
      );
    },
  },
  {
    does: 'is an Express application with a body parser',
    start: () => {
      const app = express();
      const rows: Booked[] = [];
      const done = new Set<string>();
      app.use(express.json({ limit: '1mb' }));
      app.post('/webhooks', ({ headers, body, path }, response) => {
        if (headers.authorization !== rightHeader) return void response.sendStatus(401);
        const kind = right.kindOf(new URL(path, 'http://listener.invalid'), body);
        const key = right.keyOf(kind, body);
        if (!done.has(key)) book(rows, body);
        done.add(key);
        response.json({ received: true });
      });
      return listen(app, () => rows);
    },
  },
  {
    does: 'writes to a durable inbox, and lets a worker confirm with the service and act',
    asksService: true,
    merchant: inbox(async (kind, payload, client) => {
      if (kind !== 'payment') return true;
      const { situation, amount } = await client.getTransaction(payload.saleToken);
      return situation === 'PAID' && amount === payload.amount;
    }),
  },
  {
    does: 'acts on payments alone, and says so',
    kinds: ['payment'],
    merchant: { bookedAs: (kind) => (kind === 'payment' ? kind : undefined) },
  },
];

function book(rows: Booked[], payload: Payload): void {
  const kind = right.bookedAs(right.kindOf(new URL('http://shop.invalid'), payload), payload);
  if (kind !== undefined) rows.push({ kind, subject: subjectOf(payload), amount: amountOf(payload) });
}

/** A row is written before the 200. A worker acts on it a moment later, and comes back to it until it can. */
function inbox(act: (kind: string, payload: Payload, client: PaymentsClient) => Promise<boolean>): Parts {
  return ({ client, rows: booked, done }) => {
    const rows = new Map<string, Payload>();
    const work = async () => {
      for (const [key, { kind, payload }] of rows) {
        if (done.has(key) || !(await act(kind, payload, client).catch(() => false))) continue;
        done.add(key);
        book(booked, payload);
      }
    };
    let working = Promise.resolve();
    const timer = setInterval(() => {
      working = working.then(work);
    }, 20);
    onTestsEnd(() => clearInterval(timer));
    return {
      bookedAs: () => undefined,
      effects: () => [...booked, ...[...rows.keys()].map(() => ({ kind: 'inbox' }))],
      keyOf: (kind, payload) => `${right.keyOf(kind, payload)} ${JSON.stringify({ kind, payload })}`,
      async once(keyAndRow) {
        const [key = '', row = ''] = keyAndRow.split(/ (.*)/s);
        if (done.has(key)) return 'seen';
        // What comes again takes the place of a row that nobody has acted on.
        rows.set(key, JSON.parse(row));
        return 'done';
      },
    };
  };
}

/** A Request in, a Response out, behind node:http. */
function fetchStyle(handler: WebhookHandler): RequestListener {
  return async (incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    const body = method === 'GET' ? undefined : await buffer(incoming);
    const init = { method, headers: headers as Record<string, string>, ...(body && { body }) };
    const response = await handler(new Request(`http://listener.invalid${url}`, init));
    outgoing.writeHead(response.status).end(await response.text());
  };
}

function startHandler(
  check: (notification: Notification) => void | Promise<void> = () => undefined,
  confirm?: PaymentsClient,
  toListener: (handler: WebhookHandler) => RequestListener = (handler) => handler,
) {
  const rows: Booked[] = [];
  const act = async (notification: Notification) => {
    await check(notification);
    book(rows, notification.raw);
  };
  const on = {
    payment: act,
    saleStatus: act,
    reversal: act,
    refund: act,
    payout: act,
    unrecognized: () => undefined,
  };
  const handler = createWebhookHandler({
    credentials: pair,
    store: new MemoryStore(),
    on,
    confirm,
    onReport: () => undefined,
  });
  return listen(toListener(handler), () => rows);
}
