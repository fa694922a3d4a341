// SQLite as an idempotency store, in a file: throughput and growth. Needs Node 22 or later.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SqliteStore } from 'pix-automatic-sdk/stores';
import { sqliteStatements } from '../../src/stores/sqlite/sql';
import { interleave } from '../lib/interleave';
import { programInput } from '../lib/program-input';
import { randomFrom } from '../lib/random';
import {
  type Growth,
  grow,
  type Handle,
  handleWith,
  LEASE_MS,
  RETENTION_MS,
  throughput,
} from './stores/measure';

const COUNT = 500;
const TABLE = 'pix_automatic_notifications';
const { seed, rounds } = programInput<{ seed: number; rounds: number }>();

const directory = mkdtempSync(join(tmpdir(), 'sqlite-store-'));
const database = new DatabaseSync(join(directory, 'notifications.db'));
// The settings that the store's documentation advises.
database.exec(
  'PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 100',
);
const store = new SqliteStore(database);
await store.createTable();

const sql = sqliteStatements(TABLE);
const statements = { claim: database.prepare(sql.claim), complete: database.prepare(sql.complete) };
const bare: Handle = async (subject) => {
  const names = { subject, state: 'PAID', token: crypto.randomUUID() };
  statements.claim.all({ ...names, duration: LEASE_MS });
  statements.complete.all({ ...names, duration: RETENTION_MS });
};
const handle = handleWith(store);

for (const each of [handle, bare]) await throughput(each, COUNT);
const samples = await interleave(
  { store: () => throughput(handle, COUNT), bare: () => throughput(bare, COUNT) },
  { rounds, random: randomFrom(seed) },
);
const growth: Growth = {
  levels: await grow(load, handle, COUNT),
  ...size(),
};
console.log(JSON.stringify({ stores: { SQLite: samples }, growth: { SQLite: growth } }));
database.close();
rmSync(directory, { recursive: true });

/** Copies a record that the store wrote, under subjects of the same length. Each expires a little later. */
function load(from: number, to: number): void {
  database
    .prepare(
      `WITH RECURSIVE numbers (number) AS (SELECT ? UNION ALL SELECT number + 1 FROM numbers WHERE number < ? - 1)
       INSERT INTO ${TABLE} (subject, fence, token, expires, done, expires_at)
       SELECT 'payment:' || printf('%08x-%04x-4000-8000-%012d', random() & 0xffffffff, random() & 0xffff, number),
         fence, token, expires, done, expires_at + number
       FROM numbers, (SELECT * FROM ${TABLE} LIMIT 1)`,
    )
    .run(from, to);
}

function size() {
  const read = (statement: string) => Number(Object.values(database.prepare(statement).get() ?? {})[0]);
  const keys = read(`SELECT count(*) FROM ${TABLE}`);
  const bytesAKey = (read('PRAGMA page_count') * read('PRAGMA page_size')) / keys;
  return { bytesAKey, sizes: `the file has ${bytesAKey.toFixed(0)} bytes a key, its two indexes included` };
}
