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

export const texts: Readonly<Record<'en' | 'pt', Readonly<Record<string, string>>>> = {
  en: { ...en, ...verifyEn },
  pt: { ...pt, ...verifyPt },
};
