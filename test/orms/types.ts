import type { Knex } from 'knex';
import type { Transaction as KyselyTransaction } from 'kysely';
import type { Transaction as SequelizeTransaction } from 'sequelize';
import type { EntityManager } from 'typeorm';
import { createWebhookHandler } from '../../src/webhooks';
import { openDrizzleMysql } from './mysql/drizzle';
import { openDrizzle } from './postgres/drizzle';
import { openKnex } from './postgres/knex';
import { type Database, openKysely } from './postgres/kysely';
import { openPrisma } from './postgres/prisma';
import { openSequelize } from './postgres/sequelize';
import { openTypeorm } from './postgres/typeorm';
import type { Prisma } from './prisma/generated/client';

// Compiled, and never run: `context.transaction` is the ORM's own type, whatever the callback returns.

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <_Same extends true>() => undefined;
const credentials = { apiKey: 'your-api-key', apiToken: 'your-api-token' };

export function prisma(url: string) {
  return createWebhookHandler({
    credentials,
    store: openPrisma(url).store,
    on: {
      payment: async ({ payload }, { transaction }) => {
        same<Equal<typeof transaction, Prisma.TransactionClient>>();
        await transaction.order.create({ data: { reference: payload.saleToken } });
        // @ts-expect-error: there is no such model
        await transaction.orders.create({ data: { reference: payload.saleToken } });
      },
    },
  });
}

export function drizzle(url: string) {
  const orm = openDrizzle(url);
  type Transaction = Parameters<Parameters<typeof orm.access.transaction>[0]>[0];
  const mysql = openDrizzleMysql(url);
  return [
    createWebhookHandler({
      credentials,
      store: orm.store,
      on: {
        payment: async (_, { transaction }) => {
          same<Equal<typeof transaction, Transaction>>();
          await transaction.execute('SELECT 1');
        },
      },
    }),
    createWebhookHandler({
      credentials,
      store: mysql.store,
      on: { payment: async (_, { transaction }) => void (await transaction.execute('SELECT 1')) },
    }),
  ];
}

export async function typeorm(url: string) {
  return createWebhookHandler({
    credentials,
    store: (await openTypeorm(url)).store,
    on: {
      payment: async (_, { transaction }) => {
        same<Equal<typeof transaction, EntityManager>>();
      },
    },
  });
}

export function knex(url: string) {
  return createWebhookHandler({
    credentials,
    store: openKnex(url).store,
    on: {
      payment: async (_, { transaction }) => {
        same<Equal<typeof transaction, Knex.Transaction>>();
      },
    },
  });
}

export function kysely(url: string) {
  return createWebhookHandler({
    credentials,
    store: openKysely(url).store,
    on: {
      payment: async (_, { transaction }) => {
        same<Equal<typeof transaction, KyselyTransaction<Database>>>();
      },
    },
  });
}

export function sequelize(url: string) {
  return createWebhookHandler({
    credentials,
    store: openSequelize(url).store,
    on: {
      payment: async (_, { transaction }) => {
        same<Equal<typeof transaction, SequelizeTransaction>>();
      },
    },
  });
}
