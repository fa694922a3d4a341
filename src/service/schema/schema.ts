import type { StandardSchemaV1 } from '@standard-schema/spec';
import type * as z from 'zod/mini';
import { read, type Validation } from './read';

/**
 * Every schema of the library is exported as a Standard Schema, so that no type of zod is in a public type, and every
 * validation uses our messages.
 */
export type Schema<Input, Output = Input> = StandardSchemaV1<Input, Output>;

/**
 * Makes a public schema from one of zod's. The zod schema is created while the library loads: created later, it would
 * fail for good if something had polluted `Object.prototype` in the meantime.
 *
 * @param object - the schema, which has the last word
 * @param isAsDocumented - a fast check: true only for values that `object` would return unchanged
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
          // A parsed body may have accessors, or the host may break zod. What was thrown may quote values.
          return { issues: [{ path: [], message: 'expected a value that can be read' }] };
        }
      },
    },
  };
}

/** Validates with one of our schemas, which are all synchronous. */
export function validate<Output>(schema: Schema<unknown, Output>, value: unknown): Validation<Output> {
  return schema['~standard'].validate(value) as Validation<Output>;
}
