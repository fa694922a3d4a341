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
