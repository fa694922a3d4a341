import { confirmPayment, PaymentsClient } from 'pix-automatic-sdk';
import {
  createWebhookHandler,
  MemoryStore,
  type Notification,
  toNodeListener,
} from 'pix-automatic-sdk/webhooks';
import { listen, type TestListener } from './listen';
import { pair, rightHeader, startMerchant } from './merchant';

/** A listener without a mistake, which must pass all checks. */
export interface RightListener {
  /** Completes "A listener that …". */
  readonly does: string;
  readonly asksService: boolean;
  /** @param service - the base URL of a sandbox */
  start(service: string): Promise<TestListener>;
}

export const rightListeners: readonly RightListener[] = [
  {
    does: 'uses createWebhookHandler with a MemoryStore',
    asksService: false,
    start: () => startHandler(),
  },
  {
    does: 'confirms payments with the service, as the README advises',
    asksService: true,
    start(service) {
      const client = new PaymentsClient({ baseUrl: service, ...pair, maxRetries: 0 });
      return startHandler(async (notification) => {
        if (notification.kind !== 'payment') return;
        const { confirmed, differences } = await confirmPayment(client, notification);
        if (!confirmed)
          throw new Error(`Not as notified: ${differences.map(({ field }) => field).join(', ')}`);
      });
    },
  },
  {
    does: 'is written by hand',
    asksService: false,
    start: () => startMerchant({}),
  },
  {
    does: 'is written by hand, and refuses orders that it does not know',
    asksService: true,
    start(service) {
      const client = new PaymentsClient({ baseUrl: service, ...pair, maxRetries: 0 });
      return startMerchant({
        async work(kind, payload) {
          const sale = payload.saleToken ?? payload.sale?.uuid;
          if (sale === undefined || payload.event) return;
          // The service answers 404 to an unknown sale, and the client throws.
          const { situation, amount } = await client.getTransaction(sale);
          const isPayment = kind === 'payment';
          if (isPayment && (situation !== 'PAID' || amount !== payload.amount))
            throw new Error('Not as paid.');
        },
      });
    },
  },
  {
    does: 'is written by hand, and answers duplicates with another text',
    asksService: false,
    start: () =>
      startMerchant({
        respond: (response, outcome) => response.writeHead(outcome === 'busy' ? 503 : 200).end(outcome),
      }),
  },
  {
    does: 'is written by hand, and does nothing about payouts and unknown kinds',
    asksService: false,
    start: () =>
      startMerchant(({ counts }) => {
        delete counts['payout'];
        return {
          countedAs: (kind) => (kind === 'payout' || kind === 'unrecognized' ? undefined : kind),
        };
      }),
  },
  {
    does: 'is written by hand, and refuses refunds of payments that it has not seen',
    asksService: false,
    start: () => {
      const paid = new Set<string>();
      return startMerchant({
        work(kind, payload) {
          if (kind === 'payment') paid.add(payload.saleToken);
          const sale = kind === 'refund' ? payload.saleToken : payload.sale?.uuid;
          if (sale !== undefined && !paid.has(sale)) throw new Error('There is no such payment.');
        },
      });
    },
  },
  {
    does: 'is written by hand, and locks out who has sent ten wrong credentials',
    asksService: false,
    start: () => {
      let refused = 0;
      return startMerchant({
        isLetIn(header) {
          const isRight = header === rightHeader && refused < 10;
          if (!isRight) refused++;
          return isRight;
        },
        refuse: (response) => response.writeHead(refused > 10 ? 429 : 401).end(),
      });
    },
  },
];

function startHandler(check: (notification: Notification) => void | Promise<void> = () => undefined) {
  const counts: Record<string, number> = { payment: 0, saleStatus: 0, reversal: 0, refund: 0, payout: 0 };
  const act = async (notification: Notification) => {
    await check(notification);
    counts[notification.kind] = (counts[notification.kind] ?? 0) + 1;
  };
  const on = {
    payment: act,
    saleStatus: act,
    reversal: act,
    refund: act,
    payout: act,
    unrecognized: () => undefined,
  };
  const handler = createWebhookHandler({
    credentials: pair,
    store: new MemoryStore(),
    on,
    onReport: () => undefined,
  });
  return listen(toNodeListener(handler), () => counts);
}
