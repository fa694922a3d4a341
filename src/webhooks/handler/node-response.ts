import type { PlainResponse } from './request';

/** The part of a `node:http` response that is used here. */
export interface NodeResponse {
  /** Whether something has answered already. */
  readonly headersSent: boolean;
  /** Sends the status and the headers. */
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  /** Sends the body and ends the response. */
  end(body: string): unknown;
  /** Closes the connection. Called if another method has thrown, so that the service does not wait for a response. */
  destroy?(): unknown;
}

/** Recognizes a response by its functions. Workers pass an environment as second argument, and Next.js parameters. */
export function isNodeResponse(value: unknown): value is NodeResponse {
  if (typeof value !== 'object' || value === null) return false;
  const { writeHead, end }: { readonly [Name in keyof NodeResponse]?: unknown } = value;
  return typeof writeHead === 'function' && typeof end === 'function';
}

/**
 * Sends the answer. If the response throws, because something has wrapped it, the error goes to `onFailure`: an
 * unhandled rejection would end the process.
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
    // The rest of an unread body would be read to its end before the next request, and it may never end.
    response.writeHead(status, request.complete === false ? { ...headers, connection: 'close' } : headers);
    response.end(body);
  } catch (error) {
    onFailure(error);
    breakOff(response);
  }
}

/** Closes the connection, so that the service sees a failed delivery at once, and sends the notification again. */
function breakOff(response: NodeResponse): void {
  try {
    response.destroy?.();
  } catch {
    // The first error of the response is already reported.
  }
}
