import type * as z from 'zod/mini';

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

/** The message for a value that is none of the values allowed in its field. */
export function describeValues(values: readonly unknown[], input: unknown): string {
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
