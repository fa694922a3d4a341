// Checked only by `tsc`: the handler goes, as it is, where each framework and host takes a function.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { All, Controller, type INestApplication } from '@nestjs/common';
import express, { type RequestHandler } from 'express';
import express4 from 'express4';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import type { PlainResponse, WebhookHandler } from 'pix-automatic-sdk/webhooks';
import { type Equal, isTrue } from './equal';

declare const handler: WebhookHandler;
declare const request: Request;

// Each call has the result of its own form.
const withRequest = () => handler(request);
isTrue<Equal<ReturnType<typeof withRequest>, Promise<Response>>>();
const withPair = (req: IncomingMessage, res: ServerResponse) => handler(req, res);
isTrue<Equal<ReturnType<typeof withPair>, Promise<void>>>();
// `Parameters` and `ReturnType` read the last signature.
isTrue<Equal<Parameters<WebhookHandler>, [request: Request]>>();
isTrue<Equal<ReturnType<WebhookHandler>, Promise<Response>>>();
// @ts-expect-error: a response is missing
handler({ method: 'POST', url: '/', headers: {} });
// @ts-expect-error: no framework passes these
handler({ body: '{}' }, {});

createServer(handler);
createServer({ keepAlive: true }, handler).on('request', handler);
createHttp2Server(handler);

for (const app of [express(), express4()]) {
  app.post('/webhooks', handler);
  app.all('/webhooks', express.json(), handler);
  app.use('/webhooks', handler);
  app.use(handler);
  app.route('/webhooks').post(handler);
}
void (handler satisfies RequestHandler);
express.Router().post('/:tenant/webhooks', handler);

export function nest(app: INestApplication): void {
  app.use('/webhooks', handler);
}
class WebhooksController {
  receive(req: express.Request, res: express.Response): Promise<void> {
    return handler(req, res);
  }
}
Controller('webhooks')(WebhooksController);
All()(WebhooksController.prototype, 'receive', {});

new Hono().all('/webhooks', (c) => handler(c.req.raw)).mount('/mounted', handler);
fastify().all('/webhooks', async (req, reply) => {
  const { status, headers, body } = await handler.handle(req);
  return reply.code(status).headers(headers).send(body);
});
fastify().all('/raw', async (req, reply) => {
  reply.hijack();
  await handler(req.raw, reply.raw);
});
new Koa().use(async ({ method, url, headers, req }) => {
  isTrue<Equal<PlainResponse, Awaited<ReturnType<typeof handler.handle>>>>();
  await handler.handle({ method, url, headers, body: req });
});

// Bun, Deno and Workers, in the form of their own declarations.
interface Server {
  upgrade(request: Request): boolean;
}
void ({ fetch: handler } satisfies {
  fetch: (this: Server, req: Request, server: Server) => Response | Promise<Response>;
});
declare function serve(
  handler: (request: Request, info: { remoteAddr: object }) => Response | Promise<Response>,
): void;
declare function serve(options: { port?: number }, handler: () => Response | Promise<Response>): void;
serve(handler);
void ({ fetch: handler } satisfies {
  fetch?: (
    request: Request & { cf?: object },
    env: { DB: object },
    ctx: object,
  ) => Response | Promise<Response>;
});

// Next.js, pages router. Its app router is in `next-route.types.ts`.
void (handler satisfies (req: IncomingMessage & { body: unknown }, res: ServerResponse) => unknown);
