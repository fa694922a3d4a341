import { fastify } from 'fastify';
import { notificationRequest } from 'pix-automatic-sdk/testing';
import { createWebhookHandler } from 'pix-automatic-sdk/webhooks';
import { expect, onTestFinished, test } from 'vitest';
import { testFramework } from './checks';

testFramework('Fastify 5, after its own JSON parser', async (handler) => {
  const app = fastify();
  app.all('/webhooks', async (request, reply) => {
    const { status, headers, body } = await handler.handle(request);
    return reply.code(status).headers(headers).send(body);
  });

  onTestFinished(() => app.close());
  return `${await app.listen({ host: '127.0.0.1', port: 0 })}/webhooks`;
});

testFramework('Fastify 5, with the body left to the handler', async (handler) => {
  const app = fastify();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  app.all('/webhooks', async (request, reply) => {
    const { status, headers, body } = await handler.handle(request);
    return reply.code(status).headers(headers).send(body);
  });

  onTestFinished(() => app.close());
  return `${await app.listen({ host: '127.0.0.1', port: 0 })}/webhooks`;
});

test('Fastify 5 drains before it closes: a running callback ends with 200', async () => {
  const credentials = { apiKey: 'key', apiToken: 'token' };
  let begin = () => {};
  let end = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const payment = async () => {
    begin();
    await held;
  };
  const handler = createWebhookHandler({ credentials, on: { payment } });
  const app = fastify();
  app.all('/webhooks', async (request, reply) => {
    const { status, headers, body } = await handler.handle(request);
    return reply.code(status).headers(headers).send(body);
  });
  let drained = false;
  app.addHook('preClose', async () => {
    await handler.drain();
    drained = true;
  });
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });

  const { url, ...init } = await partsOf(notificationRequest('payment', {}, credentials));
  const send = () => fetch(`${origin}/webhooks${new URL(url).search}`, init);
  const first = send();
  await begun;
  const closed = app.close();
  expect((await send()).status).toBe(503);
  expect(drained).toBe(false);
  end();
  expect((await first).status).toBe(200);
  await closed;
  expect(drained).toBe(true);
});

async function partsOf(request: Request) {
  const { url, method, headers } = request;
  return { url, method, headers, body: await request.text() };
}
