import type { NotificationOf } from './notification';
import { payout } from './payout';
import { refund } from './refund';
import { reversal } from './reversal';
import { payment, saleStatus } from './sale';

/**
 * The kinds that the document shows (sections 6.2 to 6.5), in the order in which a body is compared with them: the first
 * match wins. To add one, write a file like the others; list it here.
 */
export const documentedKinds = [payment, saleStatus, reversal, refund, payout] as const;

/** A notification of a kind that the document shows. */
export type DocumentedNotification = NotificationOf<(typeof documentedKinds)[number]>;

/** The names that a handler's `on` accepts without your own definitions. */
export const documentedNames: readonly string[] = [
  ...documentedKinds.map(({ kind }) => kind),
  'unrecognized',
];
