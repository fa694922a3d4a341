import { createRequire } from 'node:module';
import { DatabaseSync } from 'node:sqlite';
import { handler, inspectProgram } from './app.mjs';
import { checkSqlite } from './sqlite.mjs';

const require = createRequire(import.meta.url);
const world = {
  inspect: (error) => Deno.inspect(error, { depth: 10, showHidden: true }),
  required: { sdk: require('pix-automatic-sdk'), webhooks: require('pix-automatic-sdk/webhooks') },
  extra: () => checkSqlite(new DatabaseSync(':memory:')),
};

const server = Deno.serve({ hostname: '127.0.0.1', port: 0, onListen: () => undefined }, async (request) => {
  if (new URL(request.url).pathname === '/hook') return handler(request);
  return Response.json(await inspectProgram(request.url, world));
});
console.log(`listening on http://127.0.0.1:${server.addr.port}`);
