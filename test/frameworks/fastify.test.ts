import { fastify } from 'fastify';
import { onTestFinished } from 'vitest';
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
