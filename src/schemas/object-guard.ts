import { hasFields } from './guards';

// Guards of whole objects, put together from guards of their fields: for the answers to calls, which have too many
// fields to be written out. What a guard is for, and what holds it to its schema, is said in `guards.ts`.

export type Guard<Value> = (value: unknown) => value is Value;

/** A field that the type has and this lacks does not compile. Fields beside these may be anything. */
// @__NO_SIDE_EFFECTS__
export function isObjectOf<Fields>(
  fields: {
    readonly [Name in keyof Fields]-?: Guard<Fields[Name]>;
  },
): Guard<Fields> {
  const guards = Object.entries<(value: unknown) => boolean>(fields);
  return (value): value is Fields =>
    hasFields(value) && guards.every(([name, isFine]) => isFine(value[name]));
}

// @__NO_SIDE_EFFECTS__
export function isListOf<Item>(isItem: Guard<Item>): Guard<Item[]> {
  return (value): value is Item[] => Array.isArray(value) && value.every((item) => isItem(item));
}

// @__NO_SIDE_EFFECTS__
export function isMaybe<Value>(isValue: Guard<Value>): Guard<Value | null | undefined> {
  return (value): value is Value | null | undefined =>
    value === null || value === undefined || isValue(value);
}

export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

/** An object whose fields the document does not show. zod takes none of a class for it. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return hasFields(value) && Object.getPrototypeOf(value) === Object.prototype;
}
