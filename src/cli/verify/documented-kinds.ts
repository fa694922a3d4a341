import type { SandboxNotification } from '../../sandbox/model/records';
import { type DocumentedNotification, documentedKinds } from '../../service/notifications';
import { validate } from '../../service/schema';
import { say } from '../language';
import { Samples } from '../samples';
import type { TextKey } from '../texts';
import { type ActionCount, counters } from './effects';
import type { Acted, Exchange, Session } from './session';

type Kind = DocumentedNotification['kind'];

/** A notification with the name of its kind and status. */
export type NamedKind = readonly [name: TextKey, notification: SandboxNotification];

const FAILED_PAYOUT = 'failedPayout' satisfies TextKey;

/**
 * One notification of each kind and status in sections 6.2 to 6.5, and a sale with REVERSAL. No two are about the same
 * sale.
 */
export async function everyKind(session: Session): Promise<NamedKind[]> {
  const sale = () => session.announcedSale();
  const reversal = async (end: 'PAID' | 'CANCELLED') => (await sale()).reversal(end);
  const byKind: Partial<Record<Kind, NamedKind[]>> = {
    payment: [['payment', (await session.sale()).payment]],
    saleStatus: [['saleReversal', (await reversal('PAID')).sale]],
    reversal: [
      ['reversalPending', (await reversal('PAID')).pending],
      ['reversalPaid', (await reversal('PAID')).ended],
      ['reversalCancelled', (await reversal('CANCELLED')).ended],
    ],
    refund: [['refund', await (await sale()).refund(1)]],
    payout: [
      ['payout', session.samples.payout()],
      [FAILED_PAYOUT, session.samples.payout('PE0001')],
    ],
  };
  return documentedKinds.flatMap(
    (documented) => byKind[documented.kind] ?? [[nameOf(documented), session.samples.of(documented)]],
  );
}

/** A kind that has no text of its own is called as in the code. */
const nameOf = ({ kind }: { kind: string }) => kind as TextKey;

/** A notification that was sent, and what the listener did about it. */
export interface SentKind {
  readonly name: TextKey;
  readonly notification: SandboxNotification;
  readonly exchange: Exchange;
  /** `undefined` without `--effects`. */
  readonly actions: ActionCount | undefined;
}

/** Sends one of each kind, and counts after each. */
export async function watchEachKind(session: Session): Promise<SentKind[]> {
  const all = await everyKind(session);
  await session.settle();
  return session.each(all, async ([name, notification]) => {
    const { result, actions } = await session.watch(1, () => session.send(say(name), notification));
    return { name, notification, exchange: result, actions };
  });
}

/** How to make a notification whose fields are then left out, one at a time. */
export interface Sample {
  readonly name: TextKey;
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
    name: 'reversalPaid',
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
} satisfies Partial<Record<Kind, Sample>>;

/** A sample of every kind: those above, and the fixture of any other. */
export function everySample(): Sample[] {
  const known: Partial<Record<Kind, Sample>> = samplesOfKinds;
  return documentedKinds.flatMap((documented): Sample[] => {
    if (documented.kind === 'saleStatus') return [];
    const make = async ({ samples }: Session) => samples.of(documented);
    return [known[documented.kind] ?? { name: nameOf(documented), needed: requiredFields(documented), make }];
  });
}

/** The fields of a kind without which its body is not even read. */
export function requiredFields(documented: (typeof documentedKinds)[number]): string[] {
  const { payload } = new Samples().of(documented);
  return Object.keys(payload).filter((field) => {
    const { issues } = validate<unknown>(documented.schema, { ...payload, [field]: undefined });
    return issues !== undefined;
  });
}

/** The kinds of which fewer were acted on than accepted, by what the listener does about one of each. */
export function notActedOn(
  session: Session,
  accepted: readonly TextKey[],
  actions: ActionCount | undefined,
): TextKey[] {
  if (actions === undefined) return [];
  const expected: Record<string, number> = {};
  for (const name of accepted) {
    for (const [counter, count] of moves(session.actionsOf.get(name)))
      expected[counter] = (expected[counter] ?? 0) + count;
  }
  const moved = Object.fromEntries(moves(actions));
  const isShort = ([counter]: readonly [string, number]) => (moved[counter] ?? 0) < (expected[counter] ?? 0);
  return [...new Set(accepted)].filter((name) => moves(session.actionsOf.get(name)).some(isShort));
}

/** What moved of the counters that checks look at; or the one number. */
function moves(actions: ActionCount | undefined): (readonly [counter: string, count: number])[] {
  const all = Object.entries(actions?.byName ?? { all: actions?.total ?? 0 });
  return all.filter(([counter, count]) => count > 0 && (counter === 'all' || counters.includes(counter)));
}

/** The counter that a notification belongs to. Payouts that failed may have one of their own. */
export function counterOf(name: string, { kind, byName = {} }: Acted): string {
  return name === FAILED_PAYOUT && 'payoutFailed' in byName ? 'payoutFailed' : kind;
}

/**
 * Counters whose notifications moved nothing at all; if they moved another counter, `right-kind` reports that. A payout
 * that failed does not have to move the counter of payouts.
 */
export function idleCounters(actionsOf: ReadonlyMap<TextKey, Acted>): string[] {
  return counters.filter((counter) => {
    const actions = [...actionsOf].flatMap(([name, acted]) =>
      acted.kind === counter && name !== FAILED_PAYOUT ? [acted] : [],
    );
    return actions.some(({ byName = {} }) => counter in byName) && actions.every(({ total }) => total === 0);
  });
}
