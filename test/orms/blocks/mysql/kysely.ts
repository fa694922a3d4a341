// npm install pix-automatic-sdk kysely mysql2
import { Kysely, MysqlDialect, sql } from 'kysely';
import { createPool } from 'mysql2';
import { kyselyStore } from 'pix-automatic-sdk/stores';
import type { Database } from '../../kysely';

const dialect = new MysqlDialect({ pool: createPool(process.env.DATABASE_URL ?? '') });
export const db = new Kysely<Database>({ dialect });
export const store = kyselyStore(db, sql, { dialect: 'mysql', maxTransactions: 8 });
