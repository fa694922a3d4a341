/** A language of the explanations. */
export type PixLocale = 'pt-BR' | 'en';

/** A text in English and in Brazilian Portuguese. */
export type Texts = readonly [en: string, pt: string];

/** Portuguese, unless English is asked for. */
export function inLocale([en, pt]: Texts, locale: PixLocale | undefined): string {
  return locale === 'en' ? en : pt;
}
