import type { Transaction } from '../service/operations/get-transaction';
import type { Settlement } from '../webhooks/cause';
import { conclude } from '../webhooks/conclude';
import type { ListenerParts } from '../webhooks/handler';
import { type Identity, identify } from '../webhooks/key';
import type { Outcome } from '../webhooks/outcome';
import { reportingThrown, UNHANDLED } from '../webhooks/replay';
import { run } from '../webhooks/run-once';

// What the service says when it is asked goes the way of a notification, so that it and a delivery never act twice.

/** What a settlement takes. */
export interface PaidTransaction {
  readonly uuid: string;
  readonly transaction: Transaction;
}

/**
 * Acts on a transaction that was paid, as a notification of it would: for what `createOrders` finds by asking. It takes
 * the subject `payment:<uuid>` with the state `PAID`, so that it and a notification with that `saleToken` never act twice.
 */
export async function settle({ uuid, transaction }: PaidTransaction, parts: ListenerParts): Promise<Outcome> {
  const { amount, currency, referenceCode } = transaction;
  const payload = { saleToken: uuid, newStatus: 'PAID', amount, currency, referenceCode };
  const said = { getTransaction: async () => transaction };
  return actOn({ kind: 'payment', payload }, identify('payment', uuid, ['PAID']), parts, said);
}

/** Acts on a refund whose notification has not come: the service has told of it beside its payment. */
export function settleReturn(
  { sale, uuid, amount, currency }: UntoldRefund,
  parts: ListenerParts,
): Promise<Outcome> {
  const refund = { uuid, amount, status: 'PAID' };
  const payload = { saleToken: sale, currency, status: 'PAID', refund };
  return actOn({ kind: 'refund', payload }, identify('refund', uuid, ['PAID']), parts);
}

/** A refund that the service has told of beside its payment. */
export interface UntoldRefund {
  readonly sale: string;
  readonly uuid: string;
  readonly amount: number | undefined;
  readonly currency: string | undefined;
}

/** Acts on what the service says, as a notification of it would. */
function actOn(
  { kind, payload }: { readonly kind: string; readonly payload: object },
  identity: Identity,
  { listener, unlessDraining }: ListenerParts,
  said?: Settlement['said'],
): Promise<Outcome> {
  const { key } = identity;
  const notification = { kind, payload, raw: { ...payload }, key };
  const credential = String(listener.fingerprints[0]);
  const received = { body: JSON.stringify(payload), url: '', credential };
  const task = {
    notification,
    identity,
    cause: { origin: 'settlement' as const, received, said },
    startedAt: performance.now(),
  };
  const work = async (): Promise<Outcome> => {
    const outcome = await run(task, {}, undefined, listener);
    if (outcome.code === 'ignored' || outcome.code === 'unhandled') return UNHANDLED;
    await conclude(task, outcome, listener);
    return outcome;
  };
  return unlessDraining(() => reportingThrown(key, listener, work));
}
