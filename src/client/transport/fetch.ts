/** What sends the requests. The platform's `fetch` fits, and so does the one of npm's undici. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** A request, in the plain form that every implementation of `fetch` takes. */
export interface FetchInit {
  /** `GET`, `POST` or `PUT`. */
  readonly method: string;
  /** The headers, with the credentials in them: keep them out of your log. */
  readonly headers: Record<string, string>;
  /** The JSON; missing for a query. */
  readonly body?: string;
  /** Never followed: `fetch` would send `x-api-key` and `x-api-token` on to the other host. */
  readonly redirect: 'manual';
  /** Fires when the time is over, or the caller has ended the call. */
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
  /** The body as a stream, which is then counted as it comes; with anything else, `text` is called. */
  readonly body: unknown;
  /** The whole body as text. */
  text(): Promise<string>;
}
