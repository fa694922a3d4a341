/** The languages of the library's texts. */
export type Language = 'en' | 'pt';

/** That of the environment; English where there is no `process`, or its environment may not be read. */
export function languageOfEnvironment(): Language {
  try {
    const { LC_ALL, LC_MESSAGES, LANG } = globalThis.process.env;
    return /^pt/i.test(LC_ALL || LC_MESSAGES || LANG || 'en') ? 'pt' : 'en';
  } catch {
    return 'en';
  }
}
