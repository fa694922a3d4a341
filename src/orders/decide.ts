import type { DeadLetter } from '../stores/dead-letters';
import type { SubjectRecord } from '../stores/record';
import type { ListenerParts } from '../webhooks/handler';
import { encodePart, partsOf } from '../webhooks/key';
import type { Booking, RememberedCase } from '../webhooks/order-link';
import type { Listener } from '../webhooks/receive';
import { runLetter } from '../webhooks/replay';
import type { RunResult } from '../webhooks/run-once';

const DECIDED = { code: 'done', isRepeat: true } as const;
const NO_CASE = refused('id', 'expected the `id` of one of `orders.cases()`: no case has this one');
const AMOUNT_KNOWN = refused(
  'amount',
  'expected none: how much it is, is known. `amount` of the case says it',
);

const ORDER_KNOWN = refused('order', 'expected none: whose it is, is known. `order` of the case says it');

function refused(path: string, message: string) {
  return { code: 'unhandled', status: 200, issues: [{ path: [path], message }] } as const;
}

/** The reasons of cases whose amount a person has to say, or may. */
const UNCLEAR: ReadonlySet<string> = new Set(['unclear_amount', 'unexpected_repeat']);

function isKnown({ code, about }: DeadLetter, { amount }: Booking): boolean {
  return amount !== undefined && about?.amount !== undefined && !UNCLEAR.has(code);
}

/** Whether a case belongs to another order than the given one. A `no_order` may name the order of a sale that is not booked. */
function isOthers({ code, about }: DeadLetter, { order }: Booking): boolean {
  const own = about?.order;
  return order !== undefined && own !== undefined && own !== order && code !== 'no_order';
}

/** Carries out what a person has decided about a case. Never rejects for what a callback throws: that is in the result. */
export async function decideCase(
  id: string,
  decision: 'book' | 'dismiss',
  booking: Booking,
  { listener, unlessDraining }: ListenerParts,
): Promise<RunResult> {
  const { store, orders } = listener;
  const remembered = await orders?.remembered(store, id);
  const letter = (await store.readLetter(id)) ?? (remembered && letterOf(remembered, listener));
  if (letter === undefined) return (await isDecided(id, listener)) ? DECIDED : NO_CASE;
  if (isKnown(letter, booking)) return AMOUNT_KNOWN;
  if (isOthers(letter, booking)) return ORDER_KNOWN;
  return unlessDraining(() =>
    decision === 'book' ? runLetter(letter, listener, booking) : dismiss(letter, listener),
  );
}

/** Whether the state is done that an id names: its case has been decided. */
async function isDecided(id: string, { store }: Listener): Promise<boolean> {
  const { subject, state } = partsOf(id);
  // A case of a whole subject, or of a body without a state, is named after it.
  const [own = '', ending] = subject.split('~');
  const { value } = await store.readRecord<SubjectRecord>('seen:', own);
  return value?.done.some((each) => ending !== undefined || each.state === state) ?? false;
}

/** The case of a payment whose letter is gone: the service says what there was in it. */
function letterOf({ id, sale, reason, at, details }: RememberedCase, { fingerprints }: Listener): DeadLetter {
  const body = JSON.stringify({ saleToken: sale, newStatus: 'PAID' });
  const subject = `payment:${encodePart(sale)}`;
  const times = { firstFailedAt: at, lastFailedAt: at, attempts: 1 };
  const credential = String(fingerprints[0]);
  return {
    key: id,
    subject,
    state: 'PAID',
    kind: 'payment',
    body,
    url: '',
    credential,
    code: reason,
    ...times,
    about: details,
  };
}

/** Ends a case without running anything: its state is done from now on, so that nothing begins it again. */
async function dismiss(
  { key, subject, state, kind, about = {} }: DeadLetter,
  listener: Listener,
): Promise<RunResult> {
  const { store, orders, leaseMs, storeTimeoutMs: withinMs } = listener;
  const retentionMs = kind === 'unrecognized' ? listener.unrecognizedRetentionMs : listener.retentionMs;
  try {
    const claim = await store.claim(subject, state, { leaseMs, withinMs, isByPerson: true });
    if (claim.status === 'busy') return { code: 'busy', status: 503 };
    if (claim.status === 'claimed') {
      const isDone = await store.complete(claim, { retentionMs, withinMs });
      if (!isDone) return { code: 'busy', status: 503 };
    }
    // After a crash between these, the next decision comes here again.
    await orders?.dismiss(store, { id: key, details: about }, kind === 'payment');
    await store.forgetLetter(key);
    return { code: 'done', isRepeat: claim.status === 'done' };
  } catch (error) {
    return { code: 'store_failed', status: 503, error };
  }
}
