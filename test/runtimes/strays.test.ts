import { execFile } from 'node:child_process';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fixtures } from 'pix-automatic-sdk/testing';
import { beforeAll, expect, inject, it } from 'vitest';
import { selfSigned } from '../client/self-signed';
import { chooseSeed, randomFrom } from '../machines/random';
import { runtimes } from './runtimes';
import { startStrayService, strays } from './stray-service';

const project = inject('consumer');
const certificate = join(project, 'certificate.pem');
const required = process.env['CI_REQUIRE_RUNTIMES'] === '1' || process.env['CI'] === 'true';
/**
 * Each over HTTP and over TLS. A multiple of 72 has every stray meet every method, after both uses of a connection, on
 * its way and before it, equally often.
 */
const tries = Number(process.env['STRAYS'] ?? (process.env['NIGHTLY'] === '1' ? 216 : 72));
const seed = chooseSeed();

beforeAll(async () => {
  console.log(`CRASH_SEED=${seed}`);
  await cp('test/runtimes/programs', project, { recursive: true });
  await writeFile(certificate, selfSigned.cert);
});

// At once, because each waits most of its time.
it.concurrent.for(runtimes.filter(({ name }) => /^(?:Node 2[0246]|Bun|Deno)$/.test(name)))(
  `$name takes none of ${2 * tries} responses that nobody asked for as its own`,
  { timeout: 180_000 + 200 * tries },
  async (runtime, { skip }) => {
    const command = await runtime.command(project).catch((error: unknown) => {
      const message = `${runtime.name} cannot be had from the npm registry`;
      if (required) throw new Error(message, { cause: error });
      return skip(message);
    });
    const [file = '', ...args] = command;
    const { referenceCode: _, ...checkout } = fixtures.recurringCheckoutRequest();
    const service = await startStrayService(randomFrom(seed));
    try {
      const { http, tls, control } = service;
      const world = { http, tls, control, strays: Object.keys(strays), requests: { checkout }, tries, seed };
      // Deno takes no certificate that is its own authority.
      const trust = runtime.name === 'Deno' ? ['--unsafely-ignore-certificate-errors=127.0.0.1'] : [];
      const { NODE_OPTIONS: _, VITEST: __, NODE_ENV: ___, ...env } = process.env;
      const { stdout } = await promisify(execFile)(
        file,
        [...args.slice(0, -1), ...trust, 'strays.mjs', JSON.stringify(world)],
        { cwd: project, env: { ...env, NODE_EXTRA_CA_CERTS: certificate } },
      );
      const [, found = ''] = /^found (\S+)$/m.exec(stdout) ?? [];
      const { examples, ...counts } = JSON.parse(Buffer.from(found, 'base64').toString());
      const sentTwice = [...service.acted.values()].filter((times) => times > 1).length;
      const { crossed } = service;
      console.log(`${runtime.name}: ${JSON.stringify({ ...counts, sentTwice, crossed })}`);
      const none = { refused: 0, wrong: 0, otherFailures: 0, sentTwice: 0 };
      const { failedQueries, ...changes } = counts;
      expect({ ...changes, sentTwice }, examples.join('\n')).toEqual({ tries: 2 * tries, ...none });
      // A query may fail by a stray, like anybody's, but only visibly.
      expect(failedQueries).toBeLessThan(tries);
      // Strays did cross requests, and only queries go over connections that served somebody before.
      expect(crossed).toEqual({ GET: expect.any(Number) });
      expect(service.acted.size).toBe(2 * Math.ceil((tries * 2) / 3));
    } finally {
      await service.close();
    }
  },
);
