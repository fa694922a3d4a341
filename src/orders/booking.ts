import { isSameId } from '../shared/uuid';
import {
  type Attempt,
  attemptIn,
  isBooked,
  isNewestMoney,
  isPaid,
  moved,
  type Order,
  ownAttempt,
  undecided,
} from './attempt';
import { withoutCase } from './marks';
import { isFirstSum, isImmediate, isLaterSum } from './money';
import { namedAttempt, withPaidCharge } from './recurrences';
import { isReturned, MAX_REMEMBERED, type Refund } from './returns';

// Which payments an order expects: pure functions over its record. Times are by the database's clock.

/** A sale that was reported as paid. */
export interface ReportedSale {
  /** The key of its notification. */
  readonly id: string;
  /** Its `saleToken`. */
  readonly sale: string;
  readonly referenceCode?: string | undefined;
  /** In the main unit, as the service says it, else the notification. */
  readonly amount?: number | undefined;
  readonly currency?: string | undefined;
  /** When it was paid, or told of, as the notification says it. */
  readonly date?: string | undefined;
  /** What the service says was refunded of it since. */
  readonly refunds?: readonly Refund[] | undefined;
  /** Whether its reference finds the order and proves nothing: it came as an event, or by `asPayment`. */
  readonly isRouted?: boolean | undefined;
  /** Of a charge of a recurrence that came as an event, or that the service lists. */
  readonly charge?: ReportedCharge | undefined;
  /** Whether the service, or the first event of its recurrence, says that it is another order's. */
  readonly isOthers?: boolean | undefined;
}

/** What is known of a charge besides its sale. */
export interface ReportedCharge {
  readonly idRec: string;
  readonly dueDate?: string | undefined;
}

/** Why a sale is not booked, and needs a person or time. */
export type SaleReason =
  | 'paid_twice'
  | 'other_amount'
  | 'closed'
  | 'other_sale'
  | 'other_order'
  | 'authorized_twice'
  | 'unclear_amount'
  | 'returned_in_full';

/** What is to be done about a sale. */
export type SaleVerdict =
  /** It is among the payments. */
  | { readonly do: 'nothing' }
  /** `attempt`: the one that it pays; missing for a later charge. */
  | { readonly do: 'book'; readonly isFirst: boolean; readonly attempt?: Attempt | undefined }
  /** `isOwn`: it is an attempt's own. */
  | { readonly do: 'case'; readonly reason: SaleReason; readonly isOwn: boolean };

/**
 * Decides whether a sale is expected: the first payment of an order, or a later charge. The first row that fits counts.
 *
 * | the sale | when | |
 * |---|---|---|
 * | is among the payments | | nothing |
 * | is one whose transaction, or whose recurrence, names another order | | `other_order` |
 * | is an attempt's own: its uuid, or, if that proves anything, its reference where the attempt has no uuid | another attempt is paid or has begun | `paid_twice` |
 * | the same | its money is not the newest request's, or another sum | `other_amount` |
 * | the same | the attempt is closed | `closed` |
 * | the same | | book |
 * | names (by its reference, else by its recurrence) the attempt that paid | the recurrence's sum, else the first payment's | book, a later charge |
 * | the same | another sum | `other_amount` |
 * | a charge that names another attempt than the one that paid | | `paid_twice` |
 * | names an attempt | another attempt is authorized | `authorized_twice` |
 * | names an attempt without an immediate payment | no payment yet, the first sum | book, the first |
 * | the same | its money is not the newest request's; the attempt is closed | `other_amount`; `closed` |
 * | the same, a charge | another sum | `other_amount` |
 * | any other of the order | | `other_sale` |
 */
export function decideSale(order: Order, reported: ReportedSale): SaleVerdict {
  const { sale, charge, amount } = reported;
  if (isBooked(order, sale)) return { do: 'nothing' };
  if (reported.isOthers) return { do: 'case', reason: 'other_order', isOwn: false };
  const isFirst = !isPaid(order);
  const paidBy = attemptIn(order, 'paid');
  const isBegun = order.begun !== undefined && order.begun.key !== reported.id;

  const own = ownAttempt(order, reported);
  if (own !== undefined && own !== paidBy) {
    const refuse = (reason: SaleReason): SaleVerdict => ({ do: 'case', reason, isOwn: true });
    if (paidBy !== undefined || isBegun) return refuse('paid_twice');
    if (amount === undefined) return refuse('unclear_amount');
    if (!isNewestMoney(order, own) || !isFirstSum(order, own, reported)) return refuse('other_amount');
    if (own.state === 'closed') return refuse('closed');
    return unlessReturned({ do: 'book', isFirst, attempt: own }, reported);
  }

  const named = attemptNamedBy(order, reported) ?? own;
  const refuse = (reason: SaleReason): SaleVerdict => ({ do: 'case', reason, isOwn: false });
  if (named !== undefined && named === paidBy) {
    if (amount === undefined) return refuse('unclear_amount');
    if (!isLaterSum(order, named, reported)) return refuse('other_amount');
    return unlessReturned({ do: 'book', isFirst }, reported);
  }
  // The payer is charged by two recurrences: a person has one cancelled.
  if (charge !== undefined && named !== undefined && paidBy !== undefined) return refuse('paid_twice');
  const isElsewhere = order.attempts.some((each) => each !== named && each.state === 'authorized');
  if (named !== undefined && isElsewhere) return refuse('authorized_twice');
  if (named !== undefined && !isImmediate(order, named) && isFirst && !isBegun) {
    if (amount === undefined) return refuse('unclear_amount');
    if (!isNewestMoney(order, named)) return refuse('other_amount');
    if (named.state === 'closed') return refuse('closed');
    if (isFirstSum(order, named, reported)) {
      return unlessReturned({ do: 'book', isFirst, attempt: named }, reported);
    }
    if (charge !== undefined) return refuse('other_amount');
  }
  return refuse('other_sale');
}

/** The attempt that a sale names, which need not be its own. */
export function attemptNamedBy(
  order: Order,
  { referenceCode, charge }: Pick<ReportedSale, 'referenceCode' | 'charge'>,
): Attempt | undefined {
  return namedAttempt(order, { referenceCode, idRec: charge?.idRec });
}

/** Booked and gone back at once is nothing to deliver goods for. */
function unlessReturned(verdict: Extract<SaleVerdict, { do: 'book' }>, reported: ReportedSale): SaleVerdict {
  if (!isReturned(reported)) return verdict;
  return { do: 'case', reason: 'returned_in_full', isOwn: verdict.attempt !== undefined };
}

/** How the order spells a sale that it knows: as the service has answered, or as its payment was told. */
export function knownSpelling({ attempts, payments }: Order, sale: string): string {
  const known = [...attempts.map(({ uuid }) => uuid), ...payments.map((each) => each.sale)];
  return known.includes(sale) ? sale : (known.find((each) => isSameId(each, sale)) ?? sale);
}

/**
 * Whether a payment is the order's own money, and not booked: an attempt's own sale, or one that was a case of it, or has
 * begun. `'known'`: the service has confirmed it before.
 */
export function ownMoney(
  order: Order,
  reported: Pick<ReportedSale, 'id' | 'sale' | 'referenceCode' | 'isRouted'>,
): 'own' | 'known' | undefined {
  const sale = knownSpelling(order, reported.sale);
  if (isBooked(order, sale)) return undefined;
  if (undecided(order).some(({ id }) => id === reported.id)) return 'known';
  return ownAttempt(order, { ...reported, sale }) && 'own';
}

/** A sale that is booked. */
export interface BookedSale extends ReportedSale {
  readonly amount: number;
  readonly currency: string;
  /** A person has decided that it is a payment of its own, under a sale that is booked already. */
  readonly isAgain?: boolean | undefined;
}

/** The order once `paid` has run for a sale; the same order if that is recorded. */
export function withPayment(
  order: Order,
  reported: BookedSale,
  attempt: Attempt | undefined,
  now: number,
): Order {
  const { sale, amount, currency, id, isAgain = false, isRouted, date, charge } = reported;
  const named = attempt ?? attemptNamedBy(order, reported);
  const paidCharge = { sale, amount, told: date, ...charge };
  const without = withPaidCharge(withoutCase(order, id), paidCharge, named?.attempt);
  if (isBooked(order, sale) && !isAgain) return without;
  const current = without.attempts.find((each) => each.attempt === attempt?.attempt);
  // The sale of a charge is never its journey's.
  const uuid = current?.uuid ?? (isRouted ? undefined : sale);
  const paid = current === undefined ? without : moved(without, { ...current, uuid }, 'paid', now);
  const payment = { sale, attempt: attempt?.attempt, amount, currency, at: now };
  const early = order.early?.filter((each) => !isSameId(each.sale, sale));
  // Booking it revokes its dismissal.
  const dismissed = order.dismissed?.filter((each) => each.id !== id);
  return { ...paid, early, dismissed, payments: [...order.payments, payment].slice(-MAX_REMEMBERED) };
}
