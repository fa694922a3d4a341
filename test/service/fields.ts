import type { Schema } from 'pix-automatic-sdk';
import { expect, it } from 'vitest';

const notFinite = [Number.NaN, Number.POSITIVE_INFINITY];

/** The types in the document's tables, each with right values and with values of other types. */
export const types = {
  string: {
    right: ['text', '', '2026-11-21 09:30:00'],
    wrong: [7, true, {}, ['text']],
    expected: 'a string',
  },
  number: {
    right: [0, 7, -1.5, 59.7, 2 ** 60],
    wrong: ['7', true, {}, [], [7], ...notFinite],
    expected: 'a number',
  },
  /** A number that is also read where it comes as text. */
  amount: {
    right: [0, 7, -1.5, 59.7, 2 ** 60],
    wrong: ['59,7', 'R$ 7', '1e3', '0x10', '', ' 7', true, {}, [], [7], ...notFinite],
    expected: 'a number',
  },
  boolean: { right: [true, false], wrong: ['true', 'false', '', 1, 0, {}, []], expected: 'a boolean' },
  /** Of an object that is one of two kinds. */
  either: { right: [true, false], wrong: ['true', 1, 0, {}, []], expected: 'true or false' },
  /** What an event of a recurrence reports. */
  event: {
    right: ['RECURRENCE_AUTHORIZED', 'RECURRENCE_CHARGE_PAID'],
    wrong: [7, true, {}, ['RECURRENCE_AUTHORIZED']],
    expected:
      'RECURRENCE_AUTHORIZED or RECURRENCE_REJECTED or RECURRENCE_EXPIRED or RECURRENCE_CANCELLED or RECURRENCE_CONCLUDED or RECURRENCE_CHARGE_SCHEDULED or RECURRENCE_CHARGE_PAID or RECURRENCE_CHARGE_FAILED',
  },
  object: { right: [{}, { novel: 1 }], wrong: ['text', 7, true, [], ['text']], expected: 'an object' },
  array: { right: [[]], wrong: ['text', 7, {}], expected: 'an array' },
} satisfies Record<string, { right: unknown[]; wrong: unknown[]; expected: string }>;

export interface Field {
  /** The path as the document writes it, with `.0` for an element of an array: `refunds.transactions.0.uuid`. */
  readonly path: string;
  readonly type: keyof typeof types;
  /** Whether `null` and absence are refused. */
  readonly required?: boolean;
  /** Whether another type is refused, in a schema that leaves other such fields out. */
  readonly strict?: boolean;
  /** Values that the field's own rule accepts, instead of those of its type. */
  readonly right?: readonly unknown[];
}

/**
 * Reads a table of the document: `name type, …`, with the path of their object before a colon. `!` after the type marks
 * a required field, `?` a field that may be missing but may not have another type.
 */
export function table(text: string, right: Record<string, readonly unknown[]> = {}): Field[] {
  return text
    .trim()
    .split(/\s*\n\s*/)
    .flatMap((line) => {
      const [, parent, fields = ''] = /^(?:(\S+): )?(.*)$/.exec(line) ?? [];
      return fields.split(', ').map((each) => {
        const [, name = '', type = '', mark] = /^(\S+) (\w+)([!?]?)$/.exec(each) ?? [];
        const path = parent === undefined ? name : `${parent}.${name}`;
        const field = { path, type: type as Field['type'], required: mark === '!', strict: mark !== '' };
        return right[path] === undefined ? field : { ...field, right: right[path] };
      });
    });
}

/** Tests each field of a table with right values, other types, `null` and absence. */
export function testFields<Value>(
  schema: Schema<Value>,
  whole: () => object,
  fields: readonly Field[],
  { lenient }: { lenient: boolean },
): void {
  const issuesOf = (value: unknown) => {
    const result = schema['~standard'].validate(value);
    if (result instanceof Promise) throw new Error('Expected a synchronous schema');
    return result.issues?.map(({ path = [], message }) => ({ path: path.join('.'), message }));
  };

  it('a value with every documented field is accepted unchanged', () => {
    expect(schema['~standard'].validate(whole())).toEqual({ value: whole(), leftOut: [] });
  });

  it('the table and the example name the same fields', () => {
    expect(unmatchedFields(fields, whole())).toEqual([]);
  });

  it.each(fields)('$path takes $type, and no other type', ({ path, type, required, strict, right }) => {
    const refused = (message: string) => ({ issues: [{ path: path.split('.').map(asIndex), message }] });
    const kept = (given: object) => ({ value: given, leftOut: [] });
    for (const value of right ?? types[type].right) {
      // An object may lack required fields of its own, which are tested under their own paths.
      const issues = issuesOf(changed(whole(), path, value)) ?? [];
      expect(issues.filter((issue) => issue.path === path)).toEqual([]);
    }
    for (const value of types[type].wrong) {
      const given = changed(whole(), path, value);
      const before = structuredClone(given);
      const { issues: leftOut } = refused(`expected the documented type, got ${typeName(value)}`);
      // Strict, because a field that is left out must be gone, not undefined.
      expect(schema['~standard'].validate(given), `with ${typeName(value)}`).toStrictEqual(
        lenient && !strict
          ? { value: changed(whole(), path, ABSENT), leftOut }
          : refused(messageOf(type, value)),
      );
      expect(given).toEqual(before);
    }
    const ofNull = changed(whole(), path, null);
    expect(schema['~standard'].validate(ofNull), 'with null').toEqual(
      required ? refused(messageOf(type, null)) : kept(ofNull),
    );
    for (const absent of [undefined, ABSENT]) {
      const issues = required ? [{ path, message: `required, ${types[type].expected}` }] : undefined;
      expect(issuesOf(changed(whole(), path, absent)), 'without it').toEqual(issues);
    }
  });

  it.each(['text', 7, true, null, undefined, []])('%s instead of the whole value is refused', (value) => {
    expect(issuesOf(value)).toEqual([
      { path: '', message: value === undefined ? 'required, an object' : messageOf('object', value) },
    ]);
  });

  it('fields that the document does not show are kept, at every depth', () => {
    const value = withNovelFields(whole());
    expect(schema['~standard'].validate(value)).toEqual({ value, leftOut: [] });
  });

  it('__proto__ and constructor pollute nothing, and supply no field', () => {
    const evil = '{"__proto__":{"polluted":1},"constructor":{"a":1},';
    const hostile = JSON.stringify(whole()).replaceAll('{', evil);
    const result = schema['~standard'].validate(JSON.parse(hostile.replaceAll(',}', '}')));
    if (result instanceof Promise || result.issues) throw new Error('Expected a success');
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    expect(Object.getPrototypeOf(result.value)).toBe(Object.prototype);
    const inherited = JSON.parse(`{"__proto__":${JSON.stringify(whole())}}`);
    const missing = fields.some(({ required }) => required);
    expect(issuesOf(inherited) !== undefined).toBe(missing);
  });
}

/** The message for a value of another type. */
function messageOf(type: Field['type'], value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value))
    return 'expected a finite number, got NaN or infinity';
  return `expected ${types[type].expected}, got ${typeName(value)}`;
}

function typeName(value: unknown): string {
  const name = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
  return name.replace('a object', 'an object');
}

function asIndex(key: string): string | number {
  return /^\d+$/.test(key) ? Number(key) : key;
}

/** Instead of a value: leave the field out. */
const ABSENT = Symbol('absent');

export function changed(whole: object, path: string, value: unknown): object {
  const copy = structuredClone(whole);
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  const parent = keys.reduce<object>((object, key) => Reflect.get(object, key) as object, copy);
  if (value === ABSENT) Reflect.deleteProperty(parent, last);
  else Reflect.set(parent, last, value);
  return copy;
}

/** The paths of all fields within; an element of an array is no field. */
function pathsOf(value: object, prefix = ''): string[] {
  return Object.entries(value).flatMap(([key, field]) => {
    const path = prefix + key;
    const within = typeof field === 'object' && field !== null ? pathsOf(field, `${path}.`) : [];
    return /^\d+$/.test(key) ? within : [path, ...within];
  });
}

/** The fields that only the table or only an example has. */
export function unmatchedFields(fields: readonly Field[], example: object): string[] {
  const [documented, given] = [fields.map(({ path }) => path), pathsOf(example)];
  const only = (these: string[], others: string[], says: string) =>
    these.filter((path) => !others.includes(path)).map((path) => `${path}: ${says}`);
  return [
    ...only(documented, given, 'in test/service/tables.ts, not in src/testing/fixtures'),
    ...only(given, documented, 'in src/testing/fixtures, not in test/service/tables.ts'),
  ];
}

function withNovelFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNovelFields);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([key, field]) => [key, withNovelFields(field)]);
  return { ...Object.fromEntries(fields), novel: { deep: [null] } };
}
