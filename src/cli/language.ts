import { AsyncLocalStorage } from 'node:async_hooks';
import type { Text } from '../sandbox/controls/control';
import { portuguese } from './portuguese';
import { visible } from './visible';

/** A sentence of the command line, in English. The compiler refuses one that has no Portuguese. */
export type Sentence = keyof typeof portuguese;
export type Language = 'en' | 'pt';

type Values = Readonly<Record<string, unknown>>;

/** Of a run, not of the process: the sandbox's page may run `verify` in another language than its terminal. */
const chosen = new AsyncLocalStorage<Language>();

export function inLanguage<Result>(language: Language, work: () => Result): Result {
  return chosen.run(language, work);
}

/** The language of `--lang`, or that of the environment. Read before the options are, whose errors need it. */
export function languageOf(args: readonly string[]): Language {
  const { LC_ALL, LC_MESSAGES, LANG } = process.env;
  const asked = /(?:^| )--lang[ =](en|pt)/i.exec(args.join(' '))?.[1];
  return /^pt/i.test(asked || LC_ALL || LC_MESSAGES || LANG || 'en') ? 'pt' : 'en';
}

export const isPortuguese = () => chosen.getStore() === 'pt';

/** The text in the language of this run. `{name}` stands for a value, which may come from outside: it is escaped. */
export function say(text: Sentence | Text, values: Values = {}): string {
  if (typeof text !== 'string') return fill(text[isPortuguese() ? 1 : 0], values);
  return fill(translated(text), values);
}

/** The same for a text of another folder, such as the message of a `ConfigurationError`. */
export function translated(text: string): string {
  return isPortuguese() && Object.hasOwn(portuguese, text) ? portuguese[text as Sentence] : text;
}

function fill(text: string, values: Values): string {
  return text.replaceAll(/\{(\w+)\}/g, (mark, name) =>
    name in values ? visible(String(values[name] ?? '')) : mark,
  );
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
