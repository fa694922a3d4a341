import { type Schema, validate } from '../../service/schema';
import type { InventedAnswer } from '../inventions';

/** A request, from HTTP or from an msw handler. */
export interface ServiceRequest {
  readonly method: string;
  /** The path below the base URL, with its query. The service's operations ignore the query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** An answer, for HTTP or for an msw handler. */
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
 * An answer that the document does not show. A header names the row of the table that it comes from, so that nobody
 * takes it for an answer of the real service.
 */
export function invented(row: string, answer: InventedAnswer, detail?: string): ServiceAnswer {
  const message = detail === undefined ? answer.message : `${answer.message}: ${detail}`;
  return json(answer.httpStatus, { status: answer.status, message }, { 'x-sandbox-invention': row });
}

export function json(
  status: number,
  body: object | null,
  headers: Record<string, string> = {},
): ServiceAnswer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/** The value of a body that fits its schema, or what is wrong with the body. */
export type ParsedBody<Value> =
  | { readonly value: Value; readonly problem?: undefined }
  | { readonly problem: string };

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
