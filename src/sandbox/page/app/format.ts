import type { Language } from './texts';

const locales = { en: 'en-US', pt: 'pt-BR' } as const;

/** An amount with its currency; as plain numbers where the code is none that the browser knows. */
export function money(amount: number, currency: string, language: Language): string {
  try {
    return new Intl.NumberFormat(locales[language], { style: 'currency', currency }).format(amount);
  } catch {
    return `${amount} ${currency}`;
  }
}

/** The time of day. */
export function time(at: string | number, language: Language): string {
  return new Date(at).toLocaleTimeString(locales[language]);
}

/** JSON with indentation; other text as it is. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
