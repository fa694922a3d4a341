import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { IdempotencyStore } from '../../../src/webhooks';
import type { TcpProxy } from '../../helpers/tcp-proxy';
import {
  CALLBACK_TIMEOUT_MS,
  countOf,
  isRecorded,
  LEASE_MS,
  type Sent,
  STORE_TIMEOUT_MS,
  sendAllUntilAcknowledged,
  sendWhile,
  startListener,
} from './listener';

type Listener = Awaited<ReturnType<typeof startListener>>;

/** Extra time for a busy machine. */
const SLACK_MS = 3000;

/**
 * Takes the store away for a second while payments are sent to a listener, and expects what the README promises: 5xx in time during the
 * outage, no acknowledgement that `recorded` does not know, and normal work afterwards in the same process.
 */
export async function expectToSurvive(
  listener: Listener,
  recorded: IdempotencyStore,
  down: () => unknown,
  up: () => unknown,
): Promise<string[]> {
  // When the store was certainly away: from the end of `down` to the beginning of `up`.
  const outage = { begin: Number.POSITIVE_INFINITY, end: Number.NEGATIVE_INFINITY };
  const sent: Sent[] = await sendWhile(listener.pay, async () => {
    await sleep(500);
    await down();
    outage.begin = performance.now();
    await sleep(1_000);
    outage.end = performance.now();
    await up();
    await sleep(1_000);
  });

  expect(new Set([200, 500, 503, ...sent.map(({ status }) => status)])).toEqual(new Set([200, 500, 503]));
  const during = sent.filter(({ sentAt, tookMs }) => sentAt > outage.begin && sentAt + tookMs < outage.end);
  expect(during.filter(({ status }) => status === 200)).toEqual([]);
  // Not the payments from before the outage: their callbacks may be running, and complete until their leases end.
  const sentDuring = sent.filter(
    ({ sentAt }) => sentAt > outage.begin && sentAt < outage.end - STORE_TIMEOUT_MS,
  );
  expect(sentDuring.length).toBeGreaterThan(3);
  expect(Math.max(...sentDuring.map(({ tookMs }) => tookMs))).toBeLessThan(
    STORE_TIMEOUT_MS * 2 + CALLBACK_TIMEOUT_MS + SLACK_MS,
  );

  const acknowledged = sent.filter(({ status }) => status === 200);
  expect(acknowledged.length).toBeGreaterThan(3);
  for (const { id } of acknowledged) expect([id, await isRecorded(recorded, id)]).toEqual([id, true]);

  const before = countOf(listener.acted);
  await sendAllUntilAcknowledged(
    listener.pay,
    sent.map(({ id }) => id),
  );
  const after = countOf(listener.acted);
  for (const { id } of acknowledged) expect([id, after.get(id)]).toEqual([id, before.get(id)]);
  for (const { id } of sent) {
    expect(after.get(id)).toBeGreaterThan(0);
    expect([id, await isRecorded(recorded, id)]).toEqual([id, true]);
  }
  return sent.map(({ id }) => id);
}

/** The reply to the statement with this text in it is lost after the callback: the store repeats it, and acts once. */
export async function expectCompleteRepeated(
  store: IdempotencyStore,
  recorded: IdempotencyStore,
  proxy: TcpProxy,
  statement: string,
): Promise<void> {
  const { pay, acted } = await startListener(store, () => proxy.loseReplyTo(statement));
  expect((await pay('sale-1')).status).toBe(200);
  expect(proxy.lostReplies).toBe(1);
  expect(await isRecorded(recorded, 'sale-1')).toBe(true);
  expect((await pay('sale-1')).status).toBe(200);
  expect(acted).toEqual(['sale-1']);
}

/** The reply to COMMIT is lost: the answer is not 200, and the next delivery finds the payment done. */
export async function expectCommitFoundLater<Transaction>(
  store: IdempotencyStore<Transaction>,
  proxy: TcpProxy,
  write: (id: string, transaction: Transaction) => unknown,
): Promise<void> {
  const { pay, acted, reports } = await startListener<Transaction>(
    store,
    async ({ payload }, { transaction }) => {
      await write(payload.saleToken, transaction);
      proxy.loseReplyTo('COMMIT');
    },
  );
  expect((await pay('sale-1')).status).toBe(500);
  expect(proxy.lostReplies).toBe(1);
  expect(reports).toMatchObject([{ code: 'store_failed' }]);
  expect((await pay('sale-1')).status).toBe(200);
  expect(acted).toEqual(['sale-1']);
}

/** A callback that hangs is given up in time, and its subject stays busy until its lease is over. */
export async function expectSubjectKept(store: IdempotencyStore): Promise<void> {
  const signals: AbortSignal[] = [];
  const { pay, acted, reports } = await startListener(store, (_, { signal }) => {
    signals.push(signal);
    return signals.length === 1 ? new Promise(() => undefined) : undefined;
  });
  const start = performance.now();
  expect((await pay('sale-1')).status).toBe(500);
  expect(performance.now() - start).toBeGreaterThanOrEqual(CALLBACK_TIMEOUT_MS - 5);
  expect(signals[0]?.aborted).toBe(true);
  expect((await pay('sale-1')).status).toBe(503);
  expect(reports.map(({ code }) => code)).toEqual(['callback_timeout', 'busy']);
  await sleep(LEASE_MS);
  expect((await pay('sale-1')).status).toBe(200);
  expect((await pay('sale-1')).status).toBe(200);
  expect(acted).toEqual(['sale-1', 'sale-1']);
}

/** Over a pool of three connections that goes silent: after at most so many rounds, every payment gets through. */
export async function expectToLeaveSilence<Transaction>(
  store: IdempotencyStore<Transaction>,
  limits: { readonly storeTimeoutMs: number; readonly callbackTimeoutMs: number },
  goSilent: () => Promise<void>,
  atMost: number,
): Promise<void> {
  const { pay } = await startListener(store, () => undefined, limits);
  const payments = async () => {
    const answers = await Promise.all([1, 2, 3].map(() => pay(`sale-${randomUUID()}`)));
    return answers.map(({ status }) => status);
  };
  expect(await payments()).toEqual([200, 200, 200]);
  await goSilent();
  let rounds = 0;
  while ((await payments()).some((status) => status !== 200)) rounds += 1;
  expect(rounds).toBeGreaterThan(0);
  expect(rounds).toBeLessThanOrEqual(atMost);
}
