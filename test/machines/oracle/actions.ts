import type { JourneyRequest } from './world';

/** How a merchant has set up the orders of a sequence. */
export interface Setup {
  readonly seed: number;
  readonly keys: readonly string[];
  /** Left out: `undefined`. */
  readonly foreign: 'function' | 'ignore' | undefined;
  readonly hasUnrecognized: boolean;
  readonly hasRecurrence: boolean;
  readonly confirms: boolean;
  readonly hasPublicCalls: boolean;
  readonly listsRecurrences: boolean;
}

/** What happens, as the shop and the oracle are told of it. */
export type Action =
  | {
      readonly do: 'open';
      readonly key: string;
      readonly request: JourneyRequest;
      readonly replace: boolean;
      readonly isDown: boolean;
    }
  | { readonly do: 'close'; readonly key: string }
  | {
      readonly do: 'deliver';
      readonly note: Note;
      readonly isDown: boolean;
      readonly trouble?: 'throws' | 'needsPerson' | undefined;
    }
  | {
      readonly do: 'decide';
      /** The case, as the oracle knows it. */
      readonly id: string;
      readonly decision: 'book' | 'dismiss';
      readonly order?: string | undefined;
      readonly amount?: number | undefined;
      readonly evenIfPaid?: boolean | undefined;
    }
  | { readonly do: 'cancel'; readonly key: string }
  | { readonly do: 'maintain' }
  | { readonly do: 'advance'; readonly ms: number };

/** A notification as it is sent. */
export interface Note {
  readonly kind:
    | 'payment'
    | 'saleStatus'
    | 'refund'
    | 'reversal'
    | 'payout'
    | 'recurrence'
    | 'charge'
    | 'unrecognized'
    | 'invalid';
  readonly query: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Sent with a pair that is not the merchant's. */
  readonly isForeignPair?: true | undefined;
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
