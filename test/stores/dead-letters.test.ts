import { describe, expect, it } from 'vitest';
import { ConfigurationError, StoreError } from '../../src/errors';
import { MemoryDeadLetters } from '../../src/stores';
import { entryOf, testDeadLettersContract } from './dead-letters-contract';

testDeadLettersContract(
  'MemoryDeadLetters',
  async (options) => new MemoryDeadLetters({ maxEntries: 2_000, ...options }),
);

describe('MemoryDeadLetters', () => {
  it('keeps a full one out, so that nothing that was kept is lost, and says what to do', async () => {
    const deadLetters = new MemoryDeadLetters({ maxEntries: 1 });
    await deadLetters.keep(entryOf('a'));
    await deadLetters.keep(entryOf('a'));
    const refused = deadLetters.keep(entryOf('b'));
    await expect(refused).rejects.toBeInstanceOf(StoreError);
    await expect(refused).rejects.toThrow('Replay them, or raise maxEntries.');
    expect((await deadLetters.list()).map(({ key, attempts }) => [key, attempts])).toEqual([['a', 2]]);
  });

  it.each([
    ['retentionMs', { retentionMs: 0 }],
    ['maxEntries', { maxEntries: 0.5 }],
    ['clock', { clock: 7 }],
  ])('refuses a %s that cannot work', (name, options) => {
    expect(() => new MemoryDeadLetters(options as never)).toThrow(ConfigurationError);
    expect(() => new MemoryDeadLetters(options as never)).toThrow(`\`${name}\``);
  });
});
