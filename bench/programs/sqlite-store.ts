// SQLite as an idempotency store, in a file: throughput. Needs Node 22 or later.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SqliteStore } from 'pix-automatic-sdk/stores';
import { interleave } from '../lib/interleave';
import { programInput } from '../lib/program-input';
import { randomFrom } from '../lib/random';
import { bareRecord, type Handle, handleWith, throughput } from './stores/measure';

const COUNT = 500;
const { seed, rounds } = programInput<{ seed: number; rounds: number }>();

const directory = mkdtempSync(join(tmpdir(), 'sqlite-store-'));
const database = new DatabaseSync(join(directory, 'notifications.db'));
// The settings that the store's documentation advises.
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
const store = new SqliteStore(database);
await store.createTable();

/** The statements that the store sends, prepared once. */
const sent: string[] = [];
const observed = new SqliteStore({
  prepare: (sql) => {
    if (!sql.startsWith('PRAGMA')) sent.push(sql);
    return database.prepare(sql);
  },
});
await handleWith(observed)('payment:observed');
const [read, insert, update] = sent.map((sql) => database.prepare(sql));
const bare: Handle = async (subject) => {
  const { claimed, completed, version, expiresAt, before } = bareRecord();
  read?.all(subject);
  insert?.all(subject, claimed, version, expiresAt, before);
  update?.all(completed, version + 1, expiresAt, subject, version, before);
};
const handle = handleWith(store);

for (const each of [handle, bare]) await throughput(each, COUNT);
const samples = await interleave(
  { store: () => throughput(handle, COUNT), bare: () => throughput(bare, COUNT) },
  { rounds, random: randomFrom(seed) },
);
console.log(JSON.stringify({ stores: { SQLite: samples } }));
database.close();
rmSync(directory, { recursive: true });
