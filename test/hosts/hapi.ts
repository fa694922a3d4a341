import { server as createServer } from '@hapi/hapi';
import { handler } from './shop/index.mjs';

export async function startHapi() {
  const server = createServer({ host: '127.0.0.1', port: 0 });
  // #region
  server.route({
    method: '*',
    path: '/webhooks',
    options: { payload: { output: 'stream', parse: false } },
    handler: ({ raw }, h) => {
      handler(raw.req, raw.res);
      return h.abandon;
    },
  });
  // #endregion
  await server.start();
  return server;
}
