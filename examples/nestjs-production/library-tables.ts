import { SqlJourneyRecords } from 'pix-automatic-sdk/journal';
import { postgresStoreWithin, SqlDeadLetters } from 'pix-automatic-sdk/stores';
import type { EntityManager } from 'typeorm';

/** What the library keeps in the shop's database, through TypeORM. */
export function libraryTables(manager: EntityManager) {
  const query = (text: string, values: unknown[]) => manager.query(text, values);
  return {
    /** Which notifications were handled. Its records commit together with what a callback writes. */
    store: postgresStoreWithin<EntityManager>(
      {
        transaction: (work) => manager.transaction(work),
        query: (tx, text, values) => (tx ?? manager).query(text, values),
      },
      { maxTransactions: 8 },
    ),
    /** The notifications that nothing could be done with, for the support staff. */
    deadLetters: new SqlDeadLetters(query, { dialect: 'postgres' }),
    /** Every attempt to give an order its journey. */
    records: new SqlJourneyRecords(query, { dialect: 'postgres' }),
  };
}
