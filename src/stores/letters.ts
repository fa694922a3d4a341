import { checkDuration } from '../values/option-checks';
import { afterDelivery, afterReplay, type DeadLetter, type LetterRecord } from './dead-letters';
import type { Letters, RecordSteps } from './steps';

/** Dead letters over single records, which may be those of a transaction. */
export function lettersOver(records: RecordSteps): Letters {
  return {
    async keepLetter(letter, retentionMs) {
      const ms = checkDuration('retentionMs', retentionMs);
      await records.changeRecord<LetterRecord>('letter:', letter.key, ({ value, until, now }) => {
        const kept = afterDelivery(value?.letter, letter, now);
        const isSame = value?.letter.firstFailedAt === kept.firstFailedAt;
        // Its end was told, and stays. It may have come with another pair of credentials.
        const notes = isSame ? value.notes?.filter((note) => note === 'drop') : undefined;
        return { value: { letter: kept, notes }, until: isSame && until !== undefined ? until : now + ms };
      });
    },

    async failLetter(key, failure) {
      let codeBefore: string | undefined;
      await records.changeRecord<LetterRecord>('letter:', key, ({ value, until = 0, now }) => {
        codeBefore = value?.letter.code;
        return value && { value: { ...value, letter: afterReplay(value.letter, failure, now) }, until };
      });
      return codeBefore;
    },

    async noteLetter(key, note) {
      const noted = await records.changeRecord<LetterRecord>('letter:', key, ({ value, until = 0 }) => {
        const { notes = [] } = value ?? {};
        if (value === undefined || notes.includes(note)) return undefined;
        return { value: { ...value, notes: [...notes, note] }, until };
      });
      return noted !== undefined;
    },

    async readLetter(key) {
      return (await records.readRecord<LetterRecord>('letter:', key)).value?.letter;
    },

    async forgetLetter(key, isMeant = () => true) {
      await records.changeRecord<Partial<LetterRecord>>('letter:', key, ({ value, now }) =>
        value?.letter !== undefined && isMeant(value.letter, now) ? { value: {}, until: 0 } : undefined,
      );
    },
  };
}

/** Changes what a letter says, and neither its times nor its end. Resolves with whether there was something to change. */
export async function editLetter(
  records: RecordSteps,
  key: string,
  edit: (letter: DeadLetter) => DeadLetter | undefined,
): Promise<boolean> {
  const edited = await records.changeRecord<LetterRecord>('letter:', key, ({ value, until = 0 }) => {
    const letter = value && edit(value.letter);
    return value && letter && { value: { ...value, letter }, until };
  });
  return edited !== undefined;
}
