import { EntitySchema } from 'typeorm';

export const Order = new EntitySchema<{ id?: string; reference: string }>({
  name: 'Order',
  tableName: 'orm_orders',
  columns: {
    id: { type: 'bigint', primary: true, generated: 'increment' },
    reference: { type: 'varchar' },
  },
});
export const entities = [Order];
