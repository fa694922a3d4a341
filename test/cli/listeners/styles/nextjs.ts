import { getRequestListener } from '@hono/node-server';
import type { PaymentsClient } from 'pix-automatic-sdk';
import { createWebhookHandler, MemoryStore } from 'pix-automatic-sdk/webhooks';
import { listen } from '../listen';
import { type Payload, pair, rightHeader } from '../merchant';
import type { Listener, WrongListener } from '../verify-listener';
import { Books } from './books';

type RouteHandler = (
  request: Request,
  context: { params: Promise<Record<string, string | string[]>> },
) => Response | Promise<Response>;

/** What `app/webhooks/route.ts` exports: a function for each method. */
type Route = Readonly<Record<string, RouteHandler>>;

/** What a route gets at hand in its module. */
interface Module {
  readonly books: Books;
  readonly client: PaymentsClient;
  /** The URL of the service. */
  readonly service: string;
}

/** Calls the function named like the method, and answers 405 where there is none, as Next.js does. */
function inNext(routeOf: (module: Module) => Route): Pick<Listener, 'start'> {
  return {
    start(client, service) {
      const books = new Books();
      const route = routeOf({ books, client, service });
      const context = { params: Promise.resolve({}) };
      return listen(
        getRequestListener(
          (request) => route[request.method]?.(request, context) ?? new Response(null, { status: 405 }),
        ),
        () => books.read(),
      );
    },
  };
}

const isRight = (request: Request) => request.headers.get('authorization') === rightHeader;

/** Right, except for what it does with a payload. */
function posting(act: (payload: Payload, module: Module) => unknown): Pick<Listener, 'start'> {
  return inNext((module) => ({
    async POST(request) {
      if (!isRight(request)) return Response.json({ error: 'Unauthorized' }, { status: 401 });
      await act(await request.json(), module);
      return Response.json({ received: true });
    },
  }));
}

/** Asks the service through `fetch`, and books what it says is paid. */
function asking(): Pick<Listener, 'start'> {
  const headers = { 'x-api-key': pair.apiKey, 'x-api-token': pair.apiToken };
  return posting(async (payload, { books, service }) => {
    if (books.kindOf(payload) === 'payment') {
      const answer = await fetch(`${service}/v1.1/transactions/${payload.saleToken}`, { headers });
      const { situation, amount, referenceCode } = (await answer.json()) as Payload;
      const isOrder = payload.referenceCode === referenceCode;
      if (situation !== 'PAID' || amount !== payload.amount || !isOrder) throw new Error('Not confirmed.');
    }
    books.book(payload);
  });
}

export const wrongInNext: readonly WrongListener[] = [
  {
    does: 'reads the text of a request for its log, and then its JSON (Next.js)',
    step: 'first',
    cause: 'read or parsed twice',
    ...inNext(({ books }) => ({
      async POST(request) {
        if (!isRight(request)) return new Response(null, { status: 401 });
        await request.text();
        books.book(await request.json());
        return new Response();
      },
    })),
  },
];

export const rightInNext: readonly Listener[] = [
  { does: 'exports POST alone (Next.js)', ...posting((payload, { books }) => books.book(payload)) },
  {
    does: 'asks the service through `fetch` (Next.js)',
    asksService: true,
    ...asking(),
  },
  {
    does: "exports this library's handler as POST (Next.js)",
    ...inNext(({ books }) => {
      const book = ({ raw }: { raw: unknown }) => books.add(raw as Payload);
      const on = { payment: book, refund: book, reversal: book, payout: book };
      return {
        POST: createWebhookHandler({
          credentials: pair,
          store: new MemoryStore(),
          on: { ...on, saleStatus: () => {}, unrecognized: () => {} },
          onReport: () => {},
        }),
      };
    }),
  },
];
