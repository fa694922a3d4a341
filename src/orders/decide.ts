import type { DeadLetter } from '../stores/dead-letters';
import type { SubjectRecord } from '../stores/record';
import type { Booking } from '../webhooks/cause';
import type { ListenerParts } from '../webhooks/handler';
import { encodePart, partsOf } from '../webhooks/key';
import type { Listener } from '../webhooks/listener';
import type { Outcome } from '../webhooks/outcome';
import { runLetter } from '../webhooks/replay';
import { findOrder, readOrder } from './order-records';

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
): Promise<Outcome> {
  const letter = (await listener.store.readLetter(id)) ?? (await withoutLetter(id, listener));
  if (letter === undefined) return (await isDecided(id, listener)) ? DECIDED : NO_CASE;
  if (isKnown(letter, booking)) return AMOUNT_KNOWN;
  if (isOthers(letter, booking)) return ORDER_KNOWN;
  return unlessDraining(() =>
    decision === 'book'
      ? runLetter({ origin: 'decision', letter, booking }, listener)
      : dismiss(letter, listener),
  );
}

/** Whether the state is done that a key names: its case has been decided. */
async function isDecided(key: string, { store }: Listener): Promise<boolean> {
  const { subject, state } = partsOf(key);
  // A case of a whole subject, or of a body without a state, is named after it.
  const [own = '', ending] = subject.split('~');
  const { value } = await store.readRecord<SubjectRecord>('seen:', own);
  return value?.done.some((each) => ending !== undefined || each.state === state) ?? false;
}

/** A case of a payment whose letter is over: the service says what there was in it. */
async function withoutLetter(
  key: string,
  { store, fingerprints }: Listener,
): Promise<DeadLetter | undefined> {
  const sale = saleIn(key);
  const { key: order } = sale === undefined ? {} : await findOrder(store, { uuid: sale });
  if (sale === undefined || order === undefined) return undefined;
  const { attempts } = (await readOrder(store, order)).order;
  const own = attempts.flatMap(({ review = [] }) => review).find(({ id }) => id === key);
  if (own === undefined) return undefined;
  const { reason: code, at, amount } = own;
  return {
    key,
    subject: `payment:${encodePart(sale)}`,
    state: 'PAID',
    kind: 'payment',
    body: JSON.stringify({ saleToken: sale, newStatus: 'PAID' }),
    url: '',
    credential: String(fingerprints[0]),
    code,
    firstFailedAt: at,
    lastFailedAt: at,
    attempts: 1,
    about: { order, sale, amount, isOwn: true },
  };
}

/** The sale of a payment's key. */
function saleIn(key: string): string | undefined {
  const [, part] = /^payment:([^:]+):PAID$/.exec(key) ?? [];
  try {
    return part === undefined ? undefined : decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** Ends a case without running anything: its state is done from now on, so that nothing begins it again. */
async function dismiss(
  { key, subject, state, kind, about = {} }: DeadLetter,
  listener: Listener,
): Promise<Outcome> {
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
    await orders?.end(store, { key, details: about }, kind === 'payment');
    // Another body, or another state of its sale, may have come meanwhile.
    await store.forgetLetter(key, (letter) => letter.state === state);
    return { code: 'done', isRepeat: claim.status === 'done' };
  } catch (error) {
    return { code: 'store_failed', status: 503, error };
  }
}
