/** What sends the requests. The platform's `fetch` fits, and so does the one of npm's undici. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** A request, in the plain form that every implementation of `fetch` takes. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  /** Never followed: `fetch` would send `x-api-key` and `x-api-token` on to the other host. */
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

/** The part of a response that the client reads. */
export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: unknown;
  text(): Promise<string>;
}
