import type { Credentials } from 'pix-automatic-sdk/webhooks';

/** What the listener is started with. */
export interface ListenerInput {
  readonly kind: 'bare' | 'least' | 'forgetful' | 'set' | 'handler';
  readonly credentials: readonly Credentials[];
}

/** What the sender is asked for. */
export interface LoadRequest {
  readonly port: number;
  readonly credentials: Credentials;
  readonly connections: number;
  readonly milliseconds: number;
  /** Whether each notification is of a sale of its own, or all are of one that has been acted on. */
  readonly subjects: 'new' | 'duplicates';
  readonly bodyBytes: number;
}

/** What it answers; times in milliseconds. */
export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}
