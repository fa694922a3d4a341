import { StoreError } from '../errors';
import { afterDelivery, type LetterRecord, type NewDeadLetter } from './dead-letters';
import type { ReadResult, SingleRecords } from './steps';

// Dead letters by the steps on single records, for what must be written in the same transaction as something else.

/**
 * Keeps a letter in the given records, which may be those of a transaction.
 *
 * @throws `StoreError` if others write the same letter each time
 */
export async function keepLetter(
  records: SingleRecords,
  letter: NewDeadLetter,
  retentionMs: number,
): Promise<void> {
  await changeLetter(records, letter.key, (before, now) =>
    afterDelivery(before, letter, { now, retentionMs }),
  );
}

/**
 * Forgets a letter in the given records, which may be those of a transaction. Does nothing if there is none.
 *
 * @throws `StoreError` if others write the same letter each time
 */
export async function forgetLetter(records: SingleRecords, key: string): Promise<void> {
  await changeLetter(records, key, (before) => before && { until: 0 });
}

/** How often a change is tried while others write the same record. */
const TRIES = 10;

async function changeLetter(
  records: SingleRecords,
  key: string,
  change: (before: LetterRecord | undefined, now: number) => LetterRecord | undefined,
): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const read = await records.readRecord<Omit<LetterRecord, 'until'>>('letter:', key);
    const next = change(recordOf(read), read.now);
    if (next === undefined) return;
    const { until, ...value } = next;
    if (await records.writeRecord('letter:', key, value, read, until)) return;
  }
  throw new StoreError('Others wrote the same dead letter each time that it was to be changed. Try again.');
}

/** A letter as a step on single records reads it. */
function recordOf({ value, until }: ReadResult<Omit<LetterRecord, 'until'>>): LetterRecord | undefined {
  return value === undefined || until === undefined ? undefined : { ...value, until };
}
