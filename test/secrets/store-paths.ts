import type { Store } from 'pix-automatic-sdk/stores';
import {
  createStore,
  drizzleStore,
  knexStore,
  kyselyStore,
  MysqlStore,
  PostgresStore,
  prismaStore,
  RedisStore,
  SqliteStore,
  sequelizeStore,
  storeWithin,
  type TransactionAccess,
  typeormStore,
} from 'pix-automatic-sdk/stores';
import { createWebhookHandler } from 'pix-automatic-sdk/webhooks';
import type { PostgresPool } from '../../src/stores/postgres-pool';
import { stepsOf } from '../../src/stores/steps';
import { briefly } from '../stores/limits';
import { authorization, credentials, marked } from './marks';
import { type Paths, pathsOver } from './path';
import { sale, text } from './webhook-paths';

const { cpf, email } = marked;

/** What a driver's client returns for a command, or throws. */
type Reply = (...command: readonly unknown[]) => unknown;

/** The transactions of an ORM that gives these replies. */
function accessOver(reply: Reply): TransactionAccess<object> {
  return {
    transaction: (work) => work({}),
    query: async (_tx, ...command) => reply(...command) as never,
  };
}

const stores: Readonly<Record<string, (reply: Reply) => Store<unknown>>> = {
  'RedisStore over ioredis': (reply) =>
    new RedisStore({ eval: async (...command: unknown[]) => reply(...command), defineCommand: reply }),
  'RedisStore over node-redis': (reply) =>
    new RedisStore({ eval: async (...command: unknown[]) => reply(...command), evalSha: reply }),
  PostgresStore: (reply) => new PostgresStore({ query: async (...command) => reply(...command) as never }),
  'PostgresStore in transactions': (reply) => {
    const query = async (...command: unknown[]) => reply(...command);
    const client = { query, release: () => undefined, on: () => undefined, removeListener: () => undefined };
    const connect = (give: (error: undefined, given: typeof client) => void) => give(undefined, client);
    const pool = { query, connect, totalCount: 1 } as unknown as PostgresPool;
    return new PostgresStore(pool, { transactional: true });
  },
  'storeWithin in PostgreSQL': (reply) => storeWithin(accessOver(reply), { dialect: 'postgres' }),
  'storeWithin in MySQL': (reply) => storeWithin(accessOver(reply), { dialect: 'mysql' }),
  MysqlStore: (reply) => new MysqlStore({ execute: async (...command) => [reply(...command)] }),
  'a store of createStore': (reply) =>
    createStore({
      list: async (...command) => reply(...command) as never,
      read: async (...command) => reply(...command) as never,
      write: async (...command) => reply(...command) as never,
    }),
  SqliteStore: (reply) =>
    new SqliteStore({
      prepare: () => ({ run: reply, all: (...values) => reply(...values) as unknown[] }),
    }),
};

/** The token of the claim, which a valid reply must contain. */
function tokenIn(command: readonly unknown[]): string | undefined {
  return /[\da-f]{8}-[\da-f-]{27}/.exec(JSON.stringify(command))?.[0];
}

const row = { status: text, token: cpf, fence: email, states: [text], [cpf]: email };

/** Replies that no command of a store gives, full of marks. */
const replies: Readonly<Record<string, Reply>> = {
  'no reply': () => undefined,
  text: () => text,
  'a list of text': () => ['claimed', cpf, email, text],
  'a list with the token': (...command) => [text, tokenIn(command), email, cpf],
  'rows of marks': () => ({ rows: [row] }),
  'a row with the token': (...command) => ({ rows: [{ ...row, token: tokenIn(command), locked: true }] }),
  'a row that is a mark': () => ({ rows: [text], rowCount: 1, command: text }),
  'a list of rows': () => [row],
  'a list of a row with the token': (...command) => [{ ...row, token: tokenIn(command) }],
};

const wrongReplies = Object.entries(stores).map(([name, create]) =>
  pathsOver(name, replies, (reply) => {
    const store = stepsOf(create(reply));
    const request = { subject: 'payment:s-1', state: 'PAID', timeoutMs: 50, retentionMs: 50 };
    return store.transact === undefined
      ? store.claim('payment:s-1', 'PAID', briefly)
      : store.transact(request, () => Promise.reject(new Error('the callback ran')));
  }),
);

/** What a handler answers, and logs, when a driver throws. */
function answerOver(create: (typeof stores)[keyof typeof stores], message: string, options: object) {
  const driverError = Object.assign(new Error(message), { command: { args: [cpf, email] }, detail: text });
  const store = create(() => {
    throw driverError;
  });
  const on = { payment: () => undefined };
  const handler = createWebhookHandler({ credentials, store, on, ...options });
  return handler.handle({ method: 'POST', url: '/', headers: { authorization }, body: sale });
}

/**
 * A driver's error is the merchant's own. `report.error` gives it back, and the default log has its name, code and
 * message, and nothing else. The answer has nothing of it.
 */
const failures = [
  pathsOver('the answer where a driver throws marks', stores, (create) =>
    answerOver(create, text, { onReport: () => undefined }),
  ),
  pathsOver('the default log where a driver throws marks beside its message', stores, (create) =>
    answerOver(create, 'failed', {}),
  ),
];

const configurations: Paths = {
  'new RedisStore: no client': () => new RedisStore(text as never),
  'new RedisStore: an invalid namespace': () =>
    new RedisStore({ eval: async () => 0, evalSha: 0 }, { namespace: text }),
  'new PostgresStore: no client': () => new PostgresStore(text as never),
  'new PostgresStore: an invalid table': () =>
    new PostgresStore({ query: async () => ({ rows: [] }) }, { table: text.repeat(9) }),
  'new SqliteStore: no database': () => new SqliteStore(text as never),
  'prismaStore: no client': () => prismaStore(text as never, text as never),
  'drizzleStore: no database': () => drizzleStore(text as never, text as never, text as never),
  'typeormStore: no data source': () => typeormStore(text as never),
  'knexStore: no instance': () => knexStore(text as never),
  'kyselyStore: no database': () => kyselyStore(text as never, text as never, text as never),
  'sequelizeStore: no instance': () => sequelizeStore(text as never),
};

export const storePaths: Paths = Object.assign({}, ...wrongReplies, ...failures, configurations);
