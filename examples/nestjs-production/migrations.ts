import { typeormStore } from 'pix-automatic-sdk/stores';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateTables1764547200000 implements MigrationInterface {
  async up(runner: QueryRunner) {
    await runner.query(`
      CREATE TABLE orders (
        key text PRIMARY KEY,
        price numeric NOT NULL DEFAULT 59.7,
        cancelled boolean NOT NULL DEFAULT false,
        paid boolean NOT NULL DEFAULT false,
        overdue boolean NOT NULL DEFAULT false,
        ended boolean NOT NULL DEFAULT false
      );
      CREATE TABLE payments (
        id serial PRIMARY KEY,
        sale text NOT NULL,
        order_key text NOT NULL,
        amount numeric NOT NULL,
        is_first boolean NOT NULL,
        booked_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE TABLE returns (
        id serial PRIMARY KEY,
        sale text NOT NULL,
        order_key text NOT NULL,
        amount numeric NOT NULL,
        left_of_sale numeric NOT NULL,
        booked_at timestamptz NOT NULL DEFAULT now()
      );
      ${typeormStore(runner.connection).createTableSql()}`);
  }

  async down() {
    throw new Error('These tables hold what was paid: they are not dropped.');
  }
}
