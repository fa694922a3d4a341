import { createStore, type RecordStore } from 'pix-automatic-sdk/stores';
import { expect, test } from 'vitest';
import { testStoreContract } from '../stores/contract';
import { blockWith } from './markdown';
import { loadBlock } from './run-block';

const page = 'examples/own-store/README.md';
const [storeBlock, checksBlock] = [blockWith('class MemoryTable', page), blockWith('checkRecords', page)];

testStoreContract('The store of examples/own-store/README.md', [], async () => {
  const { MemoryTable } = await loadBlock(storeBlock);
  let now = Date.now();
  const tables = { own: new MemoryTable(() => now), other: new MemoryTable(() => now) };
  return {
    open: ({ space = 'own' as const } = {}) => createStore(tables[space]),
    pass: async (ms) => {
      now += ms;
    },
    close: async () => {},
  };
});

/** Each of these breaks one guarantee of records. */
const broken: Readonly<Record<string, (records: RecordStore) => Partial<RecordStore>>> = {
  'counts seconds': (records) => ({
    read: async (key) => {
      const { now, ...rest } = await records.read(key);
      return { ...rest, now: Math.floor(now / 1000) };
    },
  }),
  'writes at any version': (records) => ({
    write: async (key, change) => {
      const { version } = await records.read(key);
      return records.write(key, { ...change, version });
    },
  }),
  'says true to everybody': (records) => ({
    write: (key, change) => records.write(key, change).then(() => true),
  }),
  'writes however late': (records) => ({
    write: (key, change) => records.write(key, { ...change, before: Number.MAX_SAFE_INTEGER }),
  }),
  'ignores case': (records) => ({
    read: (key) => records.read(key.toLowerCase()),
    write: (key, change) => records.write(key.toLowerCase(), change),
  }),
  'truncates a record': (records) => ({
    write: (key, change) => records.write(key, { ...change, record: change.record.slice(0, 65_535) }),
  }),
  'lists everything at once': (records) => ({
    list: (prefix) => records.list(prefix, { limit: 1_000 }),
  }),
  'lists what has expired': (records) => ({
    write: (key, change) => records.write(key, { ...change, expiresAt: Number.MAX_SAFE_INTEGER }),
  }),
  'lists another namespace': (records) => ({
    list: (prefix, page) => records.list(prefix.replace(/\/.*/, ''), page),
  }),
};

test.each(Object.entries(broken))(
  'the checks that the guide shows find records of which one %s',
  async (_, breaking) => {
    const [{ MemoryTable }, { checkRecords }] = [await loadBlock(storeBlock), await loadBlock(checksBlock)];
    const table = new MemoryTable();
    const records: RecordStore = {
      read: (key) => table.read(key),
      write: (key, change) => table.write(key, change),
      list: (prefix, page) => table.list(prefix, page),
    };
    await checkRecords(records, records);
    const other = { ...records, ...breaking(records) };
    await expect(checkRecords(other, other)).rejects.toThrow();
  },
);
