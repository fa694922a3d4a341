import type { Credentials } from 'pix-automatic-sdk/webhooks';

/** The input of the listener's program. */
export interface ListenerInput {
  readonly kind: 'bare' | 'least' | 'forgetful' | 'set' | 'handler';
  readonly credentials: readonly Credentials[];
}

/** A message to the sender. */
export interface LoadRequest {
  readonly port: number;
  readonly credentials: Credentials;
  readonly connections: number;
  readonly milliseconds: number;
  /** Whether each notification is about a new sale, or all are about one that was acted on before. */
  readonly subjects: 'new' | 'duplicates';
  readonly bodyBytes: number;
}

/** The sender's answer. Times are in milliseconds. */
export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}
