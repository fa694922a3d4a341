import express, { type Express, type Request, type RequestHandler } from 'express';
import type { PaymentsClient } from 'pix-automatic-sdk';
import { listen } from '../listen';
import { rightHeader } from '../merchant';
import type { Listener, WrongListener } from '../verify-listener';
import { Books } from './books';

type Build = (app: Express, books: Books, client: PaymentsClient) => void;

function inExpress(build: Build): Pick<Listener, 'start'> {
  return {
    start(client) {
      const app = express();
      const books = new Books();
      build(app, books, client);
      // Express prints what it does not expect, unless an error handler answers.
      app.use(((error, _request, response, _next) => {
        response.sendStatus(error.status ?? 500);
      }) as express.ErrorRequestHandler);
      return listen(app, () => books.rows);
    },
  };
}

const authenticate: RequestHandler = (request, response, next) => {
  if (isRight(request)) next();
  else response.sendStatus(401);
};

function isRight(request: Request): boolean {
  return request.headers.authorization === rightHeader;
}

const json = express.json({ limit: '1mb' });

/** Right, except for what stands before the booking. */
function booking(app: Express, books: Books, ...before: RequestHandler[]): void {
  app.post('/webhooks', ...before, (request, response) => {
    books.book(request.body);
    response.sendStatus(200);
  });
}

export const wrongInExpress: readonly WrongListener[] = [
  {
    // As long as a cache lasts; counted, so that a busy machine changes nothing.
    does: 'remembers what it has acted on for the next 20 requests (Express)',
    step: 'allAgain',
    cause: 'only the latest keys',
    ...inExpress((app, books) => {
      const recent = new Map<string, number>();
      let requests = 0;
      app.post('/webhooks', authenticate, json, (request, response) => {
        requests += 1;
        const key = books.keyOf(request.body);
        const last = recent.get(key) ?? -Infinity;
        recent.set(key, requests);
        if (requests - last > 20) books.add(request.body);
        response.sendStatus(200);
      });
    }),
  },
  {
    does: 'stores cents as `BigInt(amount * 100)` (Express)',
    step: 'cents',
    cause: 'not rounded',
    ...inExpress((app, books) => {
      app.post('/webhooks', authenticate, json, (request, response) => {
        const { amount } = request.body;
        if (amount !== undefined) BigInt(amount * 100);
        books.book(request.body);
        response.sendStatus(200);
      });
    }),
  },
  {
    does: 'answers 401 and goes on (Express)',
    step: 'pairs',
    cause: 'goes on all the same',
    ...inExpress((app, books) => {
      booking(app, books, json, (request, response, next) => {
        if (!isRight(request)) {
          response.sendStatus(401);
          response.sendStatus = () => response;
        }
        next();
      });
    }),
  },
  {
    does: 'answers 200 to whatever it fails at (Express)',
    step: 'leftOut',
    cause: 'read without care',
    ...inExpress((app, books) => {
      app.post('/webhooks', authenticate, json, (request, response) => {
        try {
          if (books.kindOf(request.body) === 'payment') request.body.shopper.email.toLowerCase();
          books.book(request.body);
        } catch {}
        response.sendStatus(200);
      });
    }),
  },
  {
    does: 'is down behind its balancer: 503 (Express)',
    step: 'first',
    cause: 'it is down',
    ...inExpress((app) => {
      app.use((_request, response) => void response.sendStatus(503));
    }),
  },
  {
    does: 'redirects requests with a query (Express)',
    step: 'refund',
    cause: 'takes no query',
    ...inExpress((app, books) => {
      app.use((request, response, next) => {
        if (request.originalUrl.includes('?')) response.redirect(308, request.path);
        else next();
      });
      booking(app, books, authenticate, json);
    }),
  },
];

export const rightInExpress: readonly Listener[] = [
  {
    does: 'keeps cents as whole numbers, and compares them with the service (Express)',
    asksService: true,
    ...inExpress((app, books, client) => {
      const cents = (amount: number) => Math.round(amount * 100);
      app.post(
        '/webhooks',
        authenticate,
        express.raw({ type: '*/*', limit: '1mb' }),
        async (request, response) => {
          const payload = JSON.parse(request.body.toString('utf8'));
          if (books.kindOf(payload) === 'payment') {
            const sale = await client.getTransaction(payload.saleToken);
            const isSame = cents(sale.amount ?? 0) === cents(payload.amount);
            const isItsOrder = (payload.referenceCode ?? sale.referenceCode) === sale.referenceCode;
            if (sale.situation !== 'PAID' || !isSame || !isItsOrder) return void response.sendStatus(503);
          }
          books.book(payload);
          response.status(200).type('html').send('<p>Obrigado</p>');
        },
      );
    }),
  },
  {
    does: 'hides its route from whoever has no credentials, with 404 (Express)',
    ...inExpress((app, books) => {
      booking(app, books, (request, _response, next) => next(isRight(request) ? undefined : 'route'), json);
      app.use((_request, response) => void response.sendStatus(404));
    }),
  },
];
