import inventionsEn from './inventions.en.json' with { type: 'json' };
import inventionsPt from './inventions.pt.json' with { type: 'json' };
import en from './texts.en.json' with { type: 'json' };
import pt from './texts.pt.json' with { type: 'json' };

/** A text in English and in Portuguese. */
export type Text = readonly [english: string, portuguese: string];

/** `true` where a catalogue has the keys of the English one. Else the compiler's message names the file and the keys. */
export type SameKeys<File extends string, English, Other> = [
  Exclude<keyof English, keyof Other> | Exclude<keyof Other, keyof English>,
] extends [never]
  ? true
  : {
      readonly file: File;
      readonly missing: Exclude<keyof English, keyof Other>;
      readonly unknown: Exclude<keyof Other, keyof English>;
    };

true satisfies SameKeys<'src/sandbox/texts.pt.json', typeof en, typeof pt>;
true satisfies SameKeys<'src/sandbox/inventions.pt.json', typeof inventionsEn, typeof inventionsPt>;

interface Catalogues {
  'src/sandbox/texts.en.json': typeof en;
  'src/sandbox/inventions.en.json': typeof inventionsEn;
}

/** The compiler prints these two with their file, where an alias of the keys alone would print all of them. */
type KeyIn<File extends keyof Catalogues> = { [Name in File]: keyof Catalogues[Name] }[File];
type ControlIn<File extends keyof Catalogues> = {
  [Key in keyof Catalogues[File]]: Key extends `${infer Name}.about` ? Name : never;
}[keyof Catalogues[File]];

interface Known {
  readonly key: KeyIn<'src/sandbox/texts.en.json' | 'src/sandbox/inventions.en.json'>;
  readonly control: ControlIn<'src/sandbox/texts.en.json'>;
}

/** The key of a text of the sandbox: a row of the table of inventions is the key of its own. */
export type SandboxText = Known['key'];

/** A control: `pay` has the texts `pay.label`, the words on its button, and `pay.about`. */
export type ControlName = Known['control'];

const texts = { en: { ...en, ...inventionsEn }, pt: { ...pt, ...inventionsPt } };

/** @param values - what `{name}` stands for, where the sandbox itself says the text */
export function text(key: SandboxText, values: Readonly<Record<string, string | number>> = {}): Text {
  return [filled(texts.en[key], values), filled(texts.pt[key], values)];
}

/** The text with its values: a `{name}` that has none stays. */
export function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (mark, name) => String(values[name] ?? mark));
}
