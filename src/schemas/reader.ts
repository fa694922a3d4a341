import type * as z from 'zod/mini';

/**
 * The value as the schema gives it, or `REFUSED`, which says nothing: ask the schema.
 *
 * The quick answer for values that are as documented, which nearly all are: zod/mini takes some microseconds to say
 * yes, because it makes a copy and room for issues. A reader copies only what a schema changes.
 */
export type Reader<Output> = (value: unknown) => Output | typeof REFUSED;

export const REFUSED = Symbol('refused');

/** Puts a reader together from a schema, out of closures and not of generated code, which Workers forbid. */
export function toReader<Output>(schema: z.core.$ZodType<Output>): Reader<Output> {
  return read(schema) as Reader<Output>;
}

type Read = (value: unknown) => unknown;

function read(schema: z.core.$ZodType): Read {
  const inner = readType(schema);
  const checks = schema._zod.def.checks ?? [];
  if (checks.length === 0) return inner;
  const tests = checks.map(toTest);
  return (value) => {
    const result = inner(value);
    return result === REFUSED || tests.every((test) => test(result)) ? result : REFUSED;
  };
}

function readType({ _zod: { def } }: z.core.$ZodType): Read {
  const known = def as z.core.$ZodTypes['_zod']['def'];
  switch (known.type) {
    case 'string':
      return (value) => (typeof value === 'string' ? value : REFUSED);
    case 'number':
      return (value) => (Number.isFinite(value) ? value : REFUSED);
    case 'boolean':
      return (value) => (typeof value === 'boolean' ? value : REFUSED);
    case 'literal': {
      const allowed: readonly unknown[] = known.values;
      return (value) => (allowed.includes(value) ? value : REFUSED);
    }
    case 'optional': {
      const inner = read(known.innerType);
      return (value) => (value === undefined ? value : inner(value));
    }
    case 'nullable': {
      const inner = read(known.innerType);
      return (value) => (value === null ? value : inner(value));
    }
    case 'array': {
      const item = read(known.element);
      return (value) =>
        Array.isArray(value) && value.every((each) => item(each) === each) ? value : REFUSED;
    }
    case 'object':
      // Only objects that keep what they do not know.
      if (known.catchall?._zod.def.type !== 'unknown') return refuse;
      return readFields(Object.entries(known.shape).map(([name, field]) => [name, read(field)]));
    case 'record':
      if (known.valueType._zod.def.type !== 'unknown') return refuse;
      return (value) => (isObject(value) ? value : REFUSED);
    case 'union':
      return readFirst(known.options.map(read));
    case 'pipe':
      return readTransformed(read(known.in), known.out._zod.def as Partial<z.core.$ZodTransformDef>);
    default:
      return refuse;
  }
}

const refuse: Read = () => REFUSED;

function readFields(fields: ReadonlyArray<readonly [name: string, read: Read]>): Read {
  return (value) => {
    if (!isObject(value)) return REFUSED;
    let changed: Record<string, unknown> | undefined;
    for (const [name, readField] of fields) {
      const field = value[name];
      const result = readField(field);
      if (result === REFUSED) return REFUSED;
      if (result !== field) {
        changed ??= { ...value };
        changed[name] = result;
      }
    }
    return changed ?? value;
  };
}

function readFirst(options: readonly Read[]): Read {
  return (value) => {
    for (const option of options) {
      const result = option(value);
      if (result !== REFUSED) return result;
    }
    return REFUSED;
  };
}

function readTransformed(inner: Read, { transform }: Partial<z.core.$ZodTransformDef>): Read {
  if (transform === undefined) return refuse;
  return (value) => {
    const result = inner(value);
    return result === REFUSED ? result : transform(result, { value: result, issues: [] });
  };
}

/** Without a field called `__proto__`, which a copy by assignment would take for something else. zod leaves it out. */
function isObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !Object.hasOwn(value, '__proto__')
  );
}

/** Of the checks, only the one that every notification meets is known here. */
function toTest({ _zod: { def } }: z.core.$ZodCheck): (value: unknown) => boolean {
  const known = def as z.core.$ZodChecks['_zod']['def'];
  return known.check === 'min_length' ? (value) => String(value).length >= known.minimum : () => false;
}
