// A job for once a day: finds the payments whose notification never came, and deletes what has expired.
import { reconcile } from 'pix-automatic-sdk';
import { deadLetters, pool, records, store } from './database.js';
import { client, handler, journal } from './shop.js';

const { rows } = await pool.query('SELECT key, journey FROM orders WHERE NOT paid AND journey IS NOT NULL');
const orderKeys = new Map<string, string>(rows.map(({ key, journey }) => [journey, key]));

for await (const { uuid, transaction, error } of reconcile(client, orderKeys.keys(), {
  stopAfterFailures: 10,
})) {
  if (error !== undefined) {
    console.error(`${uuid}: ${error.code}`);
    continue;
  }
  // Runs the payment callback if the transaction is paid. A late notification of it then does nothing.
  const { status } = await handler.settle({ uuid, transaction });
  console.log(`${uuid}: ${status}`);
  if (transaction.situation === 'CANCELLED') {
    // Its QR code can no longer be paid, so the order may get another one.
    await journal.close(orderKeys.get(uuid) ?? '', { uuid });
    await pool.query('UPDATE orders SET journey = NULL WHERE journey = $1', [uuid]);
  }
}

await Promise.all([store.deleteExpired(), deadLetters.deleteExpired(), records.deleteExpired()]);
await pool.end();
