import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/program';
import { texts } from '../../src/cli/texts';
import { en } from '../../src/cli/texts.en';
import { en as verifyEn } from '../../src/cli/verify/texts.en';
import { faultKinds } from '../../src/sandbox/faults';
import { operationNames } from '../../src/service/operations';
import { expectPortuguese } from './expect-portuguese';

/** Keys whose beginning stands in the source, and whose end is a type of its own. */
const TYPED = /^(step|cause|fix|answer|row|pair|kind|sent)\./;

const source = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !/generated|texts\.(en|pt)/.test(file))
  .map((file) => readFileSync(join('src', file), 'utf8'))
  .join('\n');

/** Keys that are put together. */
const families = [
  ...operationNames.map((name) => `operation.${name}`),
  ...faultKinds.map((kind) => `faultKind.${kind}`),
];

/** The same on one line and without quotes: a message of the library may be in parts, with a variable as its subject. */
const said = source.replaceAll(/['`]\s*\+\s*['`]/g, '').replaceAll(/`apiKey`|['"`\\]|\$\{name\}/g, '');
const isMessage = (text: string) =>
  said.includes(text.replace(/`api(Key|Token)`/, '').replaceAll(/['"`]/g, ''));

/** `cause.truncates` is said where `'truncates'` stands. */
const isTyped = (key: string) =>
  TYPED.test(key) && new RegExp(`['.]${key.replace(TYPED, '')}\\b`).test(source);

describe('the texts of the command line and of its checks', () => {
  it.each(Object.entries(texts.en))('%s has the same values and code in both languages', (key, english) => {
    const portuguese = texts.pt[key] ?? '';
    const values = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted();
    expect(values(portuguese)).toEqual(values(english));
    for (const text of [english, portuguese]) {
      for (const [, name] of text.matchAll(/\{(\w+):/g)) expect(values(text)).toContain(`{${name}}`);
    }
    const code = (text: string): string[] => text.match(/`[^`]*`/g) ?? [];
    // The options of `startSandbox` are options of the command.
    const added = code(portuguese).filter((part) => !code(english).includes(part) && !part.startsWith('`--'));
    expect(added).toEqual([]);
    expectPortuguese(portuguese);
  });

  it.each(Object.entries(texts.en))('%s is a short name, and is said', (key, english) => {
    expect(key).toMatch(/^[\w-]+(\.[\w-]+)?$/);
    if (key.startsWith('config.')) expect(isMessage(english)).toBe(true);
    else expect(families.includes(key) || source.includes(`'${key}'`) || isTyped(key)).toBe(true);
  });

  it('has no key in both catalogues: one would hide the other', () => {
    expect(Object.keys(texts.en)).toHaveLength(Object.keys(en).length + Object.keys(verifyEn).length);
  });
});

describe.each(commands)('the help of $name', ({ summary, options }) => {
  it('is one line that begins with an imperative, in both languages', () => {
    const of = (text: typeof summary) =>
      typeof text === 'string' ? ([texts.en[text], texts.pt[text]] as const) : text;
    const [english = '', portuguese = ''] = of(summary);
    expect(english).toMatch(/^(?!The |An? )[A-Z][a-z]+ .*[^.]$/);
    expect(portuguese).toMatch(/^(?!A |O |Uma? )[A-Z][a-z]+ .*[^.]$/);
    for (const text of [summary, ...Object.values(options).map(({ about }) => about)].flatMap(of)) {
      expect(text).not.toMatch(/\.$|\n/);
      expect(text?.length).toBeLessThan(125);
    }
  });
});
