import fastify, { type FastifyInstance, type FastifySchema, type FastifyServerOptions } from 'fastify';
import type { PaymentsClient } from 'pix-automatic-sdk';
import { listen } from '../listen';
import { type Payload, rightHeader } from '../merchant';
import type { Listener, WrongListener } from '../verify-listener';
import { Books } from './books';

type Build = (app: FastifyInstance, books: Books, client: PaymentsClient) => void;

function inFastify(
  build: Build,
  options: FastifyServerOptions = {},
  effects: (books: Books) => unknown = (books) => books.rows,
): Pick<Listener, 'start'> {
  return {
    async start(client) {
      const app = fastify(options);
      const books = new Books();
      app.addHook('onRequest', async (request, reply) => {
        if (request.headers.authorization !== rightHeader) return reply.code(401).send();
      });
      build(app, books, client);
      await app.ready();
      return listen(app.routing, () => effects(books));
    },
  };
}

const ok = { received: true };

/** Right, except for its schema and its options. */
function booking(schema: FastifySchema = {}): Build {
  return (app, books) => {
    app.post('/webhooks', { schema }, (request) => {
      books.book(request.body as Payload);
      return ok;
    });
  };
}

export const wrongInFastify: readonly WrongListener[] = [
  {
    does: 'has a schema in which an amount is a whole number (Fastify)',
    step: 'cents',
    cause: 'of whole numbers',
    ...inFastify(booking({ body: { type: 'object', properties: { amount: { type: 'integer' } } } })),
  },
  {
    does: 'has a schema that requires a shopper (Fastify)',
    step: 'refund',
    cause: 'requires fields of a payment',
    ...inFastify(booking({ body: { type: 'object', required: ['shopper'] } })),
  },
  {
    does: 'keeps what the service said for five minutes (Fastify)',
    step: 'paidSince',
    cause: 'the answer of the service',
    asksService: true,
    ...inFastify((app, books, client) => {
      const cache = new Map<string, Promise<Payload>>();
      app.post('/webhooks', async (request, reply) => {
        const body: Payload = request.body;
        if (books.kindOf(body) === 'payment') {
          const asked = cache.get(body.saleToken) ?? client.getTransaction(body.saleToken);
          cache.set(body.saleToken, asked);
          asked.catch(() => cache.delete(body.saleToken));
          const sale = await asked;
          const isRight = sale.situation === 'PAID' && sale.amount === body.amount;
          if (!isRight) return reply.code(503).send();
        }
        books.book(body);
        return ok;
      });
    }),
  },
  {
    does: 'records the reference code of an order alone (Fastify)',
    step: 'refund',
    cause: 'or reference code',
    ...inFastify((app, books) => {
      app.post('/webhooks', (request) => {
        const body: Payload = request.body;
        books.book(body, body.referenceCode ?? books.keyOf(body));
        return ok;
      });
    }),
  },
  {
    does: 'compares `amount * 100` with the cents of its order (Fastify)',
    step: 'cents',
    cause: 'not rounded',
    asksService: true,
    ...inFastify((app, books, client) => {
      app.post('/webhooks', async (request, reply) => {
        const body: Payload = request.body;
        if (books.kindOf(body) === 'payment') {
          const sale = await client.getTransaction(body.saleToken);
          const cents = Math.round((sale.amount ?? 0) * 100);
          if (sale.situation !== 'PAID' || body.amount * 100 !== cents) return reply.code(503).send();
        }
        books.book(body);
        return ok;
      });
    }),
  },
];

export const rightInFastify: readonly Listener[] = [
  {
    does: 'does one thing after the other, in a queue of its own (Fastify)',
    ...inFastify((app, books) => {
      let last: Promise<void> = Promise.resolve();
      app.post('/webhooks', async (request) => {
        const body: Payload = request.body;
        last = last.then(async () => {
          await new Promise((resolve) => setTimeout(resolve, 3));
          books.book(body);
        });
        await last;
        return ok;
      });
    }),
  },
  {
    does: 'has rows of its own kinds, too (Fastify)',
    ...inFastify(booking(), {}, ({ rows }) => [{ kind: 'signup', plan: 'coffee', amount: 'none' }, ...rows]),
  },
];
