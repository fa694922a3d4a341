// A job for every hour or day: finds the payments whose notification never came, frees the orders whose journey was
// cancelled, tries failed notifications again, and deletes what has expired. If something failed, its exit code is 1.
import { pool } from './database.js';
import { orders } from './shop.js';

const result = await orders.maintain();
console.log(JSON.stringify(result));
if (!result.skipped) {
  const { errors, reconciled } = result;
  if (errors.length > 0 || reconciled?.failed !== 0 || !reconciled.isComplete) process.exitCode = 1;
}
await pool.end();
