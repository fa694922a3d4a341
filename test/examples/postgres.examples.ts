import { describe, expect, it } from 'vitest';
import { findPostgres } from '../helpers/postgres';
import { openSchema } from './helpers/open-schema';
import { firstAnswer, startListeners } from './helpers/start-listeners';
import { installExample } from './runner/install-example';

describe.skipIf(!(await findPostgres()))('postgres', () => {
  it('books a payment once over two processes, and undoes all its writes when the callback throws', async () => {
    const { query, env } = await openSchema();
    const directory = await installExample('postgres');
    const { sandbox, order, deliverAllAgain, stop } = await startListeners(directory, 2, env);
    // The store's table is in `public`, whatever the search path says; its records of other tests are not looked at.
    const books = async (...uuids: string[]) => ({
      paid: await query('SELECT reference FROM orders WHERE paid ORDER BY 1'),
      ledger: await query('SELECT sale_token, amount::float FROM ledger'),
      done: await query(
        `SELECT id FROM public.pix_automatic
         WHERE id = ANY($1) AND json_array_length(record::json -> 'done') > 0 ORDER BY 1`,
        [uuids.map((uuid) => `default/seen:payment:${uuid}`)],
      ),
    });

    await query("INSERT INTO orders VALUES ('order-1')");
    const first = await order('order-1');
    sandbox.pay(first);
    await deliverAllAgain();
    const afterFirst = {
      paid: [{ reference: 'order-1' }],
      ledger: [{ sale_token: first, amount: 59.7 }],
      done: [{ id: `default/seen:payment:${first}` }],
    };
    expect(await books(first)).toEqual(afterFirst);

    // Its order is not in the database yet. The callback notices after its entry in the ledger, so the entry is
    // undone.
    const second = await order('order-2');
    sandbox.pay(second);
    expect(await firstAnswer(sandbox)).toBe(500);
    expect(await books(first, second)).toEqual(afterFirst);

    await query("INSERT INTO orders VALUES ('order-2')");
    await deliverAllAgain();
    const both = await books();
    expect(both.paid).toEqual([{ reference: 'order-1' }, { reference: 'order-2' }]);
    expect(both.ledger).toHaveLength(2);

    const { status, stdout, stderr } = await stop();
    expect(status).toEqual([0, 0]);
    expect(stdout.toSorted()).toEqual([
      'Listening on http://localhost:PORT',
      'Listening on http://localhost:PORT',
      'booking order-1',
      'booking order-2',
    ]);
    expect(new Set(stderr.map((line) => line.split(' ', 1)[0]))).toEqual(new Set(['callback_failed']));
  });
});
