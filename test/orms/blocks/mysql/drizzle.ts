// npm install pix-automatic-sdk drizzle-orm mysql2
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/mysql2';
import { createPool } from 'mysql2/promise';
import { drizzleStore } from 'pix-automatic-sdk/stores';

export const pool = createPool(process.env.DATABASE_URL ?? '');
export const db = drizzle(pool);
export const store = drizzleStore(db, sql, { dialect: 'mysql', maxTransactions: 8 });
