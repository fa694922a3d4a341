import { createIdempotencyStore } from 'pix-automatic-sdk/stores';
import {
  type Claim,
  type ClaimLimits,
  type CompleteLimits,
  type IdempotencyStore,
  MemoryStore,
} from 'pix-automatic-sdk/webhooks';
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

/** Each of these stores breaks one guarantee of the contract. */
class NeverBusy extends MemoryStore {
  override async claim(subject: string, state: string, limits: ClaimLimits) {
    const result = await super.claim(subject, state, limits);
    if (result.status !== 'busy') return result;
    return { status: 'claimed', subject, state, token: '0', fence: 0, handledStates: [] } as const;
  }
}
class ForgetsWhatIsDone extends MemoryStore {
  override complete(claim: Claim) {
    return super.complete(claim, retain(1));
  }
}
class SaysTrueToEverybody extends MemoryStore {
  override async complete(claim: Claim, limits: CompleteLimits) {
    await super.complete(claim, limits);
    return true;
  }
}
class NeverReleases extends MemoryStore {
  override async release() {}
}
class KeepsLeasesForEver extends MemoryStore {
  override claim(subject: string, state: string) {
    return super.claim(subject, state, lease(60_000));
  }
}
class KeepsStatesForEver extends MemoryStore {
  override complete(claim: Claim) {
    return super.complete(claim, retain(60_000));
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
