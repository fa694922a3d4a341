// The connection, for the application and for TypeORM's own command line.
import 'reflect-metadata';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { Order, Payment, Return } from './entities.js';
import { CreateTables1764547200000 } from './migrations.js';

export const options: DataSourceOptions = {
  type: 'postgres',
  url: process.env['DATABASE_URL'],
  entities: [Order, Payment, Return],
  migrations: [CreateTables1764547200000],
  // Each running callback holds a connection. The store uses at most 8 of these 10, so callbacks can use the pool, too.
  poolSize: 10,
  extra: { connectionTimeoutMillis: 5_000, query_timeout: 30_000, keepAlive: true },
};

export default new DataSource(options);
