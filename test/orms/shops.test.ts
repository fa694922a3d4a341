import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startSandbox } from '../../src/sandbox';
import { freePort } from '../helpers/listen';
import { type Database, makeDatabase } from './databases';

// The whole shop of docs/database.md, as a merchant runs it: only its port is another one, and the library is bundled.

const database = await makeDatabase('mysql', `shop_${randomUUID().slice(0, 8)}`);
const folder = fileURLToPath(new URL('.', import.meta.url));

/** The program with the library in it, beside the packages of this folder. */
async function bundle(port: number): Promise<string> {
  const outfile = `${folder}node_modules/.shop-${port}.cjs`;
  onTestFinished(() => rmSync(outfile));
  await build({
    stdin: {
      contents: readFileSync(`${folder}shops/knex-mysql.cjs`, 'utf8').replace(
        'listen(3000)',
        `listen(${port})`,
      ),
      loader: 'js',
      resolveDir: folder,
    },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['express', 'knex'],
    tsconfig: 'tsconfig.json',
  });
  return outfile;
}

async function end(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null) return;
  program.kill();
  await once(program, 'exit');
}

describe.skipIf(database === undefined)('the shop with Knex and Express over MySQL', () => {
  afterAll(() => database?.drop());

  it('shows a QR code once it listens, and books its payment and its refund once', {
    timeout: 60_000,
  }, async () => {
    const { url, query } = database as Database;
    const port = await freePort();
    const shop = `http://127.0.0.1:${port}`;
    const sandbox = await startSandbox({ webhookUrl: `${shop}/webhooks`, log: () => undefined });
    onTestFinished(() => sandbox.close());

    const env = {
      ...process.env,
      MYSQL_URL: url,
      PAYMENTS_BASE_URL: sandbox.url,
      PAYMENTS_API_KEY: sandbox.credentials.apiKey,
      PAYMENTS_API_TOKEN: sandbox.credentials.apiToken,
    };
    const program = spawn(process.execPath, [await bundle(port)], {
      env,
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    let reported = '';
    program.stderr?.on('data', (chunk) => {
      reported += chunk;
      process.stderr.write(chunk);
    });
    onTestFinished(() => end(program));

    const open = async () =>
      (await (await fetch(`${shop}/orders/order-1`, { method: 'POST' })).json()) as Record<string, unknown>;
    const order = await vi.waitFor(open, { timeout: 30_000, interval: 100 });
    expect(order).toEqual({ state: 'open', code: expect.stringMatching(/^000201/) });
    expect(await open()).toEqual(order);

    sandbox.pay(sandbox.transactions[0]?.uuid ?? '');
    const rows = () => query('SELECT order_key, amount FROM payments');
    await vi.waitFor(async () => expect(await rows()).not.toEqual([]), { timeout: 30_000, interval: 100 });
    sandbox.refund(sandbox.transactions[0]?.uuid ?? '', { amount: 10 });
    await sandbox.idle();
    for (const { id } of sandbox.deliveries) expect((await sandbox.redeliver(id)).httpStatus).toBe(200);
    expect(await open()).toEqual({ state: 'paid', code: null });
    expect(await rows()).toEqual([{ order_key: 'order-1', amount: '59.70' }]);
    expect(await query('SELECT order_key, amount FROM returns')).toEqual([
      { order_key: 'order-1', amount: '10.00' },
    ]);
    expect(reported, 'no callback that awaits nothing').not.toContain('nothing_written');
  });
});
