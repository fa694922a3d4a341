import type { ResolvedHandlerOptions } from './options';
import type { Reporter } from './report';

/** One handler: its options, and what it remembers for its reports. */
export interface Listener extends ResolvedHandlerOptions {
  readonly report: Reporter;
  /** How many deliveries of a key have failed, for the latest keys. */
  readonly failures: Map<string, number>;
  /** The fields of each kind that were reported as left out. */
  readonly leftOut: Set<string>;
  /** Runs a dead letter that has waited for something, whatever comes of it. */
  readonly runWaiting: (key: string) => Promise<unknown>;
}
