import type { SandboxNotification } from '../../../sandbox/model/records';
import { say } from '../../language';
import { bookingOf } from '../judge';
import { newIdentity, type Sale } from '../sales';
import { books, type Outcome } from '../step';
import type { Script, World } from '../world';

/** What came back, for the steps that send it again. */
export interface Returned {
  readonly refund: SandboxNotification;
  readonly reversal: SandboxNotification;
  readonly payout: SandboxNotification;
}

/** Refunds in parts, reversals and payouts: what shares an identity, and is no duplicate. */
export async function* returns(world: World, paid: readonly Sale[]): Script<Returned> {
  const refund = yield* refunds(world, paid);
  const reversal = yield* reversals(world, paid);
  return { refund, reversal, payout: yield* payouts(world) };
}

async function* refunds(world: World, [sale]: readonly Sale[]): Script<SandboxNotification> {
  const { sales } = world;
  const of = sale ?? (await sales.sale());
  const first = await of.refund(5);
  const one = yield books('refund', { what: say('sent.refund'), notification: first });
  await whyRefused(world, one, first);
  if (one.notBooked.length > 0) {
    // A refund of a sale that the listener knows nothing of shares no key with a payment.
    const notification = await (await sales.sale()).refund(5);
    const alone = yield { ...books('refund', { what: '', notification, accept: 'may' }), isProbe: true };
    if (alone.notBooked.length === 0 && alone.holds) one.blame('refundLikePayment');
  }
  if (one.only('amount') && one.rows[0]?.got === of.amount) one.blame('wholeSale');
  blameMeaning(one, 'refund');

  const { payload, ...second } = await of.refund(5);
  const { amountRefunded: _, ...without } = Object(payload);
  const two = yield books('secondRefund', {
    what: say('sent.secondRefund'),
    notification: { ...second, payload: without },
  });
  if (one.holds && two.only('missing')) two.blame('refundKey');
  if (one.holds && two.only('refused', 'amount'))
    two.blame('needsField', { kind: 'refund', path: 'amountRefunded', how: say('fields.leftOut') });

  const third = { ...(await of.refund(3)), query: '' };
  const three = yield books('refundNoQuery', { what: say('sent.refundNoQuery'), notification: third });
  const booked = three.rows.find(({ type }) => type === 'kind');
  if (one.holds && booked !== undefined) three.blame('queryAloneBooked', { kind: booked.kind });
  else if (one.holds && two.holds && three.only('missing', 'refused')) three.blame('queryAlone');
  return first;
}

async function* reversals(world: World, [, one, two, three]: readonly Sale[]): Script<SandboxNotification> {
  const { sales } = world;
  const lost = await (one ?? (await sales.sale())).reversal('PAID');
  const alone = yield books('reversal', { what: say('sent.reversal'), notification: lost.ended });
  await whyRefused(world, alone, lost.ended);
  blameMeaning(alone, 'reversal');

  const whole = await (two ?? (await sales.sale())).reversal('PAID');
  const begun = yield {
    id: 'reversalBegins',
    sends: [{ what: say('sent.pending'), notification: whole.pending }],
    may: [bookingOf(whole.pending)],
  };
  await whyRefused(world, begun, whole.pending);
  blameMeaning(begun, 'reversal PENDING');
  const ended = yield {
    id: 'reversalEnds',
    sends: [{ what: say('sent.reversal'), notification: whole.ended }],
    must: [{ ...bookingOf(whole.ended), orBefore: true }],
  };
  if (alone.holds && ended.only('missing')) ended.blame('reversalKey');

  const late = yield {
    id: 'latePending',
    sends: [{ what: say('sent.latePending'), notification: lost.pending }],
    may: [bookingOf(lost.pending)],
  };
  if (late.only('takenBack')) late.blame('reopens');
  if (begun.types.length === 0 && late.only('refused')) late.blame('refusesOvertaken');

  const cancelled = await (three ?? (await sales.sale())).reversal('CANCELLED');
  const outcome = yield {
    id: 'reversalCancelled',
    sends: [{ what: say('sent.cancelled'), notification: cancelled.ended }],
    may: [bookingOf(cancelled.ended)],
  };
  blameMeaning(outcome, 'reversal CANCELLED');
  return lost.ended;
}

async function* payouts(world: World): Script<SandboxNotification> {
  const { sales } = world;
  const first = sales.payout(true);
  const paid = yield books('payout', { what: say('sent.payout'), notification: first });
  await whyRefused(world, paid, first);
  blameMeaning(paid, 'payout');
  const identity = newIdentity();
  const failing = sales.payout(false, identity);
  const failed = yield {
    id: 'failedPayout',
    sends: [{ what: say('sent.failedPayout'), notification: failing }],
  };
  if (failed.rows.some(({ kind }) => kind === 'payout')) failed.blame('failedAsPayout');
  blameMeaning(failed, 'failed payout');
  if (failed.only('refused')) {
    const notification = { ...sales.payout(false), query: `${failing.query}&type=payout` };
    const typed = yield {
      id: 'failedPayout',
      sends: [{ what: '', notification, accept: 'may' }],
      isProbe: true,
    };
    if (typed.exchanges[0]?.reception === 'accepted') failed.blame('needsType');
  }
  await whyRefused(world, failed, failing);
  const then = yield books('payoutAfterFailed', {
    what: say('sent.payoutAfterFailed'),
    notification: sales.payout(true, identity),
  });
  if (paid.holds && then.only('missing')) then.blame('payoutKey');
  return first;
}

/** What a listener that refuses a kind refuses in it. */
async function whyRefused(
  { sender }: World,
  outcome: Outcome,
  { payload, query }: SandboxNotification,
): Promise<void> {
  if (!outcome.only('refused')) return;
  const isTaken = async (body: object, flags: string) =>
    (await sender.probe(JSON.stringify(body), flags)).reception === 'accepted';
  if (query !== '' && (await isTaken(payload, ''))) return outcome.blame('refusesQuery');
  const hasReceipt = Boolean(Object(payload).receipt);
  if (!hasReceipt && (await isTaken({ ...payload, receipt: 'https://service.example/receipts/1' }, query)))
    outcome.blame('needsField', {
      kind: bookingOf({ kind: 'custom', query, payload }).kind,
      path: 'receipt',
      how: say('fields.null'),
    });
}

/** Names what holds for every kind: booked as another, or what it is about taken back. */
function blameMeaning(outcome: Outcome, what: string): void {
  const { rows } = outcome;
  const other = rows.find(({ type }) => type === 'kind') ?? rows.find(({ kind }) => kind === 'payment');
  if (rows.some(({ type }) => type === 'takenBack')) outcome.blame('takesBack', { what });
  else if (other?.kind === 'payment') outcome.blame('asPayment', { what });
  else if (other !== undefined) outcome.blame('otherKind', { what, kind: other.kind });
}
