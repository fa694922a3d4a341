import type { english } from './texts-en';

export type Language = 'en' | 'pt';

/** Every text of the page: Portuguese must have what English has. */
export type Texts = { readonly [Name in keyof typeof english]: string };

const KEY = 'pix-sandbox-language';

/** What was chosen here before, or else what the browser asks for. */
export function firstLanguage(): Language {
  const chosen = localStorage.getItem(KEY);
  if (chosen === 'en' || chosen === 'pt') return chosen;
  return navigator.language.startsWith('pt') ? 'pt' : 'en';
}

export function rememberLanguage(language: Language): void {
  localStorage.setItem(KEY, language);
}
