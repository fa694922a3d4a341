import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { confirmPayment, PaymentsClient } from 'pix-automatic-sdk';
import {
  createWebhookHandler,
  MemoryStore,
  type Notification,
  parseNotification,
  toNodeListener,
  verifyAuthorization,
  type WebhookHandler,
} from 'pix-automatic-sdk/webhooks';
import { listen, onTestsEnd, type TestListener } from './listen';
import { type Payload, pair, right, rightHeader, startMerchant } from './merchant';

/** A listener without a mistake, which must pass all checks. */
export interface RightListener {
  /** Completes "A listener that …". */
  readonly does: string;
  readonly asksService: boolean;
  /** The checks that its count of actions cannot answer. */
  readonly open?: readonly string[];
  /** @param service - the base URL of a sandbox */
  start(service: string): Promise<TestListener>;
}

export const rightListeners: readonly RightListener[] = [
  {
    does: 'uses createWebhookHandler with a MemoryStore',
    asksService: false,
    start: () => startHandler(),
  },
  {
    does: 'confirms payments with the service, as the README advises',
    asksService: true,
    start(service) {
      const client = new PaymentsClient({ baseUrl: service, ...pair, maxRetries: 0 });
      return startHandler(async (notification) => {
        if (notification.kind !== 'payment') return;
        const { confirmed, differences } = await confirmPayment(client, notification);
        if (!confirmed)
          throw new Error(`Not as notified: ${differences.map(({ field }) => field).join(', ')}`);
      });
    },
  },
  {
    does: 'is written by hand',
    asksService: false,
    start: () => startMerchant({}),
  },
  {
    does: 'is written by hand, and refuses orders that it does not know',
    asksService: true,
    start(service) {
      const client = new PaymentsClient({ baseUrl: service, ...pair, maxRetries: 0 });
      return startMerchant({
        async work(kind, payload) {
          const sale = payload.saleToken ?? payload.sale?.uuid;
          if (sale === undefined || payload.event) return;
          // The service answers 404 to an unknown sale, and the client throws.
          const { situation, amount } = await client.getTransaction(sale);
          const isPayment = kind === 'payment';
          if (isPayment && (situation !== 'PAID' || amount !== payload.amount))
            throw new Error('Not as paid.');
        },
      });
    },
  },
  {
    does: 'is written by hand, and answers duplicates with another text',
    asksService: false,
    start: () =>
      startMerchant({
        respond: (response, outcome) => response.writeHead(outcome === 'busy' ? 503 : 200).end(outcome),
      }),
  },
  {
    does: 'is written by hand, and does nothing about payouts and unknown kinds',
    asksService: false,
    start: () =>
      startMerchant(({ counts }) => {
        delete counts['payout'];
        return {
          countedAs: (kind) => (kind === 'payout' || kind === 'unrecognized' ? undefined : kind),
        };
      }),
  },
  {
    does: 'is written by hand, and refuses refunds of payments that it has not seen',
    asksService: false,
    start: () => {
      const paid = new Set<string>();
      return startMerchant({
        work(kind, payload) {
          if (kind === 'payment') paid.add(payload.saleToken);
          const sale = kind === 'refund' ? payload.saleToken : payload.sale?.uuid;
          if (sale !== undefined && !paid.has(sale)) throw new Error('There is no such payment.');
        },
      });
    },
  },
  {
    does: 'is written by hand, and locks out who has sent ten wrong credentials',
    asksService: false,
    start: () => {
      let refused = 0;
      return startMerchant({
        isLetIn(header) {
          const isRight = header === rightHeader && refused < 10;
          if (!isRight) refused++;
          return isRight;
        },
        refuse: (response) => response.writeHead(refused > 10 ? 429 : 401).end(),
      });
    },
  },
  {
    does: 'lets the handler confirm payments',
    asksService: true,
    start(service) {
      const client = new PaymentsClient({ baseUrl: service, ...pair, maxRetries: 0 });
      return startHandler(undefined, client);
    },
  },
  {
    does: 'is in the Fetch style: a Request in, a Response out',
    asksService: false,
    start: () => startHandler(undefined, undefined, fetchStyle),
  },
  {
    does: 'verifies and parses with the library, and keeps the keys itself',
    asksService: false,
    start: () => {
      const counts = emptyCounts();
      const done = new Set<string>();
      return listen(
        async (request, response) => {
          if (!verifyAuthorization(request.headers.authorization, pair)) return response.writeHead(401).end();
          const { kind, key } = parseNotification({ url: request.url, body: await text(request) });
          if (kind !== 'unrecognized' && !done.has(key)) counts[kind] = (counts[kind] ?? 0) + 1;
          done.add(key);
          return response.writeHead(200).end();
        },
        () => counts,
      );
    },
  },
  {
    does: 'is an Express application with a body parser',
    asksService: false,
    start: () => {
      const app = express();
      const counts = emptyCounts();
      const done = new Set<string>();
      app.use(express.json());
      app.post('/webhooks', ({ headers, body, path }, response) => {
        if (headers.authorization !== rightHeader) return void response.sendStatus(401);
        const kind = right.kindOf(new URL(path, 'http://listener.invalid'), body);
        const key = right.keyOf(kind, body);
        if (kind !== 'unrecognized' && !done.has(key)) counts[kind] = (counts[kind] ?? 0) + 1;
        done.add(key);
        response.json({ received: true });
      });
      return listen(app, () => counts);
    },
  },
  {
    does: 'writes to a durable inbox, and counts its rows by kind',
    asksService: false,
    start: () => {
      const rows = new Map<string, string>();
      const count = () => {
        const counts = emptyCounts();
        for (const kind of rows.values()) counts[kind] = (counts[kind] ?? 0) + 1;
        return counts;
      };
      return startMerchant(
        {
          countedAs: () => undefined,
          async once(key) {
            if (rows.has(key)) return 'seen';
            rows.set(key, key.split(':')[0] ?? '');
            return 'done';
          },
        },
        count,
      );
    },
  },
  {
    does: 'writes to a durable inbox, and lets a worker act, who is counted apart from it',
    asksService: false,
    start: () => startInbox(async () => true),
  },
  {
    does: 'writes to a durable inbox, and lets a worker confirm with the service and act',
    asksService: true,
    start(service) {
      const client = new PaymentsClient({ baseUrl: service, ...pair, maxRetries: 0 });
      return startInbox(async (kind, payload) => {
        if (kind !== 'payment') return true;
        const { situation, amount } = await client.getTransaction(payload.saleToken);
        return situation === 'PAID' && amount === payload.amount;
      });
    },
  },
  {
    does: 'counts only the kinds that it has seen, as GROUP BY does',
    asksService: false,
    start: () =>
      startMerchant(({ counts }) => {
        for (const kind of Object.keys(counts)) delete counts[kind];
        return {};
      }),
  },
  {
    does: 'also counts its requests, which are no actions',
    asksService: false,
    start: () =>
      startMerchant(({ counts }) => ({
        isLetIn(...args) {
          counts['requests'] = (counts['requests'] ?? 0) + 1;
          return right.isLetIn(...args);
        },
      })),
  },
  {
    does: 'also counts bodies of no known kind, which it keeps',
    asksService: false,
    start: () => startMerchant({ countedAs: (kind) => kind }),
  },
  {
    does: 'counts all that it does in one number',
    asksService: false,
    open: ['right-kind'],
    start: () => {
      let total = 0;
      return startMerchant(
        { work: (kind) => void (kind === 'unrecognized' || total++), countedAs: () => undefined },
        () => total,
      );
    },
  },
  {
    does: 'counts failed payouts apart',
    asksService: false,
    start: () =>
      startMerchant(({ counts }) => {
        counts['payoutFailed'] = 0;
        return {
          countedAs: (kind, payload) =>
            payload.success === false ? 'payoutFailed' : right.countedAs(kind, payload),
        };
      }),
  },
  {
    does: 'acts on payments alone, and counts nothing else',
    asksService: false,
    start: () =>
      startMerchant(({ counts }) => {
        for (const kind of Object.keys(counts)) if (kind !== 'payment') delete counts[kind];
        return { countedAs: (kind) => (kind === 'payment' ? kind : undefined) };
      }),
  },
  {
    does: 'acts on reversals only when they are over, and keeps to the newest state',
    asksService: false,
    start: () =>
      startMerchant({
        countedAs: (kind, payload) =>
          kind === 'reversal' && payload.status === 'PENDING' ? undefined : right.countedAs(kind, payload),
      }),
  },
  {
    does: 'answers with many headers and a long text',
    asksService: false,
    start: () =>
      startMerchant({
        respond: (response, outcome) =>
          response
            .writeHead(outcome === 'busy' ? 503 : 200, { 'x-request-id': randomUUID(), server: 'shop/1.0' })
            .end(`<html>${'<p>Obrigado.</p>'.repeat(500)}</html>`),
      }),
  },
  {
    does: 'answers 403 to wrong credentials, after a while',
    asksService: false,
    start: () =>
      startMerchant({ refuse: (response) => void setTimeout(() => response.writeHead(403).end(), 30) }),
  },
  {
    does: 'answers GET with 200, as a health check, and other methods with 405',
    asksService: false,
    start: () =>
      startMerchant({
        isLetIn: (header, url, method) => method === 'POST' && right.isLetIn(header, url, method),
        refuse: (response, _header, method) =>
          response.writeHead(method === 'GET' ? 200 : method === 'POST' ? 401 : 405).end(),
      }),
  },
  {
    does: 'takes one notification at a time, and answers 503 to the others meanwhile',
    asksService: false,
    start: () =>
      startMerchant({
        async once(key, act, shop) {
          if (shop.running.size > 0) return 'busy';
          return right.once(key, () => sleep(5).then(act), shop);
        },
      }),
  },
  {
    does: 'takes its time for each notification',
    asksService: false,
    start: () => startMerchant({ work: () => sleep(20) }),
  },
  {
    does: 'takes bodies of up to 100 KB in pieces',
    asksService: false,
    start: () =>
      startMerchant({
        async read(request) {
          const pieces: Buffer[] = [];
          for await (const piece of request) pieces.push(piece);
          const body = Buffer.concat(pieces);
          if (body.length > 100 * 1024) throw new Error('Too large.');
          return body.toString();
        },
      }),
  },
];

function emptyCounts(): Record<string, number> {
  return { payment: 0, saleStatus: 0, reversal: 0, refund: 0, payout: 0 };
}

/** A row is written before the 200. A worker acts on it a moment later, and comes back to it until it can. */
function startInbox(act: (kind: string, payload: Payload) => Promise<boolean>): Promise<TestListener> {
  const inbox = new Map<string, Payload>();
  const done = new Set<string>();
  const counts = { ...emptyCounts(), inbox: 0 } as Record<string, number>;
  const work = async () => {
    for (const [key, { kind, payload }] of inbox) {
      if (done.has(key) || !(await act(kind, payload).catch(() => false))) continue;
      done.add(key);
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
  };
  let working = Promise.resolve();
  const timer = setInterval(() => {
    working = working.then(work);
  }, 20);
  onTestsEnd(() => clearInterval(timer));
  return startMerchant(
    {
      countedAs: () => undefined,
      keyOf: (kind, payload) => `${right.keyOf(kind, payload)} ${JSON.stringify({ kind, payload })}`,
      async once(keyAndRow) {
        const [key = '', row = ''] = keyAndRow.split(/ (.*)/s);
        if (done.has(key)) return 'seen';
        if (!inbox.has(key)) counts['inbox'] = (counts['inbox'] ?? 0) + 1;
        // What comes again takes the place of a row that nobody has acted on.
        inbox.set(key, JSON.parse(row));
        return 'done';
      },
    },
    () => counts,
  );
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
  toListener: (handler: WebhookHandler) => RequestListener = toNodeListener,
) {
  const counts = emptyCounts();
  const act = async (notification: Notification) => {
    await check(notification);
    counts[notification.kind] = (counts[notification.kind] ?? 0) + 1;
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
  return listen(toListener(handler), () => counts);
}
