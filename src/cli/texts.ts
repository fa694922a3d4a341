import { en } from './texts.en';
import { pt } from './texts.pt';
import { en as verifyEn } from './verify/texts.en';
import { pt as verifyPt } from './verify/texts.pt';

/** The key of a text of the command line, or of one of `verify`. */
export type TextKey = keyof typeof en | keyof typeof verifyEn;

/** What stands behind this prefix in the keys. */
type After<Prefix extends string, Key = TextKey> = Key extends `${Prefix}${infer Rest}` ? Rest : never;

/** A step of `verify`: `first` has the text `step.first`. */
export type StepId = After<'step.'>;

/** A mistake that `verify` names: `truncates` has the texts `cause.truncates` and `fix.truncates`. */
export type CauseId = After<'cause.'>;

/** Mistakes that the fix of another one ends, too. The compiler names a mistake that has no fix. */
const mendedBy: Readonly<Record<Exclude<CauseId, After<'fix.'>>, After<'fix.'>>> = {
  checksHeaderAlone: 'checksKeyAlone',
  checksTokenAlone: 'checksKeyAlone',
  searchesPair: 'checksKeyAlone',
  shortToken: 'checksKeyAlone',
  longToken: 'checksKeyAlone',
  splits: 'checksKeyAlone',
  anyScheme: 'checksKeyAlone',
  comparesNoState: 'comparesNoAmount',
};

/** What to do about a mistake. */
export function fixOf(cause: CauseId): TextKey {
  return `fix.${(mendedBy as Record<string, After<'fix.'>>)[cause] ?? (cause as After<'fix.'>)}`;
}

export const texts: Readonly<Record<'en' | 'pt', Readonly<Record<string, string>>>> = {
  en: { ...en, ...verifyEn },
  pt: { ...pt, ...verifyPt },
};
