import type { Generated } from 'kysely';

export interface Database {
  orm_orders: { id: Generated<string>; reference: string };
}
