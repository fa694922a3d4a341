import { CHARGE_PAID, type RecurrencePayload } from '../service/notifications/recurrence';
import type { Transaction } from '../service/operations/get-transaction';
import type { Settlement } from '../webhooks/cause';
import { conclude } from '../webhooks/conclude';
import type { ListenerParts } from '../webhooks/handler';
import { type Identity, identify } from '../webhooks/key';
import type { Outcome } from '../webhooks/outcome';
import { run } from '../webhooks/run';
import { reportingThrown, UNHANDLED } from '../webhooks/run-letter';
import type { Return } from './attempt';
import type { ReportedCharge } from './booking';

// What the service says when it is asked goes the way of a notification, so that it and a delivery never act twice.

/** What the service has said of a transaction. */
export interface Asked {
  readonly uuid: string;
  /** Missing if it has said nothing. */
  readonly transaction?: Transaction | undefined;
  /** Why it has said nothing. */
  readonly error?: unknown;
  /** The charge of a recurrence that it is, as the service lists it. */
  readonly charge?: ReportedCharge | undefined;
}

/**
 * Acts on a transaction that was asked about, as a notification of its payment would: for what `createOrders` finds by
 * asking. It takes the subject `payment:<uuid>` with the state `PAID`, so that it and a notification with that `saleToken`
 * never act twice. What the service denies, or does not know, becomes a case. A charge is acted on as its event would be.
 */
export async function settle(
  { uuid, transaction, error, charge }: Asked,
  parts: ListenerParts,
): Promise<Outcome> {
  const { amount, currency, referenceCode } = transaction ?? {};
  const payload = { saleToken: uuid, newStatus: 'PAID', amount, currency, referenceCode };
  const event = charge && {
    eventType: CHARGE_PAID,
    idRec: charge.idRec,
    externalId: referenceCode,
    saleToken: uuid,
    chargeAmount: amount,
    chargeDueDate: charge.dueDate,
  };
  const said = {
    getTransaction: async () => {
      if (transaction === undefined) throw error;
      return transaction;
    },
  };
  // The case of a charge holds what its event would have been.
  const notification =
    event === undefined
      ? { kind: 'payment', payload }
      : { kind: 'payment', payload: { ...payload, recurrence: event }, raw: event };
  return actOn(notification, identify('payment', uuid, ['PAID']), parts, said);
}

/** What became of a transaction that the service says is paid. `busy`: it is being acted on now. */
export type Settled = 'booked' | 'case' | 'failed' | 'busy';

/** What became of a payment that was acted on. */
export function settledAs(outcome: Outcome): Settled {
  if (outcome.code === 'done') return 'booked';
  if (outcome.code === 'busy') return 'busy';
  return 'toKeep' in outcome && outcome.status === 200 ? 'case' : 'failed';
}

/** Acts on the end of a recurrence whose event has not come. */
export function settleEnd(event: RecurrencePayload, parts: ListenerParts): Promise<Outcome> {
  return actOn(
    { kind: 'recurrence', payload: event },
    identify('recurrence', event.idRec, [event.eventType]),
    parts,
  );
}

/** Acts on a refund whose notification has not come: the service has told of it beside its payment. */
export function settleReturn(
  { id, sale, amount }: Return,
  currency: string,
  parts: ListenerParts,
): Promise<Outcome> {
  const refund = { uuid: id, amount, status: 'PAID' };
  const payload = { saleToken: sale, currency, status: 'PAID', refund };
  return actOn({ kind: 'refund', payload }, identify('refund', id, ['PAID']), parts);
}

/** Acts on what the service says, as a notification of it would. */
function actOn(
  {
    kind,
    payload,
    raw = payload,
  }: { readonly kind: string; readonly payload: object; readonly raw?: object },
  identity: Identity,
  { listener, unlessDraining }: ListenerParts,
  said?: Settlement['said'],
): Promise<Outcome> {
  const { key } = identity;
  const notification = { kind, payload, raw: { ...raw }, key };
  const credential = String(listener.fingerprints[0]);
  const received = { body: JSON.stringify(raw), url: '', credential };
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
