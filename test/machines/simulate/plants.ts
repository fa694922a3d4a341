/** Faults that the simulation must find, planted in the merchant or between it and the library; never in `src`. */
export const plants = {
  'intent in a transaction': 'the intent is seen by its own process alone, as in an open transaction',
  'no unique index': 'an order may have several open attempts',
  'acknowledged write lost':
    'the database loses a change ten minutes after it confirmed it, as a failover can',
  'client retries': 'a POST with an unknown outcome is sent again, under the same reference',
  'order by prefix': 'the payment callback cuts the reference instead of asking `find`',
  'review forgotten': 'payments of lost and surplus attempts are ignored',
  'acknowledged early': 'the payment callback does not await its own write',
  'booked twice': 'the ledger books again when a callback runs again',
  'no reconciling': 'nothing looks for payments whose notifications were lost',
  'closed too early': 'an order’s journey is closed while its QR code can be paid',
  'lease without end': 'a crashed attempt is never given up',
} as const;

export type Plant = keyof typeof plants;
