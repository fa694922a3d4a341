/** A request without its body. A `Request` is one. */
export interface RequestHead {
  readonly method: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
}

/**
 * A request in a plain form, for frameworks with types of their own. Headers may be a record, as `node:http` gives it;
 * the body may be text, bytes, a stream, or what a body parser made of it.
 */
export interface PlainRequest {
  readonly method: string;
  /** The URL, or its path with the query. */
  readonly url: string;
  readonly headers: RequestHead['headers'] | Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: unknown;
}

/** An answer in a plain form. */
export interface PlainResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The headers in one form. Their names in a record are lower-case, as `node:http` has them. */
export function headOf({ method, url, headers }: PlainRequest): RequestHead {
  if (isHeaders(headers)) return { method, url, headers };
  // A gateway's header is asked for in any case, as of a `Request`.
  return { method, url, headers: { get: (name) => headerOf(headers, name.toLowerCase()) } };
}

function isHeaders(headers: PlainRequest['headers']): headers is RequestHead['headers'] {
  return typeof headers['get'] === 'function';
}

function headerOf(
  headers: Exclude<PlainRequest['headers'], RequestHead['headers']>,
  name: string,
): string | null {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return typeof value === 'string' ? value : (value?.join(', ') ?? null);
}
