import { describe, expect, it } from 'vitest';
import { ConfigurationError, StoreError } from '../../src/errors';
import { recordFromText, recordToText } from '../../src/stores/record';
import { createIdempotencyStore, type WriteRecord } from '../../src/stores/record-store';

const START = 1_900_000_000_000;

/** A store whose records somebody else writes each time, a second before its own write comes, up to this many times. */
function contended(times: number) {
  const written: WriteRecord[] = [];
  const record = recordToText({ done: [] });
  const store = createIdempotencyStore({
    read: async () => ({ record, version: 1 + written.length, now: START + 1_000 * written.length }),
    write: async (_, change) => written.push(change) > times,
  });
  return { store, written };
}

describe('A claim that others come before', () => {
  it('asks for no later end of its lease, and for no more time, than its first attempt', async () => {
    const { store, written } = contended(2);
    const claim = await store.claim('payment:1', 'PAID', { leaseMs: 40_000, withinMs: 5_000 });
    expect(claim.status).toBe('claimed');
    expect(written.map(({ record }) => recordFromText(record).lease?.until)).toEqual(
      Array(3).fill(START + 40_000),
    );
    expect(written.map(({ before }) => before)).toEqual(Array(3).fill(START + 5_000));
  });

  it('gives up after its time', async () => {
    const { store, written } = contended(100);
    const claiming = store.claim('payment:1', 'PAID', { leaseMs: 40_000, withinMs: 5_000 });
    await expect(claiming).rejects.toBeInstanceOf(StoreError);
    await expect(claiming).rejects.toThrow('did not carry out a claim within 5000 ms');
    expect(written).toHaveLength(5);
  });
});

it.each([undefined, {}, { read: async () => undefined }])('refuses the records %j', (records) => {
  expect(() => createIdempotencyStore(records as never)).toThrow(ConfigurationError);
});
