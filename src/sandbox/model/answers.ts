import { type Schema, validate } from '../../service/schema/schema';
import type { InventedAnswer } from '../inventions';

/** A request, however it came. */
export interface ServiceRequest {
  readonly method: string;
  /** The path with which the service knows it, from `/v1.1` on; a query is ignored. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** An answer, however it goes. */
export interface ServiceAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** A documented answer. */
export function documented(body: object): ServiceAnswer {
  return json(200, body);
}

/**
 * An answer that the document does not show. A header names the row of the table it comes from, so that no one takes
 * it for the service's.
 */
export function invented(row: string, answer: InventedAnswer, detail?: string): ServiceAnswer {
  const message = detail === undefined ? answer.message : `${answer.message}: ${detail}`;
  return json(answer.httpStatus, { status: answer.status, message }, { 'x-sandbox-invention': row });
}

/** An answer with a JSON body, written the same way each time. */
export function json(status: number, body: object, headers: Record<string, string> = {}): ServiceAnswer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

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
