import type { Transaction } from '../service/operations/get-transaction';
import { confirmPayment } from '../values/confirm-payment';
import type { ListenerParts } from '../webhooks/handler';
import { type Identity, identify } from '../webhooks/key';
import { conclude, keeping } from '../webhooks/receive';
import { NO_CREDENTIALS, reportingThrown, UNHANDLED } from '../webhooks/replay';
import { type CallbackRun, callbackFor, type RunResult, runOnce } from '../webhooks/run-once';
import { type Comparison, comparisonOf } from '../webhooks/unexpected-repeat';

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
export async function settle(
  { uuid, transaction }: PaidTransaction,
  parts: ListenerParts,
): Promise<RunResult> {
  const { amount, currency, referenceCode } = transaction;
  const payload = { saleToken: uuid, newStatus: 'PAID', amount, currency, referenceCode };
  const source = { getTransaction: async () => transaction };
  const payment = { kind: 'payment' as const, payload };
  const confirm = () => confirmPayment(source, payment, { acceptRefunded: true });
  return actOn(payment, identify('payment', uuid, ['PAID']), parts, confirm);
}

/** Acts on a refund whose notification has not come: the service has told of it beside its payment. */
export function settleReturn(
  { sale, uuid, amount, currency }: UntoldRefund,
  parts: ListenerParts,
): Promise<RunResult> {
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
  parts: ListenerParts,
  confirm?: CallbackRun['confirm'],
): Promise<RunResult> {
  const { listener, unlessDraining } = parts;
  const { key } = identity;
  const notification = { kind, payload, raw: { ...payload }, key };
  const credential = String(listener.fingerprints[0]);
  const received = { body: JSON.stringify(payload), url: '', credential };
  const begun = { notification, identity, origin: 'settle', startedAt: performance.now(), received } as const;
  const work = async (): Promise<RunResult> => {
    const own = callbackFor({ notification, identity }, NO_CREDENTIALS, listener);
    if ('code' in own) return UNHANDLED;
    const { content, raw } = comparisonOf(notification, listener.kinds) as Comparison;
    const comparison: Comparison = { content: { ...content, isSettled: true }, raw };
    const run = keeping({ ...own, comparison, isReplay: true, ...(confirm && { confirm }) }, begun, listener);
    const result = await runOnce(run, listener);
    await conclude({ ...begun, result }, listener);
    return result;
  };
  return unlessDraining(() => reportingThrown(key, listener, work));
}
