import { migration, pool } from './database';
import { orders } from './orders';

await pool.query(migration);
await orders().createTable();
orders().start(); // the check of every hour
// Next.js itself accepts no more requests then, and finishes the running ones.
process.once('SIGTERM', () => orders().stop());
