import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createOrders } from 'pix-automatic-sdk/orders';
import { PostgresStore } from 'pix-automatic-sdk/stores';
import { fixtures } from '../../src/testing';
import { prepare, ROOT } from '../lib/prepare';
import { compiled } from '../lib/programs';
import type { Command, LoadListener } from './fleet';
import { saleOf, uuidOf } from './sales';
import { CREDENTIALS } from './send';

/** `programs/load-listener.ts`, with the built package. */
export async function smallListener(input: Omit<LoadListener, 'credentials'>): Promise<Command> {
  prepare();
  const complete: LoadListener = { ...input, credentials: [CREDENTIALS] };
  return { command: [process.execPath, await compiled('load-listener'), JSON.stringify(complete)] };
}

/** The example, installed on its own, with the journeys of all sales. */
export async function exampleListener(options: {
  readonly databaseUrl: string;
  readonly serviceUrl: string;
  readonly sales: number;
}): Promise<Command> {
  const { databaseUrl, serviceUrl, sales } = options;
  const cwd = installed();
  const env = {
    DATABASE_URL: databaseUrl,
    DRAIN_DELAY_MS: '500',
    PAYMENTS_API_KEY: CREDENTIALS.apiKey,
    PAYMENTS_API_TOKEN: CREDENTIALS.apiToken,
    PAYMENTS_BASE_URL: serviceUrl,
    SUPPORT_TOKEN: 'support-token',
  };
  execFileSync('npm', ['run', '--silent', 'migrate'], { cwd, env: { ...process.env, ...env } });
  await openJourneys(databaseUrl, sales);
  return { command: [process.execPath, 'dist/main.js'], cwd, env };
}

/** The directory of the example. `LOAD_EXAMPLE` may name one that is installed and built already. */
function installed(): string {
  const given = process.env['LOAD_EXAMPLE'];
  if (given !== undefined) return given;
  console.log('Packing the package, and installing the example …');
  const directory = mkdtempSync(join(tmpdir(), 'load-example-'));
  const npm = (cwd: string, ...args: string[]) => execFileSync('npm', args, { cwd, encoding: 'utf8' });
  const packed = npm(ROOT, 'run', '--silent', 'pack', '--', '--pack-destination', directory);
  const example = join(directory, 'example');
  cpSync(join(ROOT, 'examples/nestjs-production'), example, { recursive: true });
  npm(example, 'install', '--no-audit', '--no-fund', packed.trim().split('\n').at(-1) ?? '');
  npm(example, 'run', 'build');
  return example;
}

/** Gives each sale its order and its journey, as `POST /subscriptions` would. */
async function openJourneys(databaseUrl: string, sales: number): Promise<void> {
  console.log(`Opening ${sales} journeys …`);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 8 });
  const { referenceCode, ...request } = fixtures.recurringCheckoutRequest({ amount: saleOf(1).amount });
  const client = {
    createRecurringCheckout: async ({ referenceCode }: { referenceCode: string }) =>
      fixtures.recurringCheckout({ response: { uuid: uuidOf(Number(referenceCode.split('-')[1])) } }),
    getTransaction: async () => fixtures.transaction(),
  };
  const orders = createOrders({ client, store: new PostgresStore(pool) });
  let next = 1;
  const work = async () => {
    while (next <= sales) {
      const { referenceCode: orderKey } = saleOf(next++);
      await orders.open(orderKey, request);
      await pool.query('INSERT INTO orders (key) VALUES ($1)', [orderKey]);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  await pool.end();
}
