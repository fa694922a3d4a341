// npm install pix-automatic-sdk knex pg
import createKnex from 'knex';
import { knexStore } from 'pix-automatic-sdk/stores';

export const knex = createKnex({
  client: 'pg',
  connection: process.env.DATABASE_URL ?? '',
  pool: { min: 0, max: 10 },
});
export const store = knexStore(knex, { maxTransactions: 8 });
