// Creates the tables.
import { migration, pool } from './database.js';

await pool.query(migration);
await pool.end();
