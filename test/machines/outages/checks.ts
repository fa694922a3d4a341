import { expect } from 'vitest';
import type { IdempotencyStore } from '../../../src/webhooks';
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

/** Extra time for a busy machine. */
const SLACK_MS = 3000;

/**
 * Runs an outage while payments are sent to a listener, and expects what the README promises: 5xx in time during the
 * outage, no acknowledgement that `recorded` does not know, and normal work afterwards in the same process.
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
  return sent;
}
