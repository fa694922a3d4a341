import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createWebhookHandler,
  type IdempotencyStore,
  type PaymentNotification,
  toNodeListener,
  type WebhookContext,
  type WebhookReport,
} from '../../../src/webhooks';
import { type Answer, credentials, deliver } from '../../helpers/deliver';
import { listen } from '../../helpers/listen';
import { lease } from '../../stores/limits';

/** How long one step of the store may take. */
export const STORE_TIMEOUT_MS = 300;
/** The library's leases of 15 s and more are shortened to this. */
export const LEASE_MS = 900;
export const CALLBACK_TIMEOUT_MS = 400;

export type Act<Transaction> = (
  notification: PaymentNotification,
  context: WebhookContext<Transaction>,
) => void | Promise<void>;

/** A real server with a handler over the store, with shortened leases. */
export async function startListener<Transaction>(
  store: IdempotencyStore<Transaction>,
  act: Act<Transaction> = () => undefined,
  { callbackTimeoutMs = CALLBACK_TIMEOUT_MS, storeTimeoutMs = STORE_TIMEOUT_MS } = {},
) {
  const acted: string[] = [];
  const reports: WebhookReport[] = [];
  const handler = createWebhookHandler<readonly [], Transaction>({
    credentials,
    store: withShortLeases(store, Math.max(LEASE_MS, callbackTimeoutMs * 2)),
    storeTimeoutMs,
    callbackTimeoutMs,
    on: {
      async payment(notification, context) {
        acted.push(notification.payload.saleToken);
        await act(notification, context);
      },
    },
    onReport: (report) => reports.push(report),
  });
  const url = await listen(createServer(toNodeListener(handler)));
  return {
    url,
    /** The payments acted on, in order. A payment that was acted on twice appears twice. */
    acted: acted as readonly string[],
    reports: reports as readonly WebhookReport[],
    pay: (id: string): Promise<Answer> =>
      deliver(url, { saleToken: id, newStatus: 'PAID' }, { timeoutMs: 20_000 }),
  };
}

function withShortLeases<Transaction>(
  store: IdempotencyStore<Transaction>,
  leaseMs: number,
): IdempotencyStore<Transaction> {
  return {
    claim: (subject, state, { withinMs }) => store.claim(subject, state, { leaseMs, withinMs }),
    complete: (claim, limits) => store.complete(claim, limits),
    release: (claim) => store.release(claim),
    transact: store.transact?.bind(store),
  };
}

/** Whether the store has recorded the payment as done. */
export async function isRecorded(store: IdempotencyStore, id: string): Promise<boolean> {
  return (await store.claim(`payment:${id}`, 'PAID', lease(1))).status === 'done';
}

export interface Sent {
  readonly id: string;
  readonly status: number;
  readonly sentAt: number;
  readonly tookMs: number;
}

/** Sends a payment every few milliseconds for as long as `meanwhile` takes. */
export async function sendWhile(
  pay: (id: string) => Promise<Answer>,
  meanwhile: () => Promise<void>,
): Promise<Sent[]> {
  let over = false;
  const end = meanwhile().finally(() => {
    over = true;
  });
  const answers: Promise<Sent>[] = [];
  while (!over) {
    const id = `sale-${answers.length}`;
    const sentAt = performance.now();
    answers.push(pay(id).then(({ status }) => ({ id, status, sentAt, tookMs: performance.now() - sentAt })));
    await sleep(10);
  }
  await end;
  return Promise.all(answers);
}

/** Sends a payment again, as the service would, until it is acknowledged. */
async function sendUntilAcknowledged(pay: (id: string) => Promise<Answer>, id: string): Promise<void> {
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    if ((await pay(id)).status === 200) return;
    await sleep(LEASE_MS * 1.1);
  }
  throw new Error(`${id} was not acknowledged by any of six attempts`);
}

/** The same for many payments, five at a time: a burst of hundreds would exceed the short timeouts of these tests. */
export async function sendAllUntilAcknowledged(
  pay: (id: string) => Promise<Answer>,
  ids: readonly string[],
): Promise<void> {
  const left = [...ids];
  const send = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) await sendUntilAcknowledged(pay, id);
  };
  await Promise.all(Array.from({ length: 5 }, send));
}

/** How often each payment was acted on. */
export function countOf(acted: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const id of acted) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
