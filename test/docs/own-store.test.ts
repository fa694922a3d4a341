import { createIdempotencyStore } from 'pix-automatic-sdk/stores';
import { type IdempotencyStore, MemoryStore } from 'pix-automatic-sdk/webhooks';
import { expect, test } from 'vitest';
import { testStoreContract } from '../stores/contract';
import { lease, retain } from '../stores/limits';
import { type CodeBlock, codeBlocks } from './markdown';
import { loadBlock } from './run-block';

const [storeBlock, checksBlock] = codeBlocks('docs/write-your-own-store.md').filter(
  ({ info }) => info === 'ts run',
) as [CodeBlock, CodeBlock];

testStoreContract('The store of docs/write-your-own-store.md', [], async () => {
  const { MemoryTable } = await loadBlock(storeBlock);
  let now = Date.now();
  const tables = { own: new MemoryTable(() => now), other: new MemoryTable(() => now) };
  return {
    open: ({ space = 'own' as const } = {}) => createIdempotencyStore(tables[space]),
    pass: async (ms) => {
      now += ms;
    },
    close: async () => {},
  };
});

/** Each of these breaks one guarantee of the contract. */
const broken: Readonly<Record<string, (store: MemoryStore) => Partial<IdempotencyStore>>> = {
  'is never busy': (store) => ({
    claim: async (subject, state, limits) => {
      const result = await store.claim(subject, state, limits);
      if (result.status !== 'busy') return result;
      return { status: 'claimed', subject, state, token: '0', fence: 0, handledStates: [] };
    },
  }),
  'forgets what is done': (store) => ({ complete: (claim) => store.complete(claim, retain(1)) }),
  'says true to everybody': (store) => ({
    complete: async (claim, limits) => store.complete(claim, limits).then(() => true),
  }),
  'never releases': () => ({ release: async () => undefined }),
  'keeps leases for ever': (store) => ({
    claim: (subject, state) => store.claim(subject, state, lease(60_000)),
  }),
  'keeps states for ever': (store) => ({ complete: (claim) => store.complete(claim, retain(60_000)) }),
};

test.each(Object.entries(broken))(
  'the checks that the guide shows find a store that %s',
  async (_, breaking) => {
    const { checkStore } = await loadBlock(checksBlock);
    const memory = new MemoryStore();
    const store = {
      claim: memory.claim.bind(memory),
      complete: memory.complete.bind(memory),
      release: memory.release.bind(memory),
    };
    await checkStore(store, store);
    const other = { ...store, ...breaking(memory) };
    await expect(checkStore(other, other)).rejects.toThrow();
  },
);
