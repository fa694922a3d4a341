import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { WebhookHandler } from '../../src/webhooks';
import { listen } from '../helpers/listen';
import { testFramework } from './checks';

/** What `app/webhooks/route.ts` holds. */
function routeOf(handler: WebhookHandler) {
  const POST = handler;

  return { POST };
}

// Next itself cannot serve a route without a build of a whole application. This calls the route as Next does: the
// export named like the method, with a web-standard Request and a context; for a method without an export, 405.
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
