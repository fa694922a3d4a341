import { testHost } from './checks';
import { app, bin, runToEnd, startProgram } from './serve';

const timeoutMs = 180_000;

testHost(
  'SvelteKit 2, with adapter-node',
  async () => {
    await runToEnd(app('sveltekit'), [bin('vite'), 'build']);
    return startProgram(app('sveltekit'), () => [process.execPath, 'build/index.js']);
  },
  // adapter-node has its own limit of 512 KiB.
  { timeoutMs, oversize: 400 },
);

testHost(
  'Astro 5, with @astrojs/node',
  async () => {
    await runToEnd(app('astro'), [bin('astro'), 'build']);
    return startProgram(app('astro'), () => [process.execPath, 'dist/server/entry.mjs']);
  },
  // The endpoint has no GET, which Astro answers itself.
  { timeoutMs, get: 404 },
);

testHost(
  'React Router 7, a resource route',
  async () => {
    await runToEnd(app('react-router'), [bin('react-router'), 'build']);
    return startProgram(app('react-router'), () => [process.execPath, 'server.js']);
  },
  // @react-router/express closes the connection when the handler stops reading. The route has no loader, so React Router
  // answers a GET itself.
  { timeoutMs, oversize: 'closed', get: 400 },
);

testHost(
  'Nuxt 4, with its own server',
  async () => {
    await runToEnd(app('nuxt'), [app('nuxt/node_modules/.bin/nuxt'), 'build']);
    return startProgram(app('nuxt'), () => [process.execPath, '.output/server/index.mjs']);
  },
  { timeoutMs },
);
