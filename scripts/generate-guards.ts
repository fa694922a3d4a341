// Writes `src/service/guards.generated.ts` from the schemas of responses and notifications: functions that confirm
// quickly that a value is exactly as documented, as nearly all values are. zod would take some microseconds for that.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod/mini';
import * as checks from '../src/service/checks';
import * as fields from '../src/service/fields';

type Schemas = Readonly<Record<string, z.core.$ZodType>>;
/** The functions that schemas use to check, by their exported name in `src/service/checks.ts`. */
type Checks = Readonly<Record<string, unknown>>;

/** What the service sends: each schema that these folders export as `…Object` gets a guard named after it. */
const FOLDERS = ['src/service/notifications', 'src/service/operations'];

function objectsOf(module: object): Schemas {
  // What we send is checked once, before it is sent: a guard would save nothing.
  const objects = Object.entries(module).filter(([name]) => /(?<!Request)Object$/.test(name));
  return Object.fromEntries(
    objects.map(([name, schema]) => [
      name.charAt(0).toUpperCase() + name.slice(1, -'Object'.length),
      schema as Schemas[string],
    ]),
  );
}

const modules = await Promise.all(
  FOLDERS.flatMap((folder) => readdirSync(folder).map((file) => import(join('..', folder, file)))),
);
const objects: Schemas = Object.assign({}, ...modules.map(objectsOf));

/** `src/service/guards.generated.ts`. */
export const guards = (): string => generateGuards(objects, objectsOf(fields), checks);

const HEADER = `// Made by \`npm run generate\` from the schemas. Do not edit: change the schema, and run it again.
//
// Each guard confirms quickly that a value is exactly as documented, so that its schema would return it unchanged. A
// guard returns false if it is not sure, and the schema then decides. A property test keeps the two consistent.`;

/**
 * Returns the TypeScript code of the guards.
 *
 * @param exported - the schemas that get an exported guard
 * @param shared - inner schemas that have their own name; the others are named by their place
 * @throws for anything in a schema that it has no code for
 */
function generateGuards(exported: Schemas, shared: Schemas, checks: Checks): string {
  const names = new Map(Object.entries({ ...exported, ...shared }).map(([name, schema]) => [schema, name]));
  const functions = new Map<z.core.$ZodType, string>();
  for (const [name, schema] of Object.entries(exported)) guardOf(schema, name);
  const code = [...functions.values()].join('\n\n');
  const used = Object.keys(checks).filter((name) => code.includes(`${name}(`));
  const imports = `import { isGiven, isObject } from '../shared/objects';
import { ${used.sort().join(', ')} } from './checks';`;
  return `${HEADER}\n\n${imports}\n\n${code}\n`;

  /** Returns the name of the guard of an object or a union. Writes the guard at the first call. */
  function guardOf(schema: z.core.$ZodType, place: string): string {
    const name = names.get(schema) ?? place;
    names.set(schema, name);
    if (!functions.has(schema)) {
      functions.set(schema, '');
      const start = Object.hasOwn(exported, name) ? 'export function' : 'function';
      functions.set(schema, `${start} is${name}(value: unknown): boolean {\n${bodyOf(schema, name)}\n}`);
    }
    return `is${name}`;
  }

  function bodyOf(schema: z.core.$ZodType, name: string): string {
    const { def } = (schema as z.core.$ZodTypes)._zod;
    if (def.type === 'union') {
      const options = def.options.map((option, index) =>
        guardOf(option as z.core.$ZodType, `${name}${index + 1}`),
      );
      return `return ${options.map((option) => `${option}(value)`).join(' || ')};`;
    }
    if (def.type !== 'object') throw new Error(`No code for a schema of type ${def.type} at ${name}`);
    const fields = Object.entries(def.shape).map(([field, inner]) => {
      if (!/^[a-z]\w*$/i.test(field)) throw new Error(`No code for a field called ${field}`);
      const value = `value['${field}']`;
      const alternatives = alternativesOf(inner, value, name + field[0]?.toUpperCase() + field.slice(1));
      const isRequired = !alternatives.includes(`${value} === undefined`);
      return { isRequired, test: anyOf(alternatives) };
    });
    const tests = [
      // Required fields come first, because they tell the most.
      ...fields.filter(({ isRequired }) => isRequired).map(({ test }) => test),
      ...fields.filter(({ isRequired }) => !isRequired).map(({ test }) => test),
      ...checksOf(schema).map((check) => codeOf(check, 'value')),
    ];
    return `if (!isObject(value)) return false;\nreturn ${allOf(tests)};`;
  }

  /** Returns the tests of a schema. A value passes if one of them holds. */
  function alternativesOf(schema: z.core.$ZodType, value: string, place: string): string[] {
    const { def } = (schema as z.core.$ZodTypes)._zod;
    switch (def.type) {
      case 'optional':
        return [...alternativesOf(def.innerType, value, place), `${value} === undefined`];
      case 'nullable':
        return [...alternativesOf(def.innerType, value, place), `${value} === null`];
      case 'catch':
        return alternativesOf(def.innerType, value, place);
      case 'string':
      case 'boolean':
        return [
          named(
            allOf([
              `typeof ${value} === '${def.type}'`,
              ...checksOf(schema).map((check) => codeOf(check, value)),
            ]),
          ),
        ];
      case 'number':
        if (checksOf(schema).length > 0) break;
        return [`Number.isFinite(${value})`];
      case 'literal':
        return def.values.map((literal) => `${value} === ${JSON.stringify(literal)}`);
      case 'array':
        return [
          allOf([
            `isListOf(${value}, (item) => ${anyOf(alternativesOf(def.element, 'item', `${place}Item`))})`,
            ...checksOf(schema).map((check) => codeOf(check, value)),
          ]),
        ];
      case 'object':
        return [
          Object.keys(def.shape).length === 0 ? `isObject(${value})` : `${guardOf(schema, place)}(${value})`,
        ];
      case 'union':
        return [`${guardOf(schema, place)}(${value})`];
    }
    throw new Error(`No code for a schema of type ${def.type} at ${place}`);
  }

  function codeOf(check: z.core.$ZodCheck, value: string): string {
    const def = check._zod.def as z.core.$ZodChecks['_zod']['def'] | z.core.$ZodCustomDef;
    switch (def.check) {
      case 'max_length':
        return `${value}.length <= ${def.maximum}`;
      case 'custom':
        return `${nameOf((def as z.core.$ZodCustomDef).fn)}(${value})`;
      default:
        throw new Error(`No code for the check ${def.check}`);
    }
  }

  function nameOf(given: unknown): string {
    const name = Object.keys(checks).find((known) => checks[known] === given);
    if (name === undefined) throw new Error('A function of a schema is not among those of checks.ts');
    return name;
  }
}

function checksOf(schema: z.core.$ZodType): readonly z.core.$ZodCheck<never>[] {
  return schema._zod.def.checks ?? [];
}

function allOf(tests: readonly string[]): string {
  return tests.join(' && ');
}

function anyOf(tests: readonly string[]): string {
  if (tests.length === 1) return tests.join();
  return named(`(${tests.map((test) => (test.includes('&&') ? `(${test})` : test)).join(' || ')})`);
}

/** The same test, shorter where there is a function for it: nearly all fields have one of these forms. */
function named(test: string): string {
  return test
    .replace(/^\((.+) \|\| (\S+) === null \|\| \2 === undefined\)$/s, '(!isGiven($2) || $1)')
    .replace(/^\(!isGiven\((\S+)\) \|\| typeof \1 === 'string'\)$/, 'isMaybeText($1)')
    .replace(/^\(!isGiven\((\S+)\) \|\| Number\.isFinite\(\1\)\)$/, 'isMaybeNumber($1)')
    .replace(
      /^typeof (\S+) === 'string' && isNotEmpty\(\1\) && isShort\(\1\) && isUndamaged\(\1\)$/,
      'isIdentity($1)',
    );
}
