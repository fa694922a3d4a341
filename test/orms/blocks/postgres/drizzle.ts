// npm install pix-automatic-sdk drizzle-orm pg
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { Pool } from 'pg';
import { drizzleStore } from 'pix-automatic-sdk/stores';

export const pool = new Pool({ connectionString: process.env.DATABASE_URL });
pool.on('error', console.error); // of an idle connection
pool.on('connect', (client) => client.on('error', console.error)); // without it, one that is lost ends the process
export const db = drizzle(pool);
export const store = drizzleStore(db, sql, { dialect: 'postgres', maxTransactions: 8 });
