import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod/mini';
import type { ValidationIssue } from '../errors';

/**
 * Every schema of the library travels as a Standard Schema, so that no type of zod is in a public type, and so that
 * nobody can validate without our error map.
 */
export type Schema<Input, Output = Input> = StandardSchemaV1<Input, Output>;

/** The result of `validate`: the value as the schema gives it, or what is wrong with it. */
export type Validation<Output> =
  | {
      readonly value: Output;
      /** Fields of another type than documented, which `value` is without: the first few, never their values. */
      readonly leftOut: readonly ValidationIssue[];
      readonly issues?: undefined;
    }
  | { readonly issues: readonly ValidationIssue[] };

/**
 * Makes a public schema of one of zod's.
 *
 * @param make - makes zod's when it is first needed: to make all of them would take a quarter of the time of loading
 *   this library, and most programs never do need them
 * @param quick - a shorter way to the same value, for values that are as documented; `undefined` where it is not sure
 */
// @__NO_SIDE_EFFECTS__
export function toSchema<Output, Input>(
  make: () => z.core.$ZodType<Output, Input>,
  quick?: (value: unknown) => Output | undefined,
): Schema<Input, Output> {
  let object: z.core.$ZodType<Output, Input> | undefined;
  return {
    '~standard': {
      version: 1,
      vendor: 'pix-automatic-sdk',
      validate(value): Validation<Output> {
        const known = quick?.(value);
        if (known !== undefined) return { value: known, leftOut: [] };
        // The map is passed at every parse because inlining does not isolate zod: its configuration lives on
        // `globalThis`, where a host's `z.config({ customError })` would put the refused value into our messages.
        object ??= make();
        const result = z.safeParse(object, value, { error: describe });
        if (result.success) return { value: result.data, leftOut: [] };
        return { issues: result.error.issues.map(({ path, message }) => ({ path, message })) };
      },
    },
  };
}

/** Validates with a schema of ours, which are all synchronous. */
export function validate<Output>(schema: Schema<unknown, Output>, value: unknown): Validation<Output> {
  const result = schema['~standard'].validate(value);
  return result as Validation<Output>;
}

const articles: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'a boolean',
  number: 'a finite number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
};

/** Names the expectation, never the value. */
function describe(issue: z.core.$ZodRawIssue): string {
  const expectation = describeExpectation(issue);
  return issue.input === undefined ? `required, ${expectation}` : `expected ${expectation}`;
}

function describeExpectation(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return articles[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return issue.values.map(String).join(' or ');
    case 'too_small':
      return 'a longer value';
    case 'invalid_union':
      // The only union is a payout's, which its boolean `success` tells apart.
      return 'true or false';
    default:
      return 'a valid value';
  }
}
