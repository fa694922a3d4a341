/** A language of the explanations. */
export type PixLocale = 'pt-BR' | 'en';

/** A text in English and in Brazilian Portuguese. */
export type Texts = readonly [en: string, pt: string];

/** Portuguese, unless English is asked for. */
export function inLocale([en, pt]: Texts, locale: PixLocale | undefined): string {
  return locale === 'en' ? en : pt;
}

/** Something to look at. Advice never refuses anything: the service decides. */
export interface PixAdvice<Code extends string = string> {
  /** What it is about, for a program. */
  readonly code: Code;
  /** The request's field, from the outside in. Empty if the advice is about no single field. */
  readonly path: readonly string[];
  /** What to look at. Never the value, which may be personal data. */
  readonly message: string;
}

/** The language, and the current time. */
export interface PixAdviceOptions {
  /**
   * The language of the messages.
   * @defaultValue `'pt-BR'`
   */
  readonly locale?: PixLocale | undefined;
  /**
   * The instant that dates are compared with.
   * @defaultValue the current time
   */
  readonly now?: Date | undefined;
}

/** Builds a piece of advice; `path` is written with dots. */
export function advise<Code extends string>(
  code: Code,
  path: string,
  texts: Texts,
  locale: PixLocale | undefined,
): PixAdvice<Code> {
  return { code, path: path === '' ? [] : path.split('.'), message: inLocale(texts, locale) };
}

/** A field of a request that may have any shape. `undefined` if it is missing. */
export function fieldAt(value: unknown, path: string): unknown {
  return path.split('.').reduce((inner, name) => (inner as Record<string, unknown> | null)?.[name], value);
}
