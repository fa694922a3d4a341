import { describe, expect, it } from 'vitest';
import { ConfigurationError, StoreError } from '../../src/errors';
import { MemoryDeadLetters } from '../../src/stores';
import { entryOf, testDeadLettersContract } from './dead-letters-contract';

testDeadLettersContract(
  'MemoryDeadLetters',
  async (options) => new MemoryDeadLetters({ maxEntries: 2_000, ...options }),
);

describe('MemoryDeadLetters', () => {
  it('keeps an entry for 30 days after its last failure', async () => {
    let now = 1_000_000;
    const deadLetters = new MemoryDeadLetters({ clock: () => now });
    expect(deadLetters.retentionMs).toBe(2_592_000_000);
    await deadLetters.keep(entryOf('a'));
    now += 2_591_999_999;
    expect(await deadLetters.list()).toHaveLength(1);
    now += 1;
    expect(await deadLetters.list()).toEqual([]);
  });

  it.each([
    [{ since: '2026' }, 'Expected `since` to be a Date, or a number of milliseconds since 1970.'],
    [{ limit: 0 }, 'Expected `limit` to be '],
  ])('says what is wrong with the query %j', async (query, message) => {
    await expect(new MemoryDeadLetters().list(query as never)).rejects.toThrow(message);
  });

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

  it('says what a clock is', () => {
    expect(() => new MemoryDeadLetters({ clock: 7 } as never)).toThrow('() => number');
  });
});
