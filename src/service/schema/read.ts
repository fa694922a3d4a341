import * as z from 'zod/mini';
import { isObject } from '../../shared/objects';
import type { ValidationIssue } from '../../shared/validation-issue';
import { describe, describeValues } from './messages';

/** The value that the schema gives, or what is wrong with the input. */
export type Validation<Output> =
  | {
      readonly value: Output;
      /**
       * Fields that do not have the documented type and are missing from `value`: the first few, never their values. A
       * path that leads to an element of a list means that the whole list is left out.
       */
      readonly leftOut: readonly ValidationIssue[];
      readonly issues?: undefined;
    }
  | { readonly issues: readonly ValidationIssue[] };

type Reading = Validation<unknown>;
type Fields = Readonly<Record<string, unknown>>;

/** No request can have more. A body of one mebibyte has room for half a million. */
export const MAX_ISSUES = 20;

/** Stands for the value of a field that is left out. */
const LEFT_OUT = Symbol('left out');

const NONE: readonly ValidationIssue[] = Object.freeze([]);

/**
 * Reads a value by a schema of zod, as zod would, with these differences:
 *
 * - only own properties count, so that a polluted `Object.prototype` supplies no field
 * - a field whose schema is a `z.catch` and refuses the value is left out, and reported
 * - only a few issues are described, and a list ends at its first; zod overflows the stack at about 110,000
 *
 * This function walks objects and lists, and lets zod judge everything else. It goes no deeper than the schema.
 *
 * @param room - how many issues to describe; beyond them, a refused value has an empty list of issues
 */
export function read(schema: z.core.$ZodType, value: unknown, room = MAX_ISSUES): Reading {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
      return value === undefined ? whole(value) : read(def.innerType, value, room);
    case 'nullable':
      return value === null ? whole(value) : read(def.innerType, value, room);
    case 'catch': {
      const reading = read(def.innerType, value, room);
      return reading.issues === undefined ? reading : whole(LEFT_OUT, reading.issues);
    }
    case 'array':
      return Array.isArray(value) ? readList(def, value, room) : judge(schema, value, room);
    case 'object':
      return isObject(value) && isLoose(def)
        ? readObject(schema, def, value, room)
        : judge(schema, value, room);
    case 'union':
      return isObject(value) && isDiscriminated(def)
        ? readOption(def, value, room)
        : judge(schema, value, room);
    default:
      return judge(schema, value, room);
  }
}

function judge(schema: z.core.$ZodType, value: unknown, room: number): Reading {
  const result = z.safeParse(schema, value, { error: describe });
  if (result.success) return whole(result.data);
  // zod builds its error when it is first read, and that is most of the work.
  if (room <= 0) return { issues: NONE };
  return { issues: result.error.issues.slice(0, room).map(({ path, message }) => ({ path, message })) };
}

function readObject(
  schema: z.core.$ZodType,
  def: z.core.$ZodObjectDef,
  given: Fields,
  room: number,
): Reading {
  // A copy, so that the input is not changed. zod, too, leaves out a field called `__proto__`.
  const value: Record<string, unknown> = { ...given };
  Reflect.deleteProperty(value, '__proto__');
  const issues: ValidationIssue[] = [];
  const leftOut: ValidationIssue[] = [];
  let isRefused = false;
  for (const name of Object.keys(def.shape)) {
    const isThere = Object.hasOwn(given, name);
    const field = def.shape[name] as z.core.$ZodType;
    const reading = read(field, isThere ? given[name] : undefined, room - issues.length - leftOut.length);
    if (reading.issues !== undefined) {
      isRefused = true;
      issues.push(...under(name, reading.issues));
    } else if (isThere) {
      leftOut.push(...under(name, reading.leftOut));
      if (reading.value === LEFT_OUT) Reflect.deleteProperty(value, name);
      else value[name] = reading.value;
    }
  }
  if (isRefused) return { issues };
  // zod judges rules over several fields, on a value without inherited fields.
  const ruling = Object.hasOwn(def, 'checks')
    ? judge(schema, { __proto__: null, ...value }, room)
    : undefined;
  return ruling?.issues === undefined ? whole(value, leftOut) : ruling;
}

function readList({ element }: z.core.$ZodArrayDef, given: readonly unknown[], room: number): Reading {
  const value: unknown[] = [];
  const leftOut: ValidationIssue[] = [];
  for (const item of given) {
    const reading = read(element, item, room - leftOut.length);
    const index = value.length;
    if (reading.issues !== undefined) return { issues: under(index, reading.issues) };
    value.push(reading.value);
    leftOut.push(...under(index, reading.leftOut));
  }
  return whole(value, leftOut);
}

/** Finds the option by its literal, such as `success` of a payout. */
function readOption(def: z.core.$ZodDiscriminatedUnionDef, given: Fields, room: number): Reading {
  const { options, discriminator } = def;
  const mark = Object.hasOwn(given, discriminator) ? given[discriminator] : undefined;
  const marks = options.map((option) => marksOf(option, discriminator));
  const option = options.find((_, index) => marks[index]?.includes(mark));
  if (option !== undefined) return read(option as z.core.$ZodType, given, room);
  return { issues: [{ path: [discriminator], message: describeValues(marks.flat(), mark) }] };
}

function marksOf(option: z.core.SomeType, discriminator: string): readonly unknown[] {
  const { def } = (option as z.core.$ZodObject)._zod;
  return (def.shape[discriminator] as z.core.$ZodLiteral)._zod.def.values;
}

function whole(value: unknown, leftOut = NONE): Reading {
  // Without an own `issues` field, a polluted `Object.prototype.issues` would turn this into a refusal.
  return { value, leftOut, issues: undefined };
}

function under(name: PropertyKey, issues: readonly ValidationIssue[]): readonly ValidationIssue[] {
  if (issues.length === 0) return issues;
  return issues.map(({ path, message }) => ({ path: [name, ...path], message }));
}

/** Whether a schema keeps the fields that it does not name, as all schemas for data from the service do. */
function isLoose({ catchall }: z.core.$ZodObjectDef): boolean {
  return catchall?._zod.def.type === 'unknown';
}

function isDiscriminated(def: z.core.$ZodUnionDef): def is z.core.$ZodDiscriminatedUnionDef {
  return Object.hasOwn(def, 'discriminator');
}
