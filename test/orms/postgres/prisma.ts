import { PrismaPg } from '@prisma/adapter-pg';
import { postgresStoreWithin, type TransactionAccess } from '../../../src/stores';
import type { Orm } from '../orm';
import { retrying } from '../orm';
import { type Prisma, PrismaClient } from '../prisma/generated/client';

export function openPrisma(connectionString: string): Orm<Prisma.TransactionClient> {
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString }) });
  // #region
  const access: TransactionAccess<Prisma.TransactionClient> = {
    transaction: (work, { timeoutMs }) => prisma.$transaction(work, { timeout: timeoutMs, maxWait: 5_000 }),
    query: (tx, text, values) => (tx ?? prisma).$queryRawUnsafe<unknown[]>(text, ...values),
  };
  const store = postgresStoreWithin(access, { maxTransactions: 8 });
  // #endregion
  return {
    name: 'Prisma',
    access,
    store,
    serializable: {
      ...access,
      transaction: (work, { timeoutMs }) =>
        retrying(() => prisma.$transaction(work, { timeout: timeoutMs, isolationLevel: 'Serializable' })),
    },
    insert: (tx, reference) => tx.order.create({ data: { reference } }),
    close: () => prisma.$disconnect(),
  };
}
