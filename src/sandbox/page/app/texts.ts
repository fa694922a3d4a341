import { en } from './texts.en';
import { pt } from './texts.pt';

export type Language = 'en' | 'pt';

/** The words of the page in one language. */
export type Texts = Readonly<Record<keyof typeof en, string>>;

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
