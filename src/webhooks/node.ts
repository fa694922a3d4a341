import { isBytes } from '../shared/bytes';
import { answer } from './answer';
import type { Verdict } from './receive';
import type { Reporter } from './report';
import { isConsumed, type SharedRequest } from './request';

/** The part of a `node:http` request that is used here. Requests of Express and NestJS fit. */
export type NodeRequest = {
  /** The HTTP method. */
  readonly method?: string | undefined;
  /** The path with the query. */
  readonly url?: string | undefined;
  /** The headers, under lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Whether the whole body has arrived. */
  readonly complete?: boolean;
  /** Whether something has begun to read the body. */
  readonly readableDidRead?: boolean;
  /** Whether the body was read to its end. */
  readonly readableEnded?: boolean;
  /** 1, or 2 for HTTP/2. */
  readonly httpVersionMajor?: number;
  /** Whether the connection is gone. */
  readonly destroyed?: boolean;
};

/** The part of a `node:http` response that is used here. */
export type NodeResponse = {
  /** Whether something has answered already. */
  readonly headersSent: boolean;
  /** The status of that answer. */
  readonly statusCode?: number;
  /** Sends the status and the headers. */
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  /** Sends the body and ends the response. */
  end(body: string): unknown;
  /** Closes the connection. Called if another method has thrown, so that the service does not wait for a response. */
  destroy?(): unknown;
};

/** Recognizes a response by its functions. */
export function isNodeResponse(value: unknown): value is NodeResponse {
  if (typeof value !== 'object' || value === null) return false;
  const { writeHead, end }: { readonly [Name in keyof NodeResponse]?: unknown } = value;
  return typeof writeHead === 'function' && typeof end === 'function';
}

/**
 * Answers a request of `node:http` on its response. Works before a body parser, and after one that puts its result in
 * `request.body`. Never rejects, because an unhandled rejection would end the process.
 */
export async function answerOn(
  response: NodeResponse,
  request: NodeRequest,
  judge: (request: SharedRequest) => Promise<Verdict>,
  report: Reporter,
): Promise<void> {
  const onFailure = (error: unknown) => report('internal', { ...ANSWER_NOT_SENT, error });
  const answeredWith = () => (response.headersSent ? (response.statusCode ?? 0) : undefined);
  let verdict: Verdict = { status: 500 };
  try {
    const { method = '', url = '', headers } = request;
    const plain = {
      method,
      url,
      headers,
      // Not before the credentials are checked.
      get body() {
        return bodyOf(request);
      },
      answeredWith,
    };
    verdict = await judge(plain);
  } catch (error) {
    onFailure(error);
  }
  try {
    const answered = answeredWith();
    if (answered === undefined) return send(response, request, verdict);
    const { status, ...about } = verdict;
    report('answered_elsewhere', { ...about, status: answered, fate: fateOf(answered, status) });
  } catch (error) {
    onFailure(error);
    try {
      // The service sees a failed delivery at once, and sends the notification again.
      response.destroy?.();
    } catch {
      // The first error of the response is already reported.
    }
  }
}

function fateOf(answered: number, status: number): string {
  const next =
    answered !== 200
      ? 'The service sends it again after about 60 s, six times in all.'
      : status === 200
        ? 'The service does not send it again.'
        : 'The service does not send it again, although it was not acted on.';
  return `It sent ${answered}, and the handler would have sent ${status}. ${next}`;
}

const ANSWER_NOT_SENT = {
  status: 500,
  message:
    'The answer could not be sent, because the request or the response threw. Look at what wraps them. The service sends ' +
    'the notification again.',
};

/**
 * Returns the stream, or a parser's result if the stream was read. Parsers set `body` to `{}` for bodies they skip.
 * Google Cloud Functions parse 1 GiB and keep the bytes as `rawBody`: their size can still be checked.
 */
function bodyOf(request: NodeRequest): unknown {
  if (!isConsumed(request)) return request;
  const { rawBody, body }: { readonly rawBody?: unknown; readonly body?: unknown } = Object(request);
  if (isBytes(rawBody)) return rawBody;
  return body === undefined ? request : body;
}

function send(
  response: NodeResponse,
  { complete, httpVersionMajor = 1 }: NodeRequest,
  { status: judged }: Verdict,
): void {
  const { status, headers, body } = answer(judged);
  // The rest of an unread body would be read to its end before the next request, and it may never end. HTTP/2 ends a
  // stream by itself, and has no such header.
  const closes = complete === false && httpVersionMajor < 2;
  response.writeHead(status, closes ? { ...headers, connection: 'close' } : headers);
  response.end(body);
}
