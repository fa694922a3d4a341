import { Database } from 'bun:sqlite';
import { createRequire } from 'node:module';
import { handler, inspectProgram } from './app.mjs';
import { checkSqlite } from './sqlite.mjs';

const require = createRequire(import.meta.url);
const world = {
  inspect: (error) => Bun.inspect(error, { depth: 10 }),
  required: { sdk: require('pix-automatic-sdk'), webhooks: require('pix-automatic-sdk/webhooks') },
  extra: () => checkSqlite(new Database(':memory:')),
};

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  // The suite is one request, and takes longer than the default of ten seconds.
  idleTimeout: 120,
  async fetch(request) {
    if (new URL(request.url).pathname === '/hook') return handler(request);
    return Response.json(await inspectProgram(request.url, world));
  },
});
console.log(`listening on http://127.0.0.1:${server.port}`);
