export const CREDENTIALS = { apiKey: 'key-of-a-merchant', apiToken: 'token-5f2b8c1e9a4d' };

/** The input of the listener's program. */
export interface ListenerInput {
  readonly kind: 'bare' | 'handler';
}

/** A message to the sender. */
export interface LoadRequest {
  readonly port: number;
  readonly connections: number;
  readonly milliseconds: number;
  /** Whether each notification is about a new sale, or all are about one that was acted on before. */
  readonly subjects: 'new' | 'duplicates';
}

/** The sender's answer. Times are in milliseconds. */
export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}
