// Runs worker.mjs in workerd. Arguments: the folder with miniflare in it, the one with the bundled
// worker, and the compatibility date.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [, , nodeModules, bundle, compatibilityDate] = process.argv;
const { Miniflare } = createRequire(join(nodeModules, 'x.js'))('miniflare');
const names = readdirSync(bundle).sort((a, b) => Number(b === 'worker.js') - Number(a === 'worker.js'));
const worker = new Miniflare({
  host: '127.0.0.1',
  port: 0,
  modulesRoot: bundle,
  // Without `nodejs_compat`, so nothing of Node is there.
  compatibilityDate,
  modules: names.map((name) => ({
    type: 'ESModule',
    path: join(bundle, name),
    contents: readFileSync(join(bundle, name), 'utf8'),
  })),
});
console.log(`listening on ${(await worker.ready).origin}`);
process.on('SIGTERM', async () => {
  await worker.dispose();
  process.exit();
});
