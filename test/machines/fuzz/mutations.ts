import fc from 'fast-check';
import { type Json, pathsOf, replaceAt, type Style, toJson, write } from './json';

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
  { weight: 4, arbitrary: fc.constantFrom(...literals).map((text): Json => ({ kind: 'literal', text })) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 300 }).map(nested) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 2 }).map((text): Json => ({ kind: 'literal', text })) },
);

function nested(depth: number): Json {
  const text =
    depth % 2 === 0 ? '['.repeat(depth) + ']'.repeat(depth) : `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  return { kind: 'literal', text };
}

/** A change of the structure, with a name and a value where it needs them. `at` chooses among the current places, after earlier changes. */
interface Mutation {
  readonly kind: 'set' | 'drop' | 'wrap' | 'repeat' | 'add';
  readonly at: number;
  readonly name: string;
  readonly value: Json;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom('set', 'set', 'set', 'set', 'drop', 'wrap', 'repeat', 'add', 'add', 'add'),
  at: fc.nat(60),
  name: fc.constantFrom(...names),
  value,
});

function mutate(json: Json, change: Mutation): Json {
  const paths = pathsOf(json);
  const path = paths[change.at % paths.length] ?? [];
  return replaceAt(json, path, (found) => {
    switch (change.kind) {
      case 'set':
        return change.value;
      case 'drop':
        return undefined;
      case 'wrap':
        return { kind: 'array', items: [found] };
      case 'repeat':
        // Of repeated keys the last one counts; of an array’s items, each one.
        return found.kind === 'object'
          ? { kind: 'object', fields: [...found.fields, ...found.fields.slice(0, 1)] }
          : found.kind === 'array'
            ? { kind: 'array', items: [...found.items, ...found.items] }
            : found;
      case 'add':
        return found.kind === 'object'
          ? { kind: 'object', fields: [...found.fields, [change.name, change.value]] }
          : found;
    }
  });
}

/** One of the document’s payloads, with up to four changes. */
export function mutated(payloads: readonly unknown[]): fc.Arbitrary<Json> {
  return fc
    .tuple(fc.constantFrom(...payloads.map(toJson)), fc.array(mutation, { maxLength: 4 }))
    .map(([payload, mutations]) => mutations.reduce(mutate, payload));
}

export const style: fc.Arbitrary<Style> = fc.record({
  space: fc.constantFrom('', ' ', '\n', '\t \r\n'),
  turn: fc.nat(12),
});

/** Damage to a text on its way: it breaks off, text is inserted, a bit flips. */
interface Damage {
  readonly kind: 'cut' | 'insert' | 'flip' | 'append' | 'prepend';
  readonly at: number;
  readonly text: string;
}

const pieces = ['"', '\\', '{', '}', ',', '\u0000', '\ufeff', 'é', '1', 'null', '//', '\ud800', '<html>'];
const damage: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom('cut', 'insert', 'flip', 'append', 'prepend'),
  at: fc.nat(1_000),
  text: fc.constantFrom(...pieces),
});

function inflict(text: string, { kind, at, text: other }: Damage): string {
  const place = text.length === 0 ? 0 : at % text.length;
  switch (kind) {
    case 'cut':
      return text.slice(0, place);
    case 'insert':
      return text.slice(0, place) + other + text.slice(place);
    case 'flip':
      return flipped(text, at);
    case 'append':
      return text + other;
    case 'prepend':
      return other + text;
  }
}

/** The text with one bit of a character changed. */
export function flipped(text: string, at: number): string {
  const place = text.length === 0 ? 0 : at % text.length;
  const character = String.fromCharCode(text.charCodeAt(place) ^ (1 << (at % 7)));
  return text.slice(0, place) + character + text.slice(place + 1);
}

/** A body as text, in most cases undamaged. */
export function mutatedText(payloads: readonly unknown[]): fc.Arbitrary<string> {
  return fc
    .tuple(mutated(payloads), style, fc.array(damage, { maxLength: 2, size: '-1' }), fc.nat(9))
    .map(([json, how, damages, luck]) =>
      luck < 7 ? write(json, how) : damages.reduce(inflict, write(json, how)),
    );
}
