import { type Schema, validate } from '../../service/schema/schema';

/** A body that fits its schema, or what is wrong with it. */
export type ParsedBody<Value> =
  | { readonly value: Value; readonly problem?: undefined }
  | { readonly problem: string };

/** Reads a request's body. */
export function parseBody<Value>(schema: Schema<Value>, body: string): ParsedBody<Value> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return { problem: 'not JSON' };
  }
  const result = validate<Value>(schema, parsed);
  if (!result.issues) return { value: result.value };
  const problems = result.issues.map(
    ({ path, message }) => `${path.map(String).join('.') || 'body'} ${message}`,
  );
  return { problem: problems.join('; ') };
}
