import { AsyncLocalStorage } from 'node:async_hooks';
import type { Text } from '../sandbox/text';
import { filled } from '../shared/filled';
import { type Language, languageOfEnvironment } from '../shared/language';
import { type TextKey, texts } from './texts';
import { visible } from './visible';

type Values = Readonly<Record<string, unknown>>;

/** Of a run, not of the process: the sandbox's page may run `verify` in another language than its terminal. */
const chosen = new AsyncLocalStorage<Language>();

export function inLanguage<Result>(language: Language, work: () => Result): Result {
  return chosen.run(language, work);
}

/** The language of `--lang`, or that of the environment. Read before the options are, whose errors need it. */
export function languageOf(args: readonly string[]): Language {
  const asked = /(?:^| )--lang[ =](en|pt)/i.exec(args.join(' '))?.[1];
  if (asked === undefined) return languageOfEnvironment();
  return /^pt/i.test(asked) ? 'pt' : 'en';
}

export const isPortuguese = () => chosen.getStore() === 'pt';

/** A text in the language of this run. `{name}` stands for a value, which may come from outside: it is escaped. */
export function say(text: TextKey | Text, values: Values = {}): string {
  const [place, language] = isPortuguese() ? ([1, 'pt'] as const) : ([0, 'en'] as const);
  return fill(typeof text === 'string' ? (texts[language][text] ?? text) : text[place], values);
}

/** The message of an error that is not of this folder, such as a `ConfigurationError`: `config.*` has its Portuguese. */
export function translated(message: string): string {
  const key = Object.keys(texts.en).find((key) => key.startsWith('config.') && texts.en[key] === message);
  return key === undefined ? message : say(key as TextKey);
}

function fill(text: string, values: Values): string {
  const escaped = Object.entries(values).map(([name, value]) => [name, visible(String(value ?? ''))]);
  return filled(text, Object.fromEntries(escaped));
}

/** `R$ 59.70`, in Portuguese `R$ 59,70`. */
export function money(amount: number): string {
  return `R$ ${decimal(amount)}`;
}

/** `59.70`, in Portuguese `59,70`. */
export function decimal(number: number, least = 2, most = least): string {
  const digits = { minimumFractionDigits: least, maximumFractionDigits: most };
  return number.toLocaleString(isPortuguese() ? 'pt-BR' : 'en', digits);
}

/** `A and B`, in Portuguese `A e B`. */
export function listed(names: readonly string[]): string {
  return new Intl.ListFormat(isPortuguese() ? 'pt-BR' : 'en').format(names);
}

/** `2026-12-24`, in Portuguese `24/12/2026`. */
export function day(date: string): string {
  return isPortuguese() ? date.replace(/^(\d{4})-(\d\d)-(\d\d)$/, '$3/$2/$1') : date;
}
