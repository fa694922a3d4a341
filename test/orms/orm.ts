import type { Store, TransactionAccess } from '../../src/stores';
import type { TransactionOptions } from '../../src/stores/transaction-access';

/** Runs work in a transaction of an ORM. */
export type RunIn<Tx> = TransactionAccess<Tx>['transaction'];

/** An ORM as a merchant uses it: its own transaction, and its own way to write an order. */
export interface Orm<Tx> {
  readonly name: string;
  /** The one of its file in `blocks`. */
  readonly store: Store<Tx>;
  /** Another store over the same, whose transactions are run like this. */
  open(options?: TransactionOptions, transaction?: RunIn<Tx>): Store<Tx>;
  /** The ORM's own transaction. */
  readonly transaction: RunIn<Tx>;
  /** The same at the level SERIALIZABLE, tried again after a serialization failure. */
  readonly serializable?: RunIn<Tx>;
  /** Runs a statement of the merchant's, without values, by the ORM's own means. */
  query(tx: Tx, text: string): PromiseLike<unknown>;
  /** Writes an order, by the ORM's own means. */
  insert(tx: Tx, reference: string): PromiseLike<unknown>;
  /** A nested transaction, by the ORM's own means: a savepoint. */
  nested?(tx: Tx, work: (inner: Tx) => Promise<void>): PromiseLike<unknown>;
  close(): Promise<void>;
}

/** The client of an ORM with some of its methods replaced. */
export function replacing<Client extends object>(
  client: Client,
  methods: Readonly<Record<string, unknown>>,
): Client {
  return new Proxy(client, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof name === 'string' && methods[name] !== undefined) return methods[name];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
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
