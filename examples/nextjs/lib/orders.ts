import { PaymentsClient } from 'pix-automatic-sdk';
import { createOrders, type Orders } from 'pix-automatic-sdk/orders';
import { PostgresStore } from 'pix-automatic-sdk/stores';
import { BOOK, pool } from './database';

// One instance a process, as for the pool. After a change of the callbacks, restart `next dev`.
const shared = globalThis as { orders?: Orders };

/** `next build` loads this file without credentials, so the first use creates it. */
export const orders = () =>
  (shared.orders ??= createOrders({
    client: PaymentsClient.fromEnv(), // it confirms each payment before the callback runs
    store: new PostgresStore(pool, { transactional: true }),
    on: {
      // Written exactly once. If a callback throws, the notification comes again in about a minute.
      paid: ({ order, sale, amount }, { transaction }) => transaction.query(BOOK, [sale, order, amount]),
      returned: ({ order, sale, amount }, { transaction }) => transaction.query(BOOK, [sale, order, -amount]),
    },
    onReport: ({ severity, key, message }) => console[severity === 'alert' ? 'error' : 'warn'](message, key),
  }));
