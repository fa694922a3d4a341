import { expect } from 'vitest';
import type { IdempotencyStore } from '../../src/webhooks';
import {
  CALLBACK_TIMEOUT_MS,
  countOf,
  isRecorded,
  type Sent,
  STORE_TIMEOUT_MS,
  sendAllUntilAcknowledged,
  sendWhile,
  type startListener,
} from './listener';

type Listener = Awaited<ReturnType<typeof startListener>>;

/** When the store was certainly away: from the end of `down` to the beginning of `up`. */
export interface Outage {
  begin: number;
  end: number;
}

/** What a machine that has other work may take longer. */
const SLACK_MS = 3000;

/**
 * Lets an outage happen to a listener that is being sent payments, and expects what the README promises of it: 5xx and in
 * time while it lasts, nothing acknowledged that `recorded` does not know, and then work as before, in the same process.
 */
export async function expectToSurvive(
  listener: Listener,
  recorded: IdempotencyStore,
  meanwhile: (outage: Outage) => Promise<void>,
): Promise<Sent[]> {
  const outage = { begin: Number.POSITIVE_INFINITY, end: Number.NEGATIVE_INFINITY };
  const sent = await sendWhile(listener.pay, () => meanwhile(outage));

  expect(new Set([200, 500, 503, ...sent.map(({ status }) => status)])).toEqual(new Set([200, 500, 503]));
  const during = sent.filter(({ sentAt, tookMs }) => sentAt > outage.begin && sentAt + tookMs < outage.end);
  expect(during.filter(({ status }) => status === 200)).toEqual([]);
  // A claim that was answered before the outage may be in its callback, and completed for as long as its lease lasts.
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
  return sent;
}
