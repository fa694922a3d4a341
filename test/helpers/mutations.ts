import fc from 'fast-check';
import { expect } from 'vitest';

/** JSON as it is written, not as JavaScript reads it: with the spelling of numbers, `__proto__` and repeated keys. */
export type Json =
  | { readonly fields: ReadonlyArray<readonly [name: string, value: Json]> }
  | { readonly items: readonly Json[] }
  | { readonly text: string };

/** What makes no difference in JSON: white space, and the order of keys, rotated by this many places. */
export interface Style {
  readonly space: string;
  readonly turn: number;
}

type Path = ReadonlyArray<string | number>;

export function toJson(value: unknown): Json {
  if (Array.isArray(value)) return { items: value.map(toJson) };
  if (typeof value === 'object' && value !== null) {
    return { fields: Object.entries(value).map(([name, field]) => [name, toJson(field)] as const) };
  }
  // Like JSON.stringify, except that JSON.parse reads every number back as the same number.
  if (typeof value === 'number' && !Number.isFinite(value)) return { text: value > 0 ? '1e999' : '-1e999' };
  return { text: Object.is(value, -0) ? '-0' : (JSON.stringify(value) ?? 'null') };
}

export function write(json: Json, style: Style = { space: '', turn: 0 }): string {
  const { space, turn } = style;
  if ('text' in json) return space + json.text + space;
  if ('items' in json) return `[${json.items.map((item) => write(item, style)).join(',')}${space}]`;
  const places = json.fields.length === 0 ? 0 : turn % json.fields.length;
  const fields = [...json.fields.slice(places), ...json.fields.slice(0, places)];
  const texts = fields.map(
    ([name, value]) => `${space}${JSON.stringify(name)}${space}:${write(value, style)}`,
  );
  return `{${texts.join(',')}${space}}`;
}

function childrenOf(json: Json): (readonly [string | number, Json])[] {
  if ('fields' in json) return [...json.fields];
  return 'items' in json ? json.items.map((item, index) => [index, item] as const) : [];
}

/** The paths of all values, that of the whole first. */
function pathsOf(json: Json): Path[] {
  return [[], ...childrenOf(json).flatMap(([step, child]) => pathsOf(child).map((path) => [step, ...path]))];
}

/** The value with the part at a path replaced. `undefined` removes the part. */
function replaceAt(json: Json, [step, ...rest]: Path, replace: (json: Json) => Json | undefined): Json {
  if (step === undefined) return replace(json) ?? { text: 'null' };
  const changed = childrenOf(json).flatMap(([name, child]) => {
    if (name !== step) return [[name, child] as const];
    const replaced = rest.length === 0 ? replace(child) : replaceAt(child, rest, replace);
    return replaced === undefined ? [] : [[name, replaced] as const];
  });
  if ('items' in json) return { items: changed.map(([, child]) => child) };
  return { fields: changed.map(([name, child]) => [String(name), child] as const) };
}

/** Texts with a meaning for a parser, a separator, a prototype or a terminal. Few, so that identities collide. */
const tricky = [
  ...['', 'a', 'A', 'b', 'a:b', 'a%3Ab', ':', '%', '%25', '%2525', '%u', '%ud800', ' a ', '..', '$&'],
  ...['\ud800', '\udc00', '\ud800\udc00', '\u0000', '\u2028', '\r\n', '\u001b[31m', '\ufeff', 'é', 'e\u0301'],
  ...['PAID', 'PENDING', 'true', 'false', 'null', 'undefined', 'PE0003', 'PE0003 - closed'],
  ...['__proto__', 'constructor'],
];

const literals = [
  ...['null', 'true', 'false', '0', '-0', '1', '1.5', '1e999', '-1e999', '1E2', '9007199254740993', '5e-324'],
  ...['"\\u0050AID"', '"PA\\u0049D"', '"\\ud800"', '{}', '[]', '[null]', '{"__proto__":{"polluted":true}}'],
];

/** Names that break a careless copy, lookup or guess. */
const names = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'toJSON', 'then', 'hasOwnProperty'],
  ...['__defineGetter__', 'length', '', '0', 'Ünïcode', 'extra', 'kind', 'key', 'response', 'qrCode'],
  ...['newStatus', 'saleToken', 'uuid', 'status', 'success', 'refund', 'sale', 'reversedAmount'],
  ...['error_code', 'instructionId'],
];

export const trickyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...tricky) },
  { weight: 1, arbitrary: fc.string({ maxLength: 8, unit: 'binary' }) },
);

const value: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: trickyText.map(toJson) },
  { weight: 4, arbitrary: fc.constantFrom(...literals).map((text) => ({ text })) },
  {
    weight: 1,
    arbitrary: fc.nat(300).map((depth) => ({ text: '['.repeat(depth + 1) + ']'.repeat(depth + 1) })),
  },
  { weight: 1, arbitrary: fc.json({ maxDepth: 2 }).map((text) => ({ text })) },
);

/** A change of the structure. `at` chooses among the current places, after earlier changes. */
const mutation = fc.record({
  kind: fc.constantFrom('set', 'set', 'set', 'set', 'drop', 'wrap', 'repeat', 'add', 'add', 'add'),
  at: fc.nat(60),
  name: fc.constantFrom(...names),
  value,
});

function mutate(
  json: Json,
  { kind, at, name, value }: typeof mutation extends fc.Arbitrary<infer T> ? T : never,
) {
  const paths = pathsOf(json);
  return replaceAt(json, paths[at % paths.length] ?? [], (found) => {
    if (kind === 'set') return value;
    if (kind === 'drop') return undefined;
    if (kind === 'wrap') return { items: [found] };
    // Of repeated keys the last one counts.
    if ('fields' in found)
      return {
        fields: [...found.fields, kind === 'add' ? [name, value] : (found.fields[0] ?? [name, value])],
      };
    return 'items' in found && kind === 'repeat' ? { items: [...found.items, ...found.items] } : found;
  });
}

/** One of the document's payloads, with up to four changes. */
export function mutated(payloads: readonly unknown[]): fc.Arbitrary<Json> {
  return fc
    .tuple(fc.constantFrom(...payloads.map(toJson)), fc.array(mutation, { maxLength: 4 }))
    .map(([payload, mutations]) => mutations.reduce(mutate, payload));
}

export const style: fc.Arbitrary<Style> = fc.record({
  space: fc.constantFrom('', ' ', '\n', '\t \r\n'),
  turn: fc.nat(12),
});

/** Ways to damage a text: it breaks off, a text is inserted, a bit flips. */
const damages: readonly ((text: string, at: number, other: string) => string)[] = [
  (text, at) => text.slice(0, at),
  (text, at, other) => text.slice(0, at) + other + text.slice(at),
  flipped,
  (text, _, other) => text + other,
  (text, _, other) => other + text,
];
const pieces = ['"', '\\', '{', '}', ',', '\u0000', '\ufeff', 'é', '1', 'null', '//', '\ud800', '<html>'];

/** The text with one bit of a character changed. */
export function flipped(text: string, at: number): string {
  const character = String.fromCharCode(text.charCodeAt(at) ^ (1 << (at % 7)));
  return text.slice(0, at) + character + text.slice(at + 1);
}

/** A text after some changes, each at a place in it and with another text. */
export function changed(
  text: fc.Arbitrary<string>,
  changes: readonly ((text: string, at: number, other: string) => string)[],
  others: readonly string[],
  lengths: fc.ArrayConstraints,
): fc.Arbitrary<string> {
  const step = fc.tuple(fc.constantFrom(...changes), fc.nat(1_000), fc.constantFrom(...others));
  return fc
    .tuple(text, fc.array(step, lengths))
    .map(([start, steps]) =>
      steps.reduce((now, [change, at, other]) => change(now, now === '' ? 0 : at % now.length, other), start),
    );
}

/** A body as text, in most cases undamaged. */
export function mutatedText(payloads: readonly unknown[]): fc.Arbitrary<string> {
  const whole = fc.tuple(mutated(payloads), style).map(([json, how]) => write(json, how));
  return fc.oneof(
    { weight: 7, arbitrary: whole },
    { weight: 3, arbitrary: changed(whole, damages, pieces, { maxLength: 2 }) },
  );
}

/** How often a property of mutated input is tried: more each night than with each change. */
const numRuns = Number(process.env['PROPERTY_RUNS'] ?? 300);
/** The time limit of a test of such a property, in milliseconds. */
export const patience = 30_000 + numRuns * 50;

/** Asserts that a property holds for mutated input, and that no input changes a prototype. */
export async function holds<T>(arbitrary: fc.Arbitrary<T>, check: (drawn: T) => unknown): Promise<void> {
  const property = fc.asyncProperty(arbitrary, async (drawn) => {
    await check(drawn);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    expect(Reflect.ownKeys(Object.prototype)).toHaveLength(objectKeys);
  });
  await fc.assert(property, { numRuns });
}

const objectKeys = Reflect.ownKeys(Object.prototype).length;
