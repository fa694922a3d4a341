import { describe, expect, it } from 'vitest';
import { PaymentsClient } from '../../src';
import { fixtures } from '../../src/testing';
import { hasRedisServer, startOwnRedis } from '../helpers/own-servers';
import { findPostgres } from '../helpers/postgres';
import { userEnvironment } from '../package/run';
import { openSchema } from './helpers/open-schema';
import { answering, verify } from './helpers/verify-example';
import { installExample } from './runner/install-example';
import { Program } from './runner/program';
import { runExample } from './runner/run-example';

const hasPostgres = await findPostgres();

describe('every check of verify passes for the example', () => {
  it.skipIf(!hasRedisServer())('redis', async () => {
    const { url } = await startOwnRedis();
    const running = await runExample('redis', { env: { REDIS_URL: url } });
    const acted = { payment: / is paid$/gm, reversal: /^reversal of /gm, refund: /^refund of /gm };
    expect(await verify(running, running.program, acted)).toEqual([]);
  });

  it.skipIf(!hasRedisServer())('bullmq', async () => {
    const env = { REDIS_URL: (await startOwnRedis()).url };
    const directory = await installExample('bullmq');
    // The listener writes a job before it answers. The worker prints the jobs as it does them, so its lines are
    // counted.
    const worker = new Program([process.execPath, 'dist/worker.js'], directory, {
      ...userEnvironment(),
      ...env,
    });
    const running = await runExample('bullmq', { env });
    const kinds = ['payment', 'saleStatus', 'reversal', 'refund', 'payout'];
    const acted = Object.fromEntries(kinds.map((kind) => [kind, new RegExp(`^${kind} of `, 'gm')]));
    expect(await verify(running, worker, acted)).toEqual([]);
  });

  it.skipIf(!hasPostgres)('postgres', async () => {
    const { query, env } = await openSchema();
    const running = await runExample('postgres', { env });
    const { sandbox } = running;
    const client = new PaymentsClient({ baseUrl: sandbox.url, ...sandbox.credentials });
    let ordered = 0;
    const shop = () =>
      answering(async () => {
        const referenceCode = `order-${++ordered}`;
        await query('INSERT INTO orders VALUES ($1)', [referenceCode]);
        await client.createRecurringCheckout(fixtures.recurringCheckoutRequest({ referenceCode }));
      });
    expect(await verify(running, running.program, { payment: /^booking /gm }, shop)).toEqual([]);
  });
});
