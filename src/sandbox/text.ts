import { filled } from '../shared/filled';
import { en as inventionsEn } from './inventions.en';
import { pt as inventionsPt } from './inventions.pt';
import { en } from './texts.en';
import { pt } from './texts.pt';

/** A text in English and in Portuguese. */
export type Text = readonly [english: string, portuguese: string];

const english = { ...en, ...inventionsEn };
const portuguese = { ...pt, ...inventionsPt };

/** Of `texts.en.ts` and `inventions.en.ts`. An interface, because the compiler's message about a key names it. */
interface TextsEnAndInventionsEn extends Readonly<Record<keyof typeof english, string>> {}

/** The key of a text of the sandbox: a row of the table of inventions is the key of its own. */
export type SandboxText = keyof TextsEnAndInventionsEn;

/** A control: `pay` has the texts `pay.label`, the words on its button, and `pay.about`. */
export type ControlName = keyof AboutsInTextsEn;

/** By the names of the controls. */
interface AboutsInTextsEn extends Readonly<Record<BeforeAbout<keyof typeof en>, string>> {}

type BeforeAbout<Key> = Key extends `${infer Name}.about` ? Name : never;

/** What `{name}` in a text stands for: a word, a number, or a text of its own in each language. */
type Values = Readonly<Record<string, string | number | Text>>;

/** @param values - where the sandbox itself says the text; a `{name}` that has no value stays */
export function text(key: SandboxText, values: Values = {}): Text {
  const inPlace = (place: 0 | 1) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, typeof value === 'object' ? value[place] : value]),
    );
  return [filled(english[key], inPlace(0)), filled(portuguese[key], inPlace(1))];
}
