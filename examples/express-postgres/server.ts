// A whole merchant: subscriptions, the listener, and what the support staff see.
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler } from 'express';
import { InvalidRequestError } from 'pix-automatic-sdk';
import { OrderConflictError } from 'pix-automatic-sdk/orders';
import { pool } from './database.js';
import { openCases, orders, subscribe } from './shop.js';

const app = express();
app.use(express.json({ limit: '1mb' })); // may come before or after the listener, which also takes a parsed body
app.post('/webhooks', orders.webhook);

app.post('/subscriptions', async (request, response) => {
  response.json(await subscribe(request.body.referenceCode));
});

// For your staff only: put these two behind your own login.
app.get('/support', async (_request, response) => {
  response.json(await openCases());
});
// `{ id, decision: 'book' | 'dismiss' }`, and where the case needs it `order`, `amount`, or `evenIfPaid` for money that you
// have sent back.
app.post('/support/decide', async (request, response) => {
  const { id, decision, order, amount, evenIfPaid } = request.body;
  response.json(await orders.decide(id, decision, { order, amount, evenIfPaid }));
});

// Whatever went wrong, nobody has seen a second QR code: the payer may try again.
const answerError: ErrorRequestHandler = (error, _request, response, _next) => {
  console.error(error);
  if (error instanceof InvalidRequestError) {
    response.status(422).json({ issues: error.issues });
    return;
  }
  response.status(error instanceof OrderConflictError ? 409 : 503).json({ error: 'Please try again.' });
};
app.use(answerError);

const server = app.listen(Number(process.env['PORT'] ?? 3000), () => {
  console.log(`Listening on http://localhost:${(server.address() as AddressInfo).port}`);
});

process.once('SIGTERM', async () => {
  await orders.stop(); // waits for running callbacks, and answers 503 to new notifications
  server.close(() => pool.end());
});
