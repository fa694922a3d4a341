import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import type { PaymentsClient } from 'pix-automatic-sdk';
import { listen } from '../listen';
import { type Payload, rightHeader } from '../merchant';
import type { Listener, WrongListener } from '../verify-listener';
import { Books } from './books';

type Route = (request: Request) => Response | Promise<Response>;

/** A route handler, as Next.js and others call it: it gets a `Request` and returns a `Response`. */
function route(make: (books: Books, client: PaymentsClient) => Route): Pick<Listener, 'start'> {
  return {
    start(client) {
      const books = new Books();
      return listen(getRequestListener(make(books, client)), () => books.read());
    },
  };
}

const ok = () => Response.json({ ok: true });
const unauthorized = () => new Response(null, { status: 401 });
const isRight = (request: Request) => request.headers.get('authorization') === rightHeader;

/** Right, except for what is done with a payload. */
function booking(act: (payload: Payload, books: Books) => Response | Promise<Response>) {
  return route((books) => async (request) => {
    if (request.method !== 'POST' || !isRight(request)) return unauthorized();
    return act(await request.json(), books);
  });
}

/** Right, except for its answer to wrong credentials, or for what it takes for right ones. */
function guarding(isLetIn: (request: Request) => boolean, refuse: (request: Request) => Response) {
  return route((books) => async (request) => {
    if (request.method !== 'POST' || !isLetIn(request)) return refuse(request);
    books.book(await request.json());
    return ok();
  });
}

/** A Hono application: its middleware lets in, and its route books. */
function inHono(book: (payload: Payload, books: Books) => void): Pick<Listener, 'start'> {
  return {
    start() {
      const books = new Books();
      const app = new Hono();
      app.use('/webhooks', async (context, next) =>
        isRight(context.req.raw) ? next() : context.body(null, 401),
      );
      app.post('/webhooks', async (context) => {
        book(await context.req.json(), books);
        return context.json({ ok: true });
      });
      return listen(getRequestListener(app.fetch), () => books.read());
    },
  };
}

export const wrongRouteHandlers: readonly WrongListener[] = [
  {
    does: 'takes `referenceCode` and amount for the key of a payment and of its refunds (Hono)',
    step: 'secondRefund',
    cause: 'reference code or amount',
    ...inHono((payload, books) =>
      books.book(payload, payload.refund ? `${payload.referenceCode} ${payload.refund.amount}` : undefined),
    ),
  },
  {
    does: 'takes everything with the status PAID for a payment (route handler)',
    step: 'refund',
    cause: 'not told from a payment',
    laterCauses: { unknownKinds: 'a status' },
    ...booking((payload, books) => {
      const status = payload.newStatus ?? payload.status;
      books.book(payload, undefined, status === 'PAID' ? 'payment' : books.kindOf(payload));
      return ok();
    }),
  },
  {
    does: 'shares the work of equal notifications only while it runs (route handler)',
    step: 'again',
    cause: 'no key is recorded',
    ...route((books) => {
      const running = new Map<string, Promise<void>>();
      return async (request) => {
        if (!isRight(request)) return unauthorized();
        const payload = await request.json();
        const key = books.keyOf(payload);
        const work =
          running.get(key) ??
          new Promise<void>((resolve) => setTimeout(resolve, 20)).then(() => books.add(payload));
        running.set(key, work);
        await work.finally(() => running.delete(key));
        return ok();
      };
    }),
  },
  {
    does: 'sends whoever has no credentials to its login (route handler)',
    step: 'pairs',
    cause: 'a redirect',
    ...guarding(isRight, (request) => Response.redirect(new URL('/login', request.url), 302)),
  },
];

export const rightRouteHandlers: readonly Listener[] = [
  { does: 'is a Hono application (Hono)', ...inHono((payload, books) => books.book(payload)) },
  {
    does: 'is a Hono application that knows what it has seen by its own key (Hono)',
    ...inHono((payload, books) => books.book(payload, `${books.keyOf(payload)} of mine`)),
  },
  {
    does: 'answers 503 with `Retry-After` to a second one at the same time (route handler)',
    ...route((books) => {
      const running = new Set<string>();
      return async (request) => {
        if (!isRight(request)) return unauthorized();
        const payload = await request.json();
        const key = books.keyOf(payload);
        if (running.has(key)) return new Response(null, { status: 503, headers: { 'retry-after': '1' } });
        running.add(key);
        await new Promise((resolve) => setTimeout(resolve, 5));
        books.book(payload);
        running.delete(key);
        return new Response('a'.repeat(20_000));
      };
    }),
  },
  {
    does: 'lets nobody in by another method, and says nothing (route handler)',
    ...guarding(
      (request) => request.headers.get('Authorization') === rightHeader,
      () => new Response(null, { status: 403 }),
    ),
  },
];
