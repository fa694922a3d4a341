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
  unsafeTriggerHandlers: true, // /cdn-cgi/handler/scheduled runs the cron
  d1Persist: 'node_modules/.cache/d1', // keeps the data when the Worker restarts, as in production
});
const database = await worker.getD1Database('DB');
for (const sql of [
  'CREATE TABLE IF NOT EXISTS payments (key TEXT PRIMARY KEY, order_key TEXT, amount REAL)',
  'CREATE TABLE IF NOT EXISTS pix_automatic (id TEXT PRIMARY KEY, record TEXT NOT NULL, version INTEGER NOT NULL, expires_at INTEGER NOT NULL)',
  'CREATE INDEX IF NOT EXISTS pix_automatic_expires_at ON pix_automatic (expires_at)',
]) {
  await database.exec(sql);
}
console.log(`Listening on http://localhost:${(await worker.ready).port}`);
