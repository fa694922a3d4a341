import type { StandardSchemaV1 } from '@standard-schema/spec';
import type * as z from 'zod/mini';
import { read, type Validation } from './read';

/**
 * Every schema of the library travels as a Standard Schema, so that no type of zod is in a public type, and so that
 * nobody can validate without our messages.
 */
export type Schema<Input, Output = Input> = StandardSchemaV1<Input, Output>;

/**
 * Makes a public schema of one of zod's. zod's is made while the library loads: made late, it would fail for good where
 * something has polluted `Object.prototype` meanwhile.
 *
 * @param object - the schema, which has the last word
 * @param isAsDocumented - a quick yes for values that `object` would give out as they are
 */
// @__NO_SIDE_EFFECTS__
export function toSchema<Output, Input>(
  object: z.core.$ZodType<Output, Input>,
  isAsDocumented?: (value: unknown) => boolean,
): Schema<Input, Output> {
  return {
    '~standard': {
      version: 1,
      vendor: 'pix-automatic-sdk',
      validate(value): Validation<Output> {
        try {
          if (isAsDocumented?.(value)) return { value: value as Output, leftOut: [], issues: undefined };
          return read(object, value) as Validation<Output>;
        } catch {
          // An accessor of a body that something else has parsed, or a host that breaks zod. What was thrown may quote.
          return { issues: [{ path: [], message: 'expected a value that can be read' }] };
        }
      },
    },
  };
}

/** Validates with a schema of ours, which are all synchronous. */
export function validate<Output>(schema: Schema<unknown, Output>, value: unknown): Validation<Output> {
  return schema['~standard'].validate(value) as Validation<Output>;
}
