import type { PlainResponse } from '../handler/request';

/** The part of a `node:http` response that is used here. */
export interface NodeResponse {
  /** Whether something has answered already. */
  readonly headersSent: boolean;
  /** Sends the status and the headers. */
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  /** Sends the body and ends the answer. */
  end(body: string): unknown;
  /** Breaks the connection off. Called when one of the others has thrown, so that nobody waits for an answer. */
  destroy?(): unknown;
}

/** By its functions, which no other second argument of a handler has: Workers pass an environment, Next.js parameters. */
export function isNodeResponse(value: unknown): value is NodeResponse {
  if (typeof value !== 'object' || value === null) return false;
  const { writeHead, end }: { readonly [Name in keyof NodeResponse]?: unknown } = value;
  return typeof writeHead === 'function' && typeof end === 'function';
}

/**
 * Answers. A response that throws, because something has wrapped it, must not end the process by a rejection that nobody
 * handles.
 *
 * @param request - `complete` says whether the body has arrived
 * @param onFailure - is given what the response threw
 */
export function sendTo(
  response: NodeResponse,
  request: { readonly complete?: boolean },
  { status, headers, body }: PlainResponse,
  onFailure: (error: unknown) => void,
): void {
  try {
    if (response.headersSent) return;
    // What was not read of a body would be read to its end before the next request, and it may have none.
    response.writeHead(status, request.complete === false ? { ...headers, connection: 'close' } : headers);
    response.end(body);
  } catch (error) {
    onFailure(error);
    breakOff(response);
  }
}

/** The service then sees a failed delivery at once, and sends the notification again. */
function breakOff(response: NodeResponse): void {
  try {
    response.destroy?.();
  } catch {
    // What the response threw first is reported already.
  }
}
