import type { Send, SendOptions } from '../sandbox/delivery/delivery';
import type { Credentials } from '../service/credentials';
import { nameOfType } from '../shared/objects';
import { basicAuthorization } from '../webhooks/authorization';

/** A listener URL that does not exist. */
export const DEFAULT_LISTENER = 'https://merchant.example/webhooks';

export interface SignedRequestParts {
  readonly url: string;
  readonly body: string;
  readonly credentials: Credentials;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A notification as the service sends it (document sections 5 and 6.1). */
export function signedRequest({ url, body, credentials, headers, signal }: SignedRequestParts): Request {
  const usual = { authorization: basicAuthorization(credentials), 'content-type': 'application/json' };
  const sent = new Headers(usual);
  // Set one by one: a record would hold both `Authorization` and `authorization`, and send both.
  for (const [name, value] of Object.entries(headers ?? {})) sent.set(name, value);
  return new Request(url, {
    method: 'POST',
    headers: sent,
    body,
    // The service counts a redirect as a failure, like every response but 200.
    redirect: 'manual',
    signal: signal ?? null,
  });
}

/** Receives a notification: your handler, or `fetch`. */
export type DeliverTo = (request: Request) => Promise<Response>;

/** Sends notifications as `Request` objects. The time limit runs in real time; `now` only measures the duration. */
export function requestSend(deliverTo: DeliverTo, now: () => number): (options: SendOptions) => Send {
  return ({ credentials, timeoutMs }) =>
    async ({ url, body, signal }) => {
      if (signal.aborted) return { httpStatus: undefined, error: 'closed', durationMs: 0 };
      const started = now();
      const over = new AbortController();
      const ended = new Promise<never>((_resolve, reject) => {
        over.signal.addEventListener('abort', () => reject(over.signal.reason));
      });
      const timer = setTimeout(() => over.abort(new Ending('timeout')), timeoutMs);
      signal.addEventListener('abort', () => over.abort(new Ending('closed')));
      const durationMs = () => Math.round(now() - started);
      try {
        const request = signedRequest({ url, body, credentials, signal: over.signal });
        const response = await Promise.race([deliverTo(request), ended]);
        if (typeof Object(response).status !== 'number') throw new Ending(notResponse(response));
        // Nobody reads the body; left open, it would hold the connection.
        response.body?.cancel().catch(() => {});
        return { httpStatus: response.status, error: undefined, durationMs: durationMs() };
      } catch (error) {
        return { httpStatus: undefined, error: nameOf(error), durationMs: durationMs() };
      } finally {
        clearTimeout(timer);
      }
    };
}

function notResponse(given: unknown): string {
  return `\`deliverTo\` gave ${nameOfType(given)}, and not a Response: is a \`return\` missing?`;
}

class Ending extends Error {}

/** A short name for a failure. Never the message of an error that is not ours: it may quote what it failed on. */
function nameOf(error: unknown): string {
  if (error instanceof Ending) return error.message;
  const { cause, code, name } = Object(error) as Record<string, unknown>;
  const { code: causeCode } = Object(cause) as Record<string, unknown>;
  return String(code ?? causeCode ?? name ?? 'failed');
}
