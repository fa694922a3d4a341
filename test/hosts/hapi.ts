import { server as createServer } from '@hapi/hapi';
import { toNodeListener } from '../../src/webhooks';
import { handler } from './shop/index.mjs';

export async function startHapi() {
  const server = createServer({ host: '127.0.0.1', port: 0 });
  // #region
  const listener = toNodeListener(handler);
  server.route({
    method: '*',
    path: '/webhooks',
    options: { payload: { output: 'stream', parse: false } },
    handler: ({ raw }, h) => {
      listener(raw.req, raw.res);
      return h.abandon;
    },
  });
  // #endregion
  await server.start();
  return server;
}
