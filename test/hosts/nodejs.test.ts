import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type HttpHandler, HttpRequest } from '@azure/functions';
import { expect, vi } from 'vitest';
import { testHost } from './checks';
import { functionUrl, type Gateway, restApi, serveLambda } from './gateways';
import { bin, here, hostOf, serveListener, startProgram } from './serve';

testHost('Google Cloud Functions, over the Functions Framework', () =>
  startProgram(here('.'), (port) => [
    bin('functions-framework'),
    '--source=google.mjs',
    '--target=webhooks',
    `--port=${port}`,
  ]),
);

testHost('Azure Functions, programming model v4', async () => {
  const handler = await registeredInAzure();
  const server = createServer(async (request, response) => {
    // As the worker makes its request from the host's.
    const bytes = await buffer(request);
    const azureRequest = new HttpRequest({
      method: request.method ?? '',
      url: `http://${request.headers.host}${request.url}`,
      headers: request.headers as Record<string, string>,
      ...(bytes.length === 0 ? {} : { body: { bytes } }),
    });
    const answer = (await handler(azureRequest, {} as never)) as {
      status: number;
      headers: Record<string, string>;
      body: string;
    };
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  return hostOf(server);
});

/** Loads the function's file, and gives the handler that it registers. The runtime that it registers with is Azure's. */
async function registeredInAzure(): Promise<HttpHandler> {
  const { app } = await import('@azure/functions');
  const http = vi.spyOn(app, 'http').mockReturnValue();
  await import('./azure');
  expect(http).toHaveBeenCalledOnce();
  return http.mock.calls[0]?.[1].handler as HttpHandler;
}

testHost('Hapi', async () => {
  const server = await (await import('./hapi')).startHapi();
  return { url: `${server.info.uri}/webhooks`, close: () => server.stop({ timeout: 0 }) };
});

testHost('h3 2', async () => serveListener((await import('./h3')).listener));
testHost('h3 1, as in Nuxt and Nitro', async () => serveListener((await import('./h3-v1')).listener));

const [bun = ''] = readdirSync(here('node_modules/@oven'));
testHost('Elysia on Bun', () =>
  startProgram(here('.'), () => [here(`node_modules/@oven/${bun}/bin/bun`), 'elysia.mjs']),
);

const expressOnLambda = async (gateway: Gateway) => {
  const { handler } = await import('./serverless-http');
  return serveLambda(handler as never, gateway, { base64: true });
};
testHost('Express on AWS Lambda, by serverless-http, behind a REST API', () => expressOnLambda(restApi));
testHost('Express on AWS Lambda, by serverless-http, behind a function URL', () =>
  expressOnLambda(functionUrl),
);
