import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { inspect } from 'node:util';
import { handler, inspectProgram } from './app.mjs';
import { checkSqlite } from './sqlite.mjs';

const require = createRequire(import.meta.url);
const world = {
  inspect: (error) => inspect(error, { depth: 10, showHidden: true }),
  required: { sdk: require('pix-automatic-sdk'), webhooks: require('pix-automatic-sdk/webhooks') },
  // Node 20 has no built-in SQLite.
  async extra() {
    const sqlite = process.getBuiltinModule('node:sqlite');
    return sqlite === undefined ? [] : checkSqlite(new sqlite.DatabaseSync(':memory:'));
  },
};

const server = createServer(async (request, response) => {
  if (request.url?.startsWith('/hook')) return handler(request, response);
  response.end(JSON.stringify(await inspectProgram(new URL(request.url, 'http://127.0.0.1'), world)));
});
server.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
