import type { SameKeys } from '../sandbox/text';
import en from './texts.en.json' with { type: 'json' };
import pt from './texts.pt.json' with { type: 'json' };
import checksEn from './verify/texts.en.json' with { type: 'json' };
import checksPt from './verify/texts.pt.json' with { type: 'json' };

interface Catalogues {
  'src/cli/texts.en.json': typeof en;
  'src/cli/verify/texts.en.json': typeof checksEn;
}

/** The compiler prints this type with its files, where an alias of the keys alone would print hundreds of them. */
type KeyIn<File extends keyof Catalogues> = { [Name in File]: keyof Catalogues[Name] }[File];

/** What stands before `.title`. */
type CheckIn<File extends keyof Catalogues> = {
  [Key in keyof Catalogues[File]]: Key extends `${infer Id}.title` ? Id : never;
}[keyof Catalogues[File]];

interface Known {
  readonly key: KeyIn<'src/cli/texts.en.json' | 'src/cli/verify/texts.en.json'>;
  readonly check: CheckIn<'src/cli/verify/texts.en.json'>;
}

/** The key of a text of the command line, or of one of `verify`. */
export type TextKey = Known['key'];

/** A check of `verify`: `acts` has the texts `acts.title`, `acts.asks`, `acts.why` and `acts.fix`. */
export type CheckId = Known['check'];

true satisfies SameKeys<'src/cli/texts.pt.json', typeof en, typeof pt>;
true satisfies SameKeys<'src/cli/verify/texts.pt.json', typeof checksEn, typeof checksPt>;

export const texts: Readonly<Record<'en' | 'pt', Readonly<Record<string, string>>>> = {
  en: { ...en, ...checksEn },
  pt: { ...pt, ...checksPt },
};
