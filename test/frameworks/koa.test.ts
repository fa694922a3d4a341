import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import Koa from 'koa';
import { listen } from '../helpers/listen';
import { testFramework } from './checks';

testFramework('Koa 3', async (handler) => {
  const app = new Koa();
  app.use(async ({ method, url, headers, req, response }) => {
    const { body, ...init } = await handler.handle({ method, url, headers, body: req });
    response.body = new Response(body, init);
  });

  return `${await listen(createServer(app.callback()))}/webhooks`;
});

testFramework('Koa 3, after a body parser', async (handler) => {
  const app = new Koa();
  app.use(parseBody);
  app.use(async ({ method, url, headers, request, response }) => {
    const { body, ...init } = await handler.handle({ method, url, headers, body: request.body });
    response.body = new Response(body, init);
  });

  return `${await listen(createServer(app.callback()))}/webhooks`;
});

declare module 'koa' {
  interface Request {
    body?: unknown;
  }
}

/** Koa has no body parser. This one leaves the object on `ctx.request`, as `@koa/bodyparser` does. */
async function parseBody(ctx: Koa.Context, next: Koa.Next): Promise<void> {
  const body = await text(ctx.req);
  if (body.length > 1024 * 1024) ctx.throw(413);
  ctx.request.body = body === '' ? {} : JSON.parse(body);
  await next();
}
