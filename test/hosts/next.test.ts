import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixtures } from '../../src/testing';
import { testHost } from './checks';
import { app, bin, type Host, hostOf, runToEnd, startProgram } from './serve';

const VERSIONS = [
  { name: 'Next.js 16', folder: app('next'), next: bin('next') },
  { name: 'Next.js 14', folder: app('next14'), next: app('next14/node_modules/.bin/next') },
];

for (const { name, folder, next } of VERSIONS) {
  describe(name, () => {
    let asked = 0;
    let service: Host;
    let host: Host;
    beforeAll(async () => {
      service = await hostOf(
        createServer(({ url = '' }, response) => {
          asked += 1;
          const uuid = url.split('/').at(-1) as string;
          response.setHeader('content-type', 'application/json');
          response.end(JSON.stringify(fixtures.transaction({ uuid, situation: `state ${asked}` })));
        }),
      );
      process.env['PAYMENTS_BASE_URL'] = new URL(service.url).origin;
      process.env['PAYMENTS_ALLOW_INSECURE_HTTP'] = 'true';
      // Its cache takes a package of the same version for the same package.
      rmSync(`${folder}/.next`, { recursive: true, force: true });
      await runToEnd(folder, [next, 'build']);
      host = await startProgram(folder, (port) => [next, 'start', '--port', port]);
    }, 240_000);
    afterAll(() => Promise.all([host?.close(), service?.close()]));

    const at = (path: string) => async () => ({ url: new URL(path, host.url).href, close: async () => {} });
    testHost('app router', at('/webhooks'));
    testHost('pages router', at('/api/webhooks'));

    it.each(['/orders/5dbc4bd6-0b8d-4c5c-9f9b-6c9f7f0a1a11', '/latest'])(
      'asks the service for each view of the page %s, never its own cache',
      async (path) => {
        const before = asked;
        const seen: string[] = [];
        for (let view = 1; view <= 6; view += 1) {
          const page = await (await fetch(new URL(path, host.url))).text();
          seen.push(/state (?:<!-- -->)?(\d+)/.exec(page)?.[1] ?? page);
        }
        expect(seen).toEqual(Array.from({ length: 6 }, (_, view) => String(before + view + 1)));
      },
    );
  });
}
