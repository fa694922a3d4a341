import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { WebhookHandler } from '../../src/webhooks';
import { listen } from '../helpers/listen';
import { testFramework } from './checks';

/** The contents of `app/webhooks/route.ts`. */
function routeOf(handler: WebhookHandler) {
  const POST = handler;

  return { POST };
}

// Next.js can serve a route only after the build of a whole application. So this calls the route as Next.js does: the
// export named like the method, with a web-standard Request and a context, and 405 for a method without an export.
testFramework('Next.js, as it calls a route handler', async (handler) => {
  const route: Record<string, RouteHandler> = routeOf(handler);
  const server = createServer(
    getRequestListener((request) => {
      const context = { params: Promise.resolve({}) };
      return route[request.method]?.(request, context) ?? new Response(null, { status: 405 });
    }),
  );

  return `${await listen(server)}/webhooks`;
});

type RouteHandler = (
  request: Request,
  context: { params: Promise<Record<string, string | string[]>> },
) => Response | Promise<Response>;
