// A job for once a day: finds the payments whose notification never came, and deletes what has expired. If it could not
// settle an order, its exit code is 1, after it has tried all of them.
import { reconcile } from 'pix-automatic-sdk';
import { deadLetters, pool, records, store } from './database.js';
import { client, handler, journal } from './shop.js';

await Promise.all([store.deleteExpired(), deadLetters.deleteExpired(), records.deleteExpired()]);

const { rows } = await pool.query('SELECT key, journey FROM orders WHERE NOT paid AND journey IS NOT NULL');
const orderKeys = new Map<string, string>(rows.map(({ key, journey }) => [journey, key]));

for await (const { uuid, transaction, error } of reconcile(client, orderKeys.keys(), {
  stopAfterFailures: 10, // in a row: the service is down
})) {
  try {
    if (error !== undefined) throw error;
    // Runs the payment callback if the transaction is paid. A late notification of it then does nothing.
    const { status } = await handler.settle({ uuid, transaction });
    console.log(`${uuid}: ${status}`);
    if (status === 'failed' || status === 'busy') process.exitCode = 1;
    if (transaction.situation === 'CANCELLED') {
      // Its QR code can no longer be paid, so the order may get another one.
      await journal.close(orderKeys.get(uuid) ?? '', { uuid });
      await pool.query('UPDATE orders SET journey = NULL WHERE journey = $1', [uuid]);
    }
  } catch (failure) {
    console.error(`${uuid}: ${failure instanceof Error ? failure.message : failure}`);
    process.exitCode = 1;
  }
}

await pool.end();
