/** A request without its body. A `Request` is one. */
export interface RequestHead {
  /** The HTTP method. */
  readonly method: string;
  /** The URL, or its path with the query. */
  readonly url: string;
  /** The headers. */
  readonly headers: {
    /** The value of a header, by its name in any case. */
    get(name: string): string | null;
  };
}

/**
 * A request in a plain form, for frameworks with types of their own. Headers may be a record, as `node:http` gives it;
 * the body may be text, bytes, a stream, or what a body parser made of it.
 */
export interface PlainRequest {
  /** The HTTP method. */
  readonly method: string;
  /** The URL, or its path with the query. */
  readonly url: string;
  /** The headers; the names of a record may be in any case. */
  readonly headers: RequestHead['headers'] | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Text, bytes, a stream, or what a body parser made of it. */
  readonly body: unknown;
}

/** A response in a plain form. */
export interface PlainResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** A short text that never tells what went wrong. */
  readonly body: string;
}

/** Returns method, URL and headers in one form. A caller in JavaScript may leave fields out: a missing one is empty. */
export function headOf(request: PlainRequest | null | undefined): RequestHead {
  const { method = '', url, headers }: Partial<PlainRequest> = request ?? {};
  return { method, url: url ?? '', headers: isHeaders(headers) ? headers : new RecordHeaders(headers ?? {}) };
}

function isHeaders(headers: PlainRequest['headers'] | null | undefined): headers is RequestHead['headers'] {
  return typeof headers?.['get'] === 'function';
}

type HeaderRecord = Exclude<PlainRequest['headers'], RequestHead['headers']>;

class RecordHeaders {
  readonly #record: HeaderRecord;

  constructor(record: HeaderRecord) {
    this.#record = record;
  }

  /**
   * Takes the name in any case, as a `Request` does: `getAuthorization` may ask for a gateway's header. The record's own
   * names may be in any case too, as API Gateway gives them; `node:http` has them in lower case.
   */
  get(name: string): string | null {
    const key = name.toLowerCase();
    const record = this.#record;
    const own = Object.hasOwn(record, key)
      ? key
      : Object.keys(record).find((each) => each.toLowerCase() === key);
    const value = own === undefined ? undefined : record[own];
    if (Array.isArray(value)) return value.join(', ');
    return typeof value === 'string' ? value : null;
  }
}

/**
 * Makes an answer with its length, because without it `node:http` sends chunks, which takes longer. The text tells
 * nothing of what went wrong.
 */
export function answer(status: number): PlainResponse {
  const body = TEXTS[status] ?? 'Internal error';
  const headers = { ...TEXT_HEADERS, 'content-length': String(body.length), ...HEADERS[status] };
  return Object.freeze({ status, headers: Object.freeze(headers), body });
}

const TEXT_HEADERS = { 'content-type': 'text/plain; charset=utf-8' };

const TEXTS: Readonly<Record<number, string>> = {
  200: 'OK',
  400: 'Bad request',
  401: 'Unauthorized',
  405: 'Method not allowed',
  408: 'Request timeout',
  413: 'Content too large',
  503: 'Try again later',
};

const HEADERS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'www-authenticate': 'Basic realm="notifications", charset="UTF-8"' },
  405: { allow: 'POST' },
  // The service retries after about 60 s by itself (document section 6.1); proxies and gateways may ask sooner.
  503: { 'retry-after': '5' },
};
