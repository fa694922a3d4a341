import { openDrizzleMysql } from './mysql/drizzle';
import { openKnexMysql } from './mysql/knex';
import { openKyselyMysql } from './mysql/kysely';
import { openSequelizeMysql } from './mysql/sequelize';
import { openTypeormMysql } from './mysql/typeorm';
import type { Orm } from './orm';
import { openDrizzle } from './postgres/drizzle';
import { openKnex } from './postgres/knex';
import { openKysely } from './postgres/kysely';
import { openPrisma } from './postgres/prisma';
import { openSequelize } from './postgres/sequelize';
import { openTypeorm } from './postgres/typeorm';

export type Dialect = 'postgres' | 'mysql';

// biome-ignore lint/suspicious/noExplicitAny: each ORM has a transaction of its own type
type Open = (url: string) => Orm<any> | Promise<Orm<any>>;

/** A new ORM is added here, with its recipe in a file of its own. */
export const ORMS: Readonly<Record<Dialect, Readonly<Record<string, Open>>>> = {
  postgres: {
    Prisma: openPrisma,
    Drizzle: openDrizzle,
    TypeORM: openTypeorm,
    Knex: openKnex,
    Kysely: openKysely,
    Sequelize: openSequelize,
  },
  mysql: {
    Drizzle: openDrizzleMysql,
    TypeORM: openTypeormMysql,
    Knex: openKnexMysql,
    Kysely: openKyselyMysql,
    Sequelize: openSequelizeMysql,
  },
};
