import { bigserial, pgTable, text } from 'drizzle-orm/pg-core';

export const pgOrders = pgTable('orm_orders', {
  id: bigserial({ mode: 'bigint' }).primaryKey(),
  reference: text().notNull(),
});
