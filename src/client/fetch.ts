/** Sends the requests. The platform's `fetch` fits, and so do those of npm's undici and node-fetch. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** A request, in the plain form that every implementation of `fetch` takes. */
export interface FetchInit {
  /** `GET`, `POST` or `PUT`, or the method that you passed to `client.request`. */
  readonly method: string;
  /** The headers, including the credentials: keep them out of your log. */
  readonly headers: Record<string, string>;
  /** The JSON; missing for a query. */
  readonly body?: string;
  /** Redirects are never followed: `fetch` would send `x-api-key` and `x-api-token` on to the other host. */
  readonly redirect: 'manual';
  /** Set for queries, because a framework may cache them (Next.js 14 does). */
  readonly cache?: 'no-store';
  /** Fires when the time is up, or when the caller ends the call. */
  readonly signal: AbortSignal;
}

/** The part of a response that the client reads. */
export interface FetchResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The headers. */
  readonly headers: {
    /** The value of a header, by its name in any case. */
    get(name: string): string | null;
  };
  /** The body. The bytes of a stream or an async iterable are counted as they arrive; else `text` is called. */
  readonly body: unknown;
  /** The whole body as text. */
  text(): Promise<string>;
}
