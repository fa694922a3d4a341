import type { Knex } from 'knex';
import type { Transaction as KyselyTransaction } from 'kysely';
import type { Transaction as SequelizeTransaction } from 'sequelize';
import type { EntityManager } from 'typeorm';
import type { Store } from '../../src/stores';
import { createWebhookHandler } from '../../src/webhooks';
import { store as drizzleMysql } from './blocks/mysql/drizzle';
import { type db, store as drizzle } from './blocks/postgres/drizzle';
import type { store as knex } from './blocks/postgres/knex';
import type { store as kysely } from './blocks/postgres/kysely';
import { store as prisma } from './blocks/postgres/prisma';
import type { store as sequelize } from './blocks/postgres/sequelize';
import type { store as typeorm } from './blocks/postgres/typeorm';
import type { Database } from './kysely';
import type { Prisma } from './prisma/generated/client';

// Compiled, and never run: `context.transaction` is the ORM's own type, whatever the callback returns.

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <_Same extends true>() => undefined;
type TransactionOf<S> = S extends Store<infer Tx> ? Tx : never;
const credentials = { apiKey: 'your-api-key', apiToken: 'your-api-token' };

same<Equal<TransactionOf<typeof prisma>, Prisma.TransactionClient>>();
same<Equal<TransactionOf<typeof drizzle>, Parameters<Parameters<typeof db.transaction>[0]>[0]>>();
same<Equal<TransactionOf<typeof typeorm>, EntityManager>>();
same<Equal<TransactionOf<typeof knex>, Knex.Transaction>>();
same<Equal<TransactionOf<typeof kysely>, KyselyTransaction<Database>>>();
same<Equal<TransactionOf<typeof sequelize>, SequelizeTransaction>>();

export const handlers = [
  createWebhookHandler({
    credentials,
    store: prisma,
    on: {
      payment: async ({ payload }, { transaction }) => {
        await transaction.order.create({ data: { reference: payload.saleToken } });
        // @ts-expect-error: there is no such model
        await transaction.orders.create({ data: { reference: payload.saleToken } });
      },
    },
  }),
  createWebhookHandler({
    credentials,
    store: drizzle,
    on: { payment: (_, { transaction }) => transaction.execute('SELECT 1') },
  }),
  createWebhookHandler({
    credentials,
    store: drizzleMysql,
    on: { payment: async (_, { transaction }) => void (await transaction.execute('SELECT 1')) },
  }),
];
