import { type Claim, type IdempotencyStore, MemoryStore } from 'pix-automatic-sdk/webhooks';
import { expect, test } from 'vitest';
import { testStoreContract } from '../stores/contract';
import { loadBlock } from './load-block';
import { type CodeBlock, codeBlocks } from './markdown';

const [storeBlock, checksBlock] = codeBlocks('docs/write-your-own-store.md').filter(
  ({ info }) => info === 'ts run',
) as [CodeBlock, CodeBlock];

testStoreContract('ConditionalStore of docs/write-your-own-store.md', [], async () => {
  const { ConditionalStore, MemoryTable } = await loadBlock(storeBlock);
  let now = Date.now();
  const tables = { own: new MemoryTable(() => now), other: new MemoryTable(() => now) };
  return {
    open: ({ space = 'own' as const } = {}) => new ConditionalStore(tables[space]),
    pass: async (ms) => {
      now += ms;
    },
    parks: false,
    close: async () => {},
  };
});

/** Each of these stores breaks one guarantee of the contract. */
class NeverBusy extends MemoryStore {
  override async claim(subject: string, state: string, leaseMs: number) {
    const result = await super.claim(subject, state, leaseMs);
    if (result.status !== 'busy') return result;
    return { status: 'claimed', subject, state, token: '0', fence: 0, handledStates: [] } as const;
  }
}
class ForgetsWhatIsDone extends MemoryStore {
  override complete(claim: Claim) {
    return super.complete(claim, 1);
  }
}
class SaysTrueToEverybody extends MemoryStore {
  override async complete(claim: Claim, retentionMs: number) {
    await super.complete(claim, retentionMs);
    return true;
  }
}
class NeverReleases extends MemoryStore {
  override async release() {}
}
class KeepsLeasesForEver extends MemoryStore {
  override claim(subject: string, state: string) {
    return super.claim(subject, state, 60_000);
  }
}
class KeepsStatesForEver extends MemoryStore {
  override complete(claim: Claim) {
    return super.complete(claim, 60_000);
  }
}

test.each([
  NeverBusy,
  ForgetsWhatIsDone,
  SaysTrueToEverybody,
  NeverReleases,
  KeepsLeasesForEver,
  KeepsStatesForEver,
])('the checks that the guide shows find a store that is %o', async (Broken: new () => IdempotencyStore) => {
  const { checkStore } = await loadBlock(checksBlock);
  const store = new Broken();
  await expect(checkStore(store, store)).rejects.toThrow();
});
