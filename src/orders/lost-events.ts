import { type ReconcileResult, reconcile } from '../client/reconcile';
import { getAuthorization } from '../recurrence/authorizations';
import { type CallSource, listScheduledPayments } from '../recurrence/scheduled-payments';
import { isGiven } from '../shared/objects';
import { DAY_MS, HOUR_MS, stopwatch } from '../shared/time';
import { UnreadableRecordError } from '../stores/record';
import type { SingleRecords } from '../stores/steps';
import type { TransactionSource } from '../values/confirm-payment';
import { reportUnreadable } from '../webhooks/replay';
import { attemptIn } from './attempt';
import type { ReportedCharge } from './booking';
import { endedBy } from './case-reasons';
import type { MaintainContext } from './maintain-record';
import { caseOfSale, changeMaintain, findOrder, openOrders, orderOfSale, readOrder } from './order-records';
import { isNoCall, isNothingThere, makesCalls } from './proof';
import type { RunOptions } from './reconcile';
import { endEventOf } from './recurrence-events';
import { hasEnded, liveOf } from './recurrences';
import { settle, settledAs, settleEnd } from './settle';

// Charges and ends of recurrences whose event was lost. The document shows no call that finds them, the service's public
// pages do: nothing of it is asked of a service that has never sent an event, unless the merchant says so.

/** What the daily search for lost events of recurrences has found (the service's public pages; not in its document). */
export interface LostEventCounts {
  /** Paid charges that the service has listed. */
  readonly listed: number;
  /** Those that are booked now. */
  readonly booked: number;
  /** Those that are a case now. */
  readonly review: number;
  /** Recurrences that are over, of which no event had told. */
  readonly ended: number;
  /** Queries and callbacks that failed: the next day's search finds them again. */
  readonly failed: number;
  /** Whether it came to its end; else the next run goes on from there. */
  readonly isComplete: boolean;
}

/** Beside the record of `maintain`. Times are by the database's clock. */
interface EventsRecord {
  /** When the first event of a recurrence came. */
  readonly seenAt?: number | undefined;
  /** When an order last learned of its recurrence by a charge: what came before that may be lost. */
  readonly missedAt?: number | undefined;
  /** When the last search began that came to its end. */
  readonly listedAt?: number | undefined;
  /** Where one has ended before: how many of the list are behind it, and the last order that was asked about. */
  readonly part?: Part | undefined;
  /** Since when the service is known not to have the calls. */
  readonly offAt?: number | undefined;
}

interface Part {
  readonly startedAt: number;
  readonly from: string;
  readonly to: string;
  readonly done: number;
  /** Set once the list is behind it. */
  readonly after?: string | undefined;
}

/** Its id under `maintain`. */
const EVENTS = ':events';

function changeEvents(
  records: SingleRecords,
  next: (record: EventsRecord, now: number) => EventsRecord | undefined,
): Promise<unknown> {
  return changeMaintain(records, EVENTS, next);
}

/**
 * Remembers that the service sends events of recurrences. Where an order has missed the approval of its recurrence, it may
 * have missed charges, too: the next search goes back as far as any does.
 */
export async function noteEvents(records: SingleRecords, hasMissed: boolean): Promise<void> {
  await changeEvents(records, (record, now) => {
    const { seenAt = now } = record;
    if (hasMissed) return { ...record, seenAt, missedAt: now };
    return seenAt === record.seenAt ? undefined : { ...record, seenAt };
  });
}

/** How long a return waits for a search: one that fails, or that the merchant has switched off, must not keep it. */
const MOST_WAIT_MS = 2 * DAY_MS;

/** Whether the next search may find a charge that was paid by then: none that began after that has come to its end. */
export async function mayFindSince(records: SingleRecords, at: number): Promise<boolean> {
  const { value = {}, now } = await records.readRecord<EventsRecord>('maintain', EVENTS);
  const { seenAt, listedAt, offAt } = value;
  if (seenAt === undefined || now - at >= MOST_WAIT_MS) return false;
  if (offAt !== undefined && now - offAt < OFF_MS) return false;
  return listedAt === undefined || listedAt <= at;
}

/** A day, but not so exactly that an hourly `maintain` slips by an hour each day. */
const EVERY_MS = DAY_MS - HOUR_MS;
/** A charge may be tried again for a week after it was due, and told of late. */
const LOOKS_BACK_MS = 15 * DAY_MS;
const MOST_BACK_MS = 60 * DAY_MS;
/** How long nobody asks for calls that are not there. */
const OFF_MS = 30 * DAY_MS;
/** How many charges a run lists at most: a list may have no end. */
const MOST_LISTED = 20_000;

/**
 * Once a day: acts on the paid charges that no event has told of, then on the recurrences that are over without one.
 *
 * @param withinMs - how long it takes at most, in milliseconds: what is left waits for the next run
 * @returns nothing if it is not time, or not wanted, or the service does not have the calls
 * @throws what the calls throw, save a 404
 */
export async function findLostEvents(
  context: MaintainContext,
  { maxAgeMs: _age, onProgress: _progress, ...limits }: RunOptions,
  withinMs: number,
): Promise<LostEventCounts | undefined> {
  const { client, records, recurrences, onNoCall } = context;
  if (recurrences === false || !makesCalls(client)) return undefined;
  const { value = {}, now } = await records.readRecord<EventsRecord>('maintain', EVENTS);
  const { seenAt = recurrences ? now : undefined, missedAt, listedAt, part, offAt } = value;
  if (seenAt === undefined) return undefined;
  if (offAt !== undefined && now - offAt < OFF_MS) return undefined;
  if (part === undefined && listedAt !== undefined && now - listedAt < EVERY_MS) return undefined;

  const since = missedAt === undefined ? (listedAt ?? seenAt) : -Infinity;
  const search = new Search(context, client, limits, withinMs, part ?? newPart(now, since));
  const save = (next: (record: EventsRecord) => EventsRecord) =>
    changeEvents(records, (record) => ({ ...record, seenAt, ...next(record) }));
  try {
    const counts = await search.run();
    const { part: left } = search;
    const { startedAt } = left;
    await save((record) =>
      counts.isComplete
        ? { missedAt: missedSince(startedAt, record), listedAt: startedAt, part: undefined, offAt: undefined }
        : { part: left },
    );
    return counts;
  } catch (error) {
    if (!isNoCall(error)) {
      await save(() => ({ part: search.part })).catch(() => undefined);
      throw error;
    }
    if (offAt === undefined) onNoCall(error);
    await save(() => ({ part: undefined, offAt: now }));
    return undefined;
  }
}

/** Kept where it is news that came while a search was running. */
function missedSince(startedAt: number, { missedAt }: EventsRecord): number | undefined {
  return missedAt !== undefined && missedAt >= startedAt ? missedAt : undefined;
}

/** The days are those of São Paulo, so one more at each end. */
function newPart(now: number, since: number): Part {
  const from = Math.max(now - MOST_BACK_MS, Math.min(now, since) - LOOKS_BACK_MS);
  return { startedAt: now, from: dayAt(from - DAY_MS), to: dayAt(now + DAY_MS), done: 0 };
}

function dayAt(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** A charge that is asked about. */
interface ListedCharge {
  /** Where in the list it is. */
  readonly place: number;
  /** Missing if the list names no recurrence. */
  readonly charge: ReportedCharge | undefined;
}

/** One run of a search. */
class Search {
  part: Part;
  readonly #counts = { listed: 0, booked: 0, review: 0, ended: 0, failed: 0 };
  readonly #context: MaintainContext;
  readonly #client: CallSource & TransactionSource;
  readonly #limits: RunOptions;
  readonly #withinMs: number;
  readonly #onUnreadable: (count: number) => void;
  readonly #age = stopwatch();
  /** The charges that are asked about, by their sales. */
  readonly #asked = new Map<string, ListedCharge>();
  #isListed: boolean;

  constructor(
    context: MaintainContext,
    client: CallSource & TransactionSource,
    limits: RunOptions,
    withinMs: number,
    part: Part,
  ) {
    this.#context = context;
    this.#onUnreadable = reportUnreadable(context.parts.listener.report);
    this.#client = client;
    this.#limits = limits;
    this.#withinMs = withinMs;
    this.part = part;
    this.#isListed = part.after !== undefined;
  }

  async run(): Promise<LostEventCounts> {
    if (!this.#isListed) await this.#searchCharges();
    const isComplete = this.#isListed && (await this.#searchEnds());
    return { ...this.#counts, isComplete };
  }

  #isTimeUp(): boolean {
    return this.#limits.signal?.aborted === true || this.#age() >= this.#withinMs;
  }

  get #callLimits() {
    const { timeoutMs, signal } = this.#limits;
    return { timeoutMs, totalTimeoutMs: timeoutMs, signal: signal ?? undefined };
  }

  async #searchCharges(): Promise<void> {
    for await (const result of reconcile(this.#client, this.#unknownSales(), this.#limits)) {
      const asked = this.#asked.get(result.uuid);
      if (asked === undefined) continue;
      const became = await this.#settle(result, asked.charge);
      if (became !== undefined) this.#counts[became] += 1;
      this.#asked.delete(result.uuid);
    }
  }

  /** The sales of the list that no order knows. */
  async *#unknownSales(): AsyncGenerator<string, void, undefined> {
    const { records } = this.#context;
    const { from, to, done } = this.part;
    let place = 0;
    for await (const { sale, authorization, dueDate } of this.#list(from, to)) {
      place += 1;
      if (place <= done) continue;
      this.#counts.listed += 1;
      const uuid = sale?.uuid ?? '';
      const isNew = uuid !== '' && !this.#asked.has(uuid);
      if (isNew && (await orderOfSale(records, uuid)) === undefined) {
        const idRec = authorization?.idRec;
        this.#asked.set(uuid, {
          place,
          charge: isGiven(idRec) ? { idRec, dueDate: dueDate ?? undefined } : undefined,
        });
        yield uuid;
      }
      // What is asked about and has no answer yet is asked again.
      const places = [...this.#asked.values()].map((each) => each.place - 1);
      this.part = { ...this.part, done: Math.min(place, ...places) };
      if (this.#isTimeUp() || this.#counts.listed >= MOST_LISTED) return;
    }
    this.#isListed = true;
  }

  async *#list(from: string, to: string) {
    try {
      yield* listScheduledPayments(this.#client, { status: 'PAID', from, to }, this.#callLimits);
    } catch (error) {
      // The call is there, and has nothing to list.
      if (!isNothingThere(error)) throw error;
    }
  }

  async #settle(
    { uuid, transaction }: ReconcileResult,
    charge: ReportedCharge | undefined,
  ): Promise<'booked' | 'review' | 'failed' | undefined> {
    const { records, parts } = this.#context;
    if (transaction === undefined) return 'failed';
    if (transaction.situation !== 'PAID') return undefined;
    const { key } = await findOrder(records, {
      referenceCode: transaction.referenceCode,
      idRec: charge?.idRec,
    });
    // Another system of the same account.
    if (key === undefined || (await orderOfSale(records, uuid)) !== undefined) return undefined;
    // Its event has come, and a person is to decide: `paid` must not run again without one.
    const letter = await caseOfSale(records, uuid);
    if (letter !== undefined && endedBy(letter.code) === 'person') return undefined;
    const settled = settledAs(await settle({ uuid, transaction, charge }, parts));
    if (settled === 'case') return 'review';
    // Somebody else is at it: the next day's search looks again.
    return settled === 'busy' ? 'failed' : settled;
  }

  /** An order that is authorized by a recurrence that is over would never be opened again. */
  async #searchEnds(): Promise<boolean> {
    const { records } = this.#context;
    for await (const { key } of openOrders(records, this.part.after, this.#onUnreadable)) {
      if (this.#isTimeUp()) return false;
      await this.#searchEndsOf(key);
      this.part = { ...this.part, after: key };
    }
    return true;
  }

  async #searchEndsOf(key: string): Promise<void> {
    const { records, parts } = this.#context;
    try {
      const { order } = await readOrder(records, key);
      const authorized = attemptIn(order, 'authorized');
      if (authorized === undefined) return;
      for (const { idRec, attempt } of liveOf(order)) {
        if (attempt !== authorized.attempt) continue;
        const status = await this.#statusOf(idRec);
        if (status === undefined || !hasEnded({ status })) continue;
        const { code } = await settleEnd({ eventType: endEventOf(status), idRec, status }, parts);
        this.#counts[code === 'done' ? 'ended' : 'failed'] += 1;
      }
    } catch (error) {
      if (!(error instanceof UnreadableRecordError)) throw error;
      this.#onUnreadable(1);
    }
  }

  async #statusOf(idRec: string): Promise<string | undefined> {
    try {
      const { authorization } = await getAuthorization(this.#client, idRec, this.#callLimits);
      return authorization.status ?? undefined;
    } catch (error) {
      if (isNoCall(error)) throw error;
      if (!isNothingThere(error)) this.#counts.failed += 1;
      return undefined;
    }
  }
}
