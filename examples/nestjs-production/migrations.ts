import type { MigrationInterface, QueryRunner } from 'typeorm';
import { libraryTables } from './library-tables.js';

export class CreateTables1764547200000 implements MigrationInterface {
  async up(runner: QueryRunner) {
    const { store, deadLetters, records } = libraryTables(runner.manager);
    await runner.query(`
      CREATE TABLE orders (key text PRIMARY KEY, journey text, paid boolean NOT NULL DEFAULT false);
      CREATE TABLE payments (
        id serial PRIMARY KEY,
        sale_token text NOT NULL,
        order_key text,
        amount numeric,
        needs_person boolean NOT NULL,
        booked_at timestamptz NOT NULL DEFAULT now()
      );
      ${store.createTableSql()}${deadLetters.createTableSql()}${records.createTableSql()}`);
  }

  async down() {
    throw new Error('These tables hold what was paid: they are not dropped.');
  }
}
