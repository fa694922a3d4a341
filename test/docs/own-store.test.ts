import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Claim, type IdempotencyStore, MemoryStore } from 'pix-automatic-sdk/webhooks';
import { expect, test, vi } from 'vitest';
import { testStoreContract } from '../stores/contract';
import { codeBlocks } from './markdown';

const [storeBlock, checksBlock] = codeBlocks('docs/write-your-own-store.md').filter(
  ({ info }) => info === 'ts run',
);

testStoreContract('ConditionalStore of docs/write-your-own-store.md', [], async () => {
  const { ConditionalStore, MemoryTable } = await load(storeBlock?.code);
  let now = Date.now();
  const tables = { own: new MemoryTable(() => now), other: new MemoryTable(() => now) };
  return {
    open: ({ space = 'own' as const } = {}) => new ConditionalStore(tables[space]),
    pass: async (ms) => {
      now += ms;
    },
    close: async () => {},
  };
});

/** Each breaks one word of the contract. */
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
])('the checks to write find a store that is %o', async (Broken: new () => IdempotencyStore) => {
  const { checkStore } = await load(checksBlock?.code);
  const store = new Broken();
  await expect(checkStore(store, store)).rejects.toThrow();
});

/** What a block exports. What it prints by itself is looked at elsewhere. */
async function load(code = '') {
  const directory = mkdtempSync(join(tmpdir(), 'docs-'));
  const printed = vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    const file = join(directory, 'block.ts');
    writeFileSync(file, code);
    return await import(/* @vite-ignore */ file);
  } finally {
    printed.mockRestore();
    rmSync(directory, { recursive: true });
  }
}
