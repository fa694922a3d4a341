import type { SameKeys } from '../../text';
import en from './texts.en.json' with { type: 'json' };
import pt from './texts.pt.json' with { type: 'json' };

export type Language = 'en' | 'pt';

interface Catalogues {
  'src/sandbox/page/app/texts.en.json': typeof en;
}

/** The compiler's message about an unknown key prints this type with its file. */
type TextsOf<File extends keyof Catalogues> = { readonly [Key in keyof Catalogues[File]]: string };

interface Known {
  readonly texts: TextsOf<'src/sandbox/page/app/texts.en.json'>;
}

/** The texts of the page in one language. */
export type Texts = Known['texts'];

true satisfies SameKeys<'src/sandbox/page/app/texts.pt.json', typeof en, typeof pt>;

export function textsIn(language: Language): Texts {
  return language === 'pt' ? pt : en;
}

const KEY = 'pix-sandbox-language';

/** The language chosen here before, or else the browser's. */
export function firstLanguage(): Language {
  const chosen = localStorage.getItem(KEY);
  if (chosen === 'en' || chosen === 'pt') return chosen;
  return navigator.language.startsWith('pt') ? 'pt' : 'en';
}

export function rememberLanguage(language: Language): void {
  localStorage.setItem(KEY, language);
}
