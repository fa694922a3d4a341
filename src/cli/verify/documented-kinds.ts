import type { SandboxNotification } from '../../sandbox/model/records';
import { type DocumentedNotification, documentedKinds } from '../../service/notifications';
import type { Acted, Session } from './session';

/** A notification, with its name in the report. */
export type Named = readonly [name: string, notification: SandboxNotification];

type Kind = DocumentedNotification['kind'];

const FAILED_PAYOUT = 'failed payout';

/**
 * One notification of each kind and status in sections 6.2 to 6.5, and a sale with REVERSAL. No two are about the same
 * sale, except the reversal's PENDING and PAID.
 */
export async function everyKind(session: Session): Promise<Named[]> {
  const sale = () => session.announcedSale();
  const returned = await (await sale()).reversal('PAID');
  const kept = await (await sale()).reversal('CANCELLED');
  const byKind: Record<Kind, Named[]> = {
    payment: [['payment', (await session.sale()).payment]],
    saleStatus: [['sale REVERSAL', (await (await sale()).reversal('PAID')).sale]],
    reversal: [
      ['reversal PENDING', returned.pending],
      ['reversal PAID', returned.ended],
      ['reversal CANCELLED', kept.ended],
    ],
    refund: [['refund', await (await sale()).refund(1)]],
    payout: [
      ['payout', session.samples.payout()],
      [FAILED_PAYOUT, session.samples.payout('PE0001')],
    ],
  };
  return Object.values(byKind).flat();
}

/** How to make a notification whose fields are then left out, one at a time. */
export interface Sample {
  /** Its name in the report. */
  readonly name: string;
  /** The fields that are never left out, because no listener can act without them: identity, order, state, amount. */
  readonly needed: readonly string[];
  make(session: Session): Promise<SandboxNotification>;
}

/** One sample of each kind. A sale's status has the fields of its payment. */
export const samplesOfKinds = {
  payment: {
    name: 'payment',
    needed: ['saleToken', 'newStatus', 'referenceCode', 'amount'],
    make: async (session) => (await session.sale()).payment,
  },
  reversal: {
    name: 'reversal PAID',
    needed: ['uuid', 'status', 'reversedAmount', 'sale', 'sale.uuid'],
    make: async (session) => (await (await session.announcedSale()).reversal('PAID')).ended,
  },
  refund: {
    name: 'refund',
    needed: ['saleToken', 'referenceCode', 'status', 'refund', 'refund.uuid', 'refund.amount'],
    make: async (session) => (await session.announcedSale()).refund(1),
  },
  payout: {
    name: 'payout',
    needed: ['uuid', 'success', 'status', 'amount'],
    make: async (session) => session.samples.payout(),
  },
} satisfies Record<Exclude<Kind, 'saleStatus'>, Sample>;

/** The counters of `--effects` that checks look at. Others are the merchant's own, and may move at any time. */
export const counters: readonly string[] = [...documentedKinds.map(({ kind }) => kind), 'payoutFailed'];

/** The counter that a notification belongs to. Payouts that failed may have one of their own. */
export function counterOf(name: string, { kind, byName = {} }: Acted): string {
  return name === FAILED_PAYOUT && 'payoutFailed' in byName ? 'payoutFailed' : kind;
}

/**
 * Counters whose notifications moved nothing at all; if they moved another counter, `right-kind` reports that. A payout
 * that failed does not have to move the counter of payouts.
 */
export function idleCounters(actionsOf: ReadonlyMap<string, Acted>): string[] {
  return counters.filter((counter) => {
    const actions = [...actionsOf].flatMap(([name, acted]) =>
      acted.kind === counter && name !== FAILED_PAYOUT ? [acted] : [],
    );
    return actions.some(({ byName = {} }) => counter in byName) && actions.every(({ total }) => total === 0);
  });
}
