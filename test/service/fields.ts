import type { Schema } from 'pix-automatic-sdk';
import { describe, expect, it } from 'vitest';

/** The types in the document's tables, each with right values and with values of other types. */
export const types = {
  string: {
    right: ['text', '', '2026-11-21 09:30:00'],
    wrong: [7, true, {}, ['text']],
    expected: 'a string',
  },
  number: {
    right: [0, 7, -1.5, 59.7, 2 ** 60],
    wrong: ['7', true, {}, [], [7], Number.NaN, Number.POSITIVE_INFINITY],
    expected: 'a number',
  },
  boolean: { right: [true, false], wrong: ['true', 'false', '', 1, 0, {}, []], expected: 'a boolean' },
  /** Of an object that is one of two kinds. */
  either: { right: [true, false], wrong: ['true', 1, 0, {}, []], expected: 'true or false' },
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
    expect(fields.map(({ path }) => path).sort()).toEqual(pathsOf(whole()).sort());
  });

  describe.each(fields)('$path', ({ path, type, required = false, strict = false, right }) => {
    it(`accepts values of type ${type}`, () => {
      for (const value of right ?? types[type].right) {
        // An object may lack required fields of its own, which are tested under their own paths.
        const issues = issuesOf(changed(whole(), path, value)) ?? [];
        expect(issues.filter((issue) => issue.path === path)).toEqual([]);
      }
    });

    const isLeftOut = lenient && !strict;
    it(`${isLeftOut ? 'is left out' : 'is refused'} unless it is of type ${type}, and the issue does not quote the value`, () => {
      for (const value of types[type].wrong) {
        const given = changed(whole(), path, value);
        const before = structuredClone(given);
        const message = isLeftOut
          ? `expected the documented type, got ${typeName(value)}`
          : messageOf(type, value);
        const issue = { path: path.split('.').map(asIndex), message };
        expect(schema['~standard'].validate(given)).toEqual(
          isLeftOut ? { value: changed(whole(), path, ABSENT), leftOut: [issue] } : { issues: [issue] },
        );
        expect(given).toEqual(before);
      }
    });

    it(required ? 'must not be null' : 'may be null', () => {
      const expected = [{ path, message: messageOf(type, null) }];
      const given = changed(whole(), path, null);
      expect(issuesOf(given)).toEqual(required ? expected : undefined);
      if (!required) expect(schema['~standard'].validate(given)).toEqual({ value: given, leftOut: [] });
    });

    it(required ? 'must be present' : 'may be absent', () => {
      const expected = [{ path, message: `required, ${types[type].expected}` }];
      for (const value of [undefined, ABSENT]) {
        expect(issuesOf(changed(whole(), path, value))).toEqual(required ? expected : undefined);
      }
    });
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
    const hostile = JSON.stringify(whole()).replaceAll(
      '{',
      '{"__proto__":{"polluted":1},"constructor":{"a":1},',
    );
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
export function pathsOf(value: object, prefix = ''): string[] {
  return Object.entries(value).flatMap(([key, field]) => {
    const path = prefix + key;
    const within = typeof field === 'object' && field !== null ? pathsOf(field, `${path}.`) : [];
    return /^\d+$/.test(key) ? within : [path, ...within];
  });
}

function withNovelFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNovelFields);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([key, field]) => [key, withNovelFields(field)]);
  return { ...Object.fromEntries(fields), novel: { deep: [null] } };
}
