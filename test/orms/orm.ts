import type { StoreWithin, TransactionAccess } from '../../src/stores';

/** An ORM as a merchant uses it: its own transaction, and its own way to write an order. */
export interface Orm<Tx> {
  readonly name: string;
  /** The recipe of `docs/transactions.md`. */
  readonly access: TransactionAccess<Tx>;
  readonly store: StoreWithin<Tx>;
  /** The same at the level SERIALIZABLE, tried again after a serialization failure. */
  readonly serializable?: TransactionAccess<Tx>;
  /** Writes an order, by the ORM's own means. */
  insert(tx: Tx, reference: string): PromiseLike<unknown>;
  /** A nested transaction, by the ORM's own means: a savepoint. */
  nested?(tx: Tx, work: (inner: Tx) => Promise<void>): PromiseLike<unknown>;
  close(): Promise<void>;
}

/** Runs a transaction again after a serialization failure, as merchants' code does. */
export async function retrying(run: () => PromiseLike<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await run();
      return;
    } catch (error) {
      if (attempt === 20 || !isSerializationFailure(error)) throw error;
    }
  }
}

/** PostgreSQL's code, wherever an ORM keeps it, and Prisma's three ways of telling it. */
function isSerializationFailure(error: unknown): boolean {
  const { code, cause, parent, driverError, message } = Object(error);
  if (code === '40001' || code === 'P2034' || (code === 'P2010' && message.includes('40001'))) return true;
  if (message === 'TransactionWriteConflict') return true;
  return [cause, parent, driverError].some((each) => each instanceof Error && isSerializationFailure(each));
}

/** The table of the merchant's that the callbacks write to. */
export const ORDERS = {
  postgres: `CREATE TABLE orm_orders (id bigserial PRIMARY KEY,
    reference text NOT NULL CHECK (reference <> 'refused') UNIQUE DEFERRABLE INITIALLY DEFERRED)`,
  mysql: `CREATE TABLE orm_orders (id bigint AUTO_INCREMENT PRIMARY KEY,
    reference varchar(200) NOT NULL, CHECK (reference <> 'refused'))`,
};
