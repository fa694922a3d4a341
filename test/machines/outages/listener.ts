import { createServer } from 'node:http';
import type { Store } from '../../../src/stores';
import {
  createWebhookHandler,
  type PaymentNotification,
  type WebhookContext,
  type WebhookReport,
} from '../../../src/webhooks';
import { type Answer, credentials, deliver } from '../../helpers/deliver';
import { listen } from '../../helpers/listen';

export type Act<Transaction> = (
  notification: PaymentNotification,
  context: WebhookContext<Transaction>,
) => void | Promise<void>;

/** A real server with a handler over the store. */
export async function startListener<Transaction>(
  store: Store<Transaction>,
  payment: Act<Transaction>,
  limits: { readonly callbackTimeoutMs: number; readonly storeTimeoutMs: number },
) {
  const reports: WebhookReport[] = [];
  const handler = createWebhookHandler<readonly [], Transaction>({
    credentials,
    store,
    ...limits,
    on: { payment },
    onReport: (report) => reports.push(report),
  });
  const url = await listen(createServer(handler));
  return {
    reports: reports as readonly WebhookReport[],
    pay: (id: string): Promise<Answer> =>
      deliver(url, { saleToken: id, newStatus: 'PAID' }, { timeoutMs: 20_000 }),
  };
}
