import { StoreError } from '../errors';
import {
  afterDelivery,
  afterReplay,
  type DeadLetter,
  type EndRecord,
  endAfter,
  endId,
  type LetterFailure,
  type LetterRecord,
  liveLetter,
  type NewDeadLetter,
} from './dead-letters';
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
  const kept = await changeLetter<LetterRecord>(records, letter.key, (before, now) =>
    afterDelivery(before, letter, { now, retentionMs }),
  );
  const end = kept?.until ?? 0;
  await changeLetter<EndRecord>(records, endId(letter.key), (before) => endAfter(before, letter, end));
}

/**
 * Records in the given records, which may be those of a transaction, that a letter has failed again. Resolves with the
 * code that it had before; `undefined` if there is none.
 *
 * @throws `StoreError` if others write the same letter each time
 */
export async function failLetter(
  records: SingleRecords,
  key: string,
  failure: LetterFailure,
): Promise<string | undefined> {
  let codeBefore: string | undefined;
  await changeLetter(records, key, (before, now) => {
    codeBefore = liveLetter(before, now)?.code;
    return afterReplay(before, failure, now);
  });
  return codeBefore;
}

/**
 * Changes what a letter says, and neither its times nor its end. Resolves with whether there was something to change.
 *
 * @throws `StoreError` if others write the same letter each time
 */
export async function editLetter(
  records: SingleRecords,
  key: string,
  edit: (letter: DeadLetter) => DeadLetter | undefined,
): Promise<boolean> {
  const written = await changeLetter<LetterRecord>(records, key, (before, now) => {
    const known = liveLetter(before, now);
    const letter = known && edit(known);
    return before && letter && { ...before, letter };
  });
  return written !== undefined;
}

/** How often a change is tried while others write the same record. */
const TRIES = 10;

/** Resolves with what it wrote; nothing where there is nothing to change. */
async function changeLetter<Value extends { readonly until: number }>(
  records: SingleRecords,
  id: string,
  change: (before: Value | undefined, now: number) => Value | undefined,
): Promise<Value | undefined> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const read = await records.readRecord<Omit<Value, 'until'>>('letter:', id);
    const next = change(recordOf<Value>(read), read.now);
    if (next === undefined) return undefined;
    const { until, ...value } = next;
    if (await records.writeRecord('letter:', id, value, read, until)) return next;
  }
  throw new StoreError('Others wrote the same dead letter each time that it was to be changed. Try again.');
}

/** A letter as a step on single records reads it. */
function recordOf<Value extends { readonly until: number }>({
  value,
  until,
}: ReadResult<Omit<Value, 'until'>>): Value | undefined {
  return value === undefined || until === undefined ? undefined : ({ ...value, until } as Value);
}
