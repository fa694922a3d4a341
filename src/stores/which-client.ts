// What somebody passed in place of a store, or to the wrong one. Only for messages: nothing else depends on it.

/** Recognizes a client by some of its members, and says which store is the one for it. */
const CLIENTS: readonly (readonly [members: readonly string[], what: string, store: string])[] = [
  [['raw', 'transaction', 'client'], 'a Knex', '`knexStore(knex)`'],
  [['$transaction', '$queryRawUnsafe'], 'a Prisma client', "`prismaStore(prisma, { dialect: 'postgres' })`"],
  [['selectFrom', 'transaction'], 'a Kysely', "`kyselyStore(db, sql, { dialect: 'postgres' })`"],
  [
    ['select', 'insert', 'transaction', 'execute'],
    'a Drizzle database',
    "`drizzleStore(db, sql, { dialect: 'postgres' })`",
  ],
  [['getDialect', 'transaction', 'define'], 'a Sequelize', '`sequelizeStore(sequelize)`'],
  [['getRepository', 'manager', 'transaction'], 'a DataSource of TypeORM', '`typeormStore(dataSource)`'],
  [['query', 'connect', 'totalCount'], 'a pool of pg', '`new PostgresStore(pool)`'],
  [['execute', 'query', 'getConnection'], 'a pool of mysql2', '`new MysqlStore(pool)`'],
  [['eval', 'evalSha'], 'a client of redis', '`new RedisStore(client)`'],
  [['eval', 'defineCommand'], 'a client of ioredis', '`new RedisStore(client)`'],
  [['eval', 'createScript'], 'a client of Upstash', '`new RedisStore(client)`'],
  [['prepare', 'exec'], 'an SQLite database', '`new SqliteStore(database)`'],
  [['read', 'write', 'list'], 'a `RecordStore`', '`createStore(records)`'],
];

/** What kind of database client a value is; `undefined` if it is none that is known. */
export function clientKind(value: unknown): { readonly what: string; readonly store: string } | undefined {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  const found = CLIENTS.find(([members]) => members.every((member) => isThere(value, member)));
  return found && { what: found[1], store: found[2] };
}

/** Which store is the one for a client that went to another one; `''` if it is none that is known. */
export function storeHint(kind: ReturnType<typeof clientKind>): string {
  return kind === undefined ? '' : ` This is ${kind.what}: ${kind.store} is the store for it.`;
}

function isThere(value: object, member: string): boolean {
  try {
    const given: unknown = Reflect.get(value, member);
    return given !== undefined && given !== null;
  } catch {
    return false;
  }
}
