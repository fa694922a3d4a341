// npm install pix-automatic-sdk kysely pg
import { Kysely, PostgresDialect, sql } from 'kysely';
import { Pool } from 'pg';
import { kyselyStore } from 'pix-automatic-sdk/stores';
import type { Database } from '../../kysely';

export const pool = new Pool({ connectionString: process.env.DATABASE_URL });
pool.on('error', console.error); // of an idle connection
pool.on('connect', (client) => client.on('error', console.error)); // without it, one that is lost ends the process
export const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
export const store = kyselyStore(db, sql, { dialect: 'postgres', maxTransactions: 8 });
