import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod/mini';
import { isObject } from '../shared/objects';
import type { ValidationIssue } from '../shared/validation-issue';
import { MAX_LIST_LENGTH } from './checks';

/**
 * Every schema of the library is exported as a Standard Schema, so that no type of zod is in a public type, and every
 * validation uses our messages.
 */
export type Schema<Input, Output = Input> = StandardSchemaV1<Input, Output>;

/** The value that the schema gives, or what is wrong with the input. */
export type Validation<Output> =
  | {
      readonly value: Output;
      /** Fields that do not have the documented type and are missing from `value`: the first few, never their values. */
      readonly leftOut: readonly ValidationIssue[];
      readonly issues?: undefined;
    }
  | { readonly issues: readonly ValidationIssue[] };

/** How many fields an error or a notification names at most. */
const MAX_ISSUES = 20;

/**
 * Makes a public schema from one of zod's.
 *
 * @param object - the schema, which has the last word
 * @param isAsDocumented - a fast check: true only for values that `object` would return unchanged
 * @param finish - what the payload's reader does beyond the schema, so that the fast check holds for it too
 */
// @__NO_SIDE_EFFECTS__
export function toSchema<Output, Input>(
  object: z.core.$ZodType<Output, Input>,
  isAsDocumented?: (value: unknown) => boolean,
  finish: (value: Output) => Output = (value) => value,
): Schema<Input, Output> {
  return {
    '~standard': {
      version: 1,
      vendor: 'pix-automatic-sdk',
      validate(input): Validation<Output> {
        if (isAsDocumented?.(input)) return { value: finish(input as Output), leftOut: NONE };
        const { success, data, error } = z.safeParse(object, input, { error: describe });
        if (success) {
          const leftOut = Object.freeze(removeLeftOut(input, data, []).slice(0, MAX_ISSUES));
          return { value: finish(data), leftOut };
        }
        return {
          issues: error.issues.slice(0, MAX_ISSUES).map(({ path, message }) => ({ path, message })),
        };
      },
    },
  };
}

/** Validates with one of our schemas, which are all synchronous. */
export function validate<Output>(schema: Schema<unknown, Output>, value: unknown): Validation<Output> {
  return schema['~standard'].validate(value) as Validation<Output>;
}

const NONE: readonly ValidationIssue[] = Object.freeze([]);

/**
 * Finds the fields that the schema left out, which are `undefined` in its result, and deletes them there. An object
 * that is the same in both was not read by the schema.
 */
function removeLeftOut(input: unknown, output: unknown, path: readonly PropertyKey[]): ValidationIssue[] {
  if (typeof output !== 'object' || output === null || output === input) return [];
  return Object.entries(output).flatMap(([name, value]) => {
    // zod also takes over what a polluted `Object.prototype` has, and what a class gives its objects, which counts.
    if (!Object.hasOwn(Object(input), name) && Object.hasOwn(Object.prototype, name)) {
      Reflect.deleteProperty(output, name);
      return [];
    }
    const given: unknown = Reflect.get(Object(input), name);
    const here = [...path, Array.isArray(output) ? Number(name) : name];
    if (value !== undefined || given === undefined) return removeLeftOut(given, value, here);
    Reflect.deleteProperty(output, name);
    // Frozen, because observers get it, and `confirmPayment` relies on it.
    const message = `expected the documented type, got ${typeName(given)}${tooMany(given)}`;
    return [Object.freeze({ path: Object.freeze(here), message })];
  });
}

function tooMany(given: unknown): string {
  if (!Array.isArray(given) || given.length <= MAX_LIST_LENGTH) return '';
  return ` of ${given.length} elements; at most ${MAX_LIST_LENGTH} are read`;
}

/**
 * The message for one of zod's issues: the type that was expected and the type that came, never the value. Passed to
 * every parse, because inlining does not isolate zod: its configuration is on `globalThis`, where a host's
 * `z.config({ customError })` would put the refused value into our messages.
 */
export function describe(issue: z.core.$ZodRawIssue): string {
  const { input } = issue;
  switch (issue.code) {
    case 'invalid_type':
      return describeType(issue.expected, input);
    case 'invalid_value':
      return describeValues(issue.values, input);
    default:
      return input === undefined ? 'required' : 'expected a valid value';
  }
}

function describeValues(values: readonly unknown[], input: unknown): string {
  const expected = values.map(String).join(' or ');
  if (input === undefined) return `required, ${expected}`;
  const isOfType = values.some((value) => typeof value === typeof input);
  return `expected ${expected}, got ${isOfType ? `another ${typeof input}` : typeName(input)}`;
}

function describeType(type: string, input: unknown): string {
  const expected = TYPES.get(type) ?? type;
  if (input === undefined) return `required, ${expected}`;
  if (typeof input === 'number' && type === 'number') return 'expected a finite number, got NaN or infinity';
  return `expected ${expected}, got ${typeName(input)}`;
}

function typeName(input: unknown): string {
  if (input === null) return 'null';
  return TYPES.get(Array.isArray(input) ? 'array' : typeof input) ?? `a ${typeof input}`;
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['array', 'an array'],
  ['boolean', 'a boolean'],
  ['number', 'a number'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['string', 'a string'],
]);

/** In the global registry, because a program may load the ESM and the CommonJS copy of the package side by side. */
const LEFT_OUT_FIELDS = Symbol.for('pix-automatic-sdk.left-out');

/**
 * Attaches to a result the fields that were left out of it because they did not have the documented type. Comparing or
 * printing the result does not show this note, and a copy does not have it.
 */
export function noteLeftOut(result: unknown, issues: readonly ValidationIssue[]): void {
  if (issues.length === 0 || !isObject(result)) return;
  Object.defineProperty(result, LEFT_OUT_FIELDS, { value: issues, enumerable: false });
}

/**
 * Whether something under one of these paths may have been left out of a result. At most `MAX_ISSUES` fields are noted,
 * so a full list may have missed any field. A result that the library did not read, such as a test double's, has
 * nothing left out.
 */
export function mayHaveLeftOut(result: object, paths: readonly (readonly [string, string?])[]): boolean {
  const issues: readonly ValidationIssue[] = Object.hasOwn(result, LEFT_OUT_FIELDS)
    ? Reflect.get(result, LEFT_OUT_FIELDS)
    : [];
  if (issues.length >= MAX_ISSUES) return true;
  return issues.some(({ path }) => paths.some(([first, second]) => path[0] === first && path[1] === second));
}
