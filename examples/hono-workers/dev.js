// Runs the Worker on this machine, in workerd, as `wrangler dev` would.
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';

const { PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_API_TOKEN, PORT = '3000' } = process.env;

const { outputFiles } = await build({
  entryPoints: ['worker.ts'],
  bundle: true,
  format: 'esm',
  conditions: ['workerd', 'worker', 'browser'],
  write: false,
});

const worker = new Miniflare({
  host: '127.0.0.1',
  port: Number(PORT),
  compatibilityDate: '2026-04-01', // `nodejs_compat` is not needed
  modules: true,
  script: outputFiles[0].text,
  bindings: { PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_API_TOKEN },
  d1Databases: ['DB'],
  d1Persist: 'node_modules/.cache/d1', // keeps the data when the Worker restarts, as in production
});
const database = await worker.getD1Database('DB');
await database.exec(
  'CREATE TABLE IF NOT EXISTS payments (key TEXT PRIMARY KEY, reference TEXT, amount REAL)',
);
console.log(`Listening on http://localhost:${(await worker.ready).port}`);
