import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../src/errors';
import { drizzleStore, typeormStore } from '../../src/stores';

// What the stores do over the real ORMs is in test/orms.

const nothing = async () => undefined;
const tag = (() => undefined) as never;
const drizzle = (db: object | undefined, sql = tag) =>
  drizzleStore(db as never, sql, { dialect: 'postgres' });
const typeorm = (type: string) => typeormStore({ options: { type }, manager: {}, transaction: nothing });
const database = { transaction: nothing, execute: nothing };

describe('the store of an ORM', () => {
  it('takes the objects of its ORM', () => {
    expect(() => [drizzle(database), typeorm('postgres'), typeorm('mariadb')]).not.toThrow();
  });

  it.each([
    ['no ORM', () => drizzle(undefined), 'Expected what `drizzle(…)` returned as the first argument: '],
    ['half an ORM', () => drizzle({ execute: nothing }), '`drizzleStore(db, sql, …)`.'],
    [
      'no tag',
      () => drizzle(database, {} as never),
      "Expected the tag of 'drizzle-orm' as the second argument: ",
    ],
    ['SQLite', () => typeorm('sqlite'), 'Expected an ORM over PostgreSQL, MySQL or MariaDB: '],
  ])('refuses %s, and says what to pass', (_, create, says) => {
    expect(create).toThrow(ConfigurationError);
    expect(create).toThrow(says);
  });
});
