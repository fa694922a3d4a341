import { reconcile } from '../client/reconcile';
import { ApiError } from '../errors';
import type { Transaction } from '../service/operations/get-transaction';
import { notify } from '../shared/notify';
import { DAY_MS } from '../shared/time';
import { UnreadableRecordError } from '../stores/record';
import type { SingleRecords, StoreSteps } from '../stores/steps';
import type { TransactionSource } from '../values/confirm-payment';
import { readOptions } from '../values/option-checks';
import type { OrdersListener } from '../webhooks/handler';
import { isAskable, moved, type Order } from './attempt';
import { changeOrder, forgetPointer, type Pointer, readOrder } from './order-records';

/** Options of `orders.reconcile`. */
export interface ReconcileOrdersOptions {
  /**
   * How many queries may run at the same time. Each opens a connection of its own, so raise it for many orders.
   *
   * @defaultValue 4
   */
  readonly concurrency?: number | undefined;
  /**
   * How many queries may start within a second, evenly spaced.
   *
   * @defaultValue no limit
   */
  readonly perSecond?: number | undefined;
  /**
   * How long after its last change an attempt is asked about, in milliseconds.
   *
   * @defaultValue 40 days
   */
  readonly maxAgeMs?: number | undefined;
  /** Ends the run with an `AbortedError`; the next run goes on where it ended. `null` means no signal. */
  readonly signal?: AbortSignal | null | undefined;
  /** Called after each query. If it throws, nothing changes. */
  readonly onProgress?: ((progress: { readonly done: number }) => void) | undefined;
}

/** What a run of `orders.reconcile` found. */
export interface ReconcileCounts {
  /** Attempts that the service was asked about. */
  readonly asked: number;
  /** Attempts that are paid, and whose payment was acted on, in this run or before. */
  readonly paid: number;
  /** Attempts that the service says are cancelled. */
  readonly closed: number;
  /** Attempts that the service says are paid, and does not confirm: a person has to look. */
  readonly review: number;
  /** Queries and callbacks that failed: the next run tries again. */
  readonly failed: number;
  /** Whether the run came round; not if a rate limit ended it. The next run goes on where this one ended. */
  readonly isComplete: boolean;
}

/** What a run works with. */
export interface ReconcileContext {
  readonly client: TransactionSource;
  readonly records: SingleRecords & Pick<StoreSteps, 'listRecords'>;
  readonly settle: OrdersListener['settle'];
  /** Told how many records could not be read; the others are asked about. */
  readonly onUnreadable: (count: number) => void;
  /** Says that a person has to look at an attempt. */
  readonly reportReview: (uuid: string) => void;
  /** Where the last run ended. */
  readonly cursor: Cursor | undefined;
  /** Remembers where this one is. */
  readonly saveCursor: (cursor: Cursor | undefined) => Promise<void>;
}

/** Where a run is: the last order that is behind it. */
export interface Cursor {
  readonly key: string;
  /** Where in the order of the list that is. */
  readonly place: string;
}

const FORTY_DAYS_MS = 40 * DAY_MS;
const PAGE = 100;
/** Longer than any write of an order may be on its way: until then, the order of a pointer may still be unwritten. */
const SETTLED_MS = 10 * 60 * 1000;

/** Asks the service about every attempt that may have been paid without a notification. */
export async function reconcileOrders(
  context: ReconcileContext,
  given: ReconcileOrdersOptions,
): Promise<ReconcileCounts> {
  const { maxAgeMs = FORTY_DAYS_MS, onProgress, ...options } = readOptions(given);
  const counts = { asked: 0, paid: 0, closed: 0, review: 0, failed: 0 };
  const asked = new Map<string, { readonly key: string; readonly attempt: number }>();
  const uuids = uuidsToAsk(context, maxAgeMs, asked);
  for await (const { uuid, transaction, error } of reconcile(context.client, uuids, options)) {
    counts.asked += 1;
    const found = asked.get(uuid);
    asked.delete(uuid);
    if (error !== undefined) {
      counts.failed += 1;
      if (isLongRateLimit(error)) return { ...counts, isComplete: false };
    } else if (found !== undefined) {
      const became = await apply(context, found, uuid, transaction);
      if (became !== undefined) counts[became] += 1;
    }
    notify(onProgress, { done: counts.asked });
  }
  return { ...counts, isComplete: true };
}

/** The uuids of all attempts to ask about, beginning after the cursor, and going round. */
async function* uuidsToAsk(
  { records, cursor, saveCursor, onUnreadable }: ReconcileContext,
  maxAgeMs: number,
  asked: Map<string, { readonly key: string; readonly attempt: number }>,
): AsyncGenerator<string, void, undefined> {
  let hasWrapped = cursor === undefined;
  let last = cursor;
  for (;;) {
    const page = await records.listRecords<Pointer>('open:', { after: last?.key, limit: PAGE, onUnreadable });
    for (const { place, value } of page) {
      if (hasWrapped && cursor !== undefined && place > cursor.place) return saveCursor(cursor);
      const read = await readOrder(records, value.key).catch((error: unknown) => {
        if (!(error instanceof UnreadableRecordError)) throw error;
        onUnreadable(1);
      });
      if (read === undefined) continue;
      const { order, now } = read;
      const attempts = order.attempts.filter(isAskable);
      if (attempts.length === 0 && now - value.at > SETTLED_MS) await forgetPointer(records, value);
      for (const { uuid, attempt, changedAt } of attempts) {
        if (uuid === undefined || changedAt < now - maxAgeMs) continue;
        asked.set(uuid, { key: order.key, attempt });
        yield uuid;
      }
    }
    const end = page.length === PAGE ? page.at(-1) : undefined;
    last = end && { key: end.value.key, place: end.place };
    // A few queries of this page may still be on their way. If the run ends now, the next one comes to them last.
    await saveCursor(last);
    if (last !== undefined) continue;
    if (hasWrapped) return;
    hasWrapped = true;
  }
}

/** Does what the service's answer asks for, and says what became of the attempt. */
async function apply(
  { records, settle, reportReview }: ReconcileContext,
  { key, attempt }: { readonly key: string; readonly attempt: number },
  uuid: string,
  transaction: Transaction,
): Promise<'paid' | 'closed' | 'review' | 'failed' | undefined> {
  // It runs the payment callback, and marks the attempt, if the service confirms the payment.
  const { status } = await settle({ uuid, transaction });
  if (status === 'done' || status === 'already-done') return 'paid';
  if (status !== 'not-paid') return 'failed';
  if (transaction.situation === 'CANCELLED') return (await move(records, key, attempt, 'closed')) && 'closed';
  if (transaction.situation !== 'PAID') return undefined;
  const order = await move(records, key, attempt, 'review');
  if (order !== undefined) reportReview(uuid);
  return order && 'review';
}

/** Puts the attempt into a state; gives `undefined` if it is in one that does not go there, or is there already. */
async function move(
  records: SingleRecords,
  key: string,
  attempt: number,
  to: 'closed' | 'review',
): Promise<Order | undefined> {
  return changeOrder(records, key, (order, now) => moved(order, attempt, to, now));
}

/** The service asks for a longer pause than a query may take. */
function isLongRateLimit(error: unknown): boolean {
  return error instanceof ApiError && error.httpStatus === 429 && error.retryAfterMs !== undefined;
}
