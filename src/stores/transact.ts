import { StoreError } from '../errors/store-error';
import { newToken } from '../shared/bytes';
import { DeadlineExceeded, HOUR_MS, LONGEST_TIMER_MS, sleep, stopwatch } from '../shared/time';
import { checkCount, checkDuration } from '../values/option-checks';
import { mayRetry } from './driver-error';
import { NothingWritten } from './nothing-written';
import {
  type ClaimDecision,
  decideClaim,
  decideComplete,
  endOf,
  expiryOf,
  keyOf,
  NO_RECORD,
  nextVersion,
  recordToText,
  type SubjectRecord,
} from './record';
import {
  type NamespaceOptions,
  NEVER,
  namespaceOf,
  type ReadRecord,
  readingOf,
  singleRecords,
} from './record-store';
import { slotsOf, type TakeSlot } from './slots';
import type { RecordsWithin, Written } from './sql-records';
import type { Act, Acted, Transact, Transacted, TransactRequest, TransactWork } from './steps';
import type { TransactionAccess, TransactionOptions } from './transaction-access';

/** The record of an order, of which a payment in a transaction must see what another one has written. */
const ORDER = /^[^/]+\/order:/;

/** How often a transaction is begun that the database rolls back for the sake of others. */
const TRIES = 5;
const LONGEST_PAUSE_MS = 50;

/** What the transactions of one store share. */
interface Shared<Tx> {
  readonly access: TransactionAccess<Tx>;
  readonly records: RecordsWithin<Tx>;
  readonly namespace: string;
  readonly holdMs: number;
  readonly stepTimeoutMs: number;
  readonly takeSlot: TakeSlot;
  readonly afterCallback: AfterCallback<Tx>;
}

/**
 * Called as soon as a callback has ended, before anything else is sent. Throws if it left something running, unless
 * all that it wrote is undone.
 */
export type AfterCallback<Tx> = (tx: Tx, status: Acted) => void | Promise<void>;

/** Runs claim, callback and completion in a transaction of the merchant's; see {@link Transact}. */
export function transactWithin<Tx>(
  access: TransactionAccess<Tx>,
  records: RecordsWithin<Tx>,
  options: TransactionOptions & NamespaceOptions,
  afterCallback: AfterCallback<Tx> = () => undefined,
): Transact<Tx> {
  const duration = (name: 'slotTimeoutMs' | 'holdMs' | 'stepTimeoutMs', byDefault: number) =>
    checkDuration(name, options[name] ?? byDefault, LONGEST_TIMER_MS);
  const shared: Shared<Tx> = {
    access,
    records,
    namespace: namespaceOf(options),
    holdMs: duration('holdMs', 15_000),
    stepTimeoutMs: duration('stepTimeoutMs', 5_000),
    takeSlot: slotsOf(
      checkCount('maxTransactions', options.maxTransactions ?? 4),
      duration('slotTimeoutMs', 25_000),
    ),
    afterCallback,
  };
  return (request, work) => new Transaction(shared, request, work).run();
}

/**
 * How far a transaction is. Each stage has a time of its own, in `#limits`. When that is up, the transaction is `over`:
 * it is answered, and nothing more is sent. Only a callback that is too slow becomes `late` first: it is answered, and
 * may still be committed.
 *
 * `reading → preparing → waiting → beginning → opening → running → (late) → ending`. From `waiting` it begins again where
 * the database has rolled it back for the sake of another, and after `reading` where its record was deleted meanwhile. An
 * ORM that runs its work again goes from `ending` back to `running`.
 */
type Stage =
  /** The first read, outside the transaction, and the record is made if it is missing. */
  | 'reading'
  /** What the caller has to do before, outside the transaction. */
  | 'preparing'
  /** For a slot. */
  | 'waiting'
  /** The merchant's transaction begins, and the claim is made in it. */
  | 'beginning'
  /** The caller reads its order in it, which another transaction may have locked. */
  | 'opening'
  /** The callback runs. */
  | 'running'
  /** The callback still runs, after its time. */
  | 'late'
  /** From the end of the callback until the commit or the rollback is confirmed. */
  | 'ending'
  /** Answered. A commit that was sent before may still be carried out. */
  | 'over';

type Ended<Value> = Exclude<Transacted<Value>, { readonly status: 'late' }>;
type Failed = Extract<Transacted<never>, { readonly status: 'failed' }>;
/** `missing`: its record was deleted since it was read. */
type Came<Value> = Ended<Value> | { readonly status: 'missing' };
/** How far one run of the work is. */
interface Step {
  during: Exclude<Failed['during'], 'own commit'>;
}
type Claimed = Extract<ClaimDecision, { readonly status: 'claimed' }>;
type Locked = ReturnType<typeof parsed>;
/** What a callback is run with. */
interface Acting {
  readonly callback: Parameters<Act>[0];
  readonly locked: Locked;
  readonly decision: Claimed;
  readonly fence: number;
  /** Whether the database has answered in a later turn of the event loop. */
  readonly isRemote: boolean;
  readonly step: Step;
}

const parsed = (row: ReadRecord) => {
  const { value = NO_RECORD, version, now } = readingOf<SubjectRecord>(row);
  return { record: value, version, now };
};

/** One notification, from the first read to the confirmed end of its transaction. */
class Transaction<Tx, Prepared, Value> {
  readonly #shared: Shared<Tx>;
  readonly #request: TransactRequest<Prepared>;
  readonly #work: TransactWork<Tx, Prepared, Value>;
  readonly #key: string;
  readonly #token = newToken();
  readonly #limits: Readonly<Record<Stage, number | undefined>>;
  /** How long the server keeps the session of a process that stopped dead. */
  readonly #sessionMs: number;
  #stage: Stage = 'reading';
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What the last run of the work came to: an ORM may roll back and run it again. */
  #last: Came<Value> | undefined;
  /** Settles when the last run of the work has ended. Never rejects. */
  #working: Promise<unknown> | undefined;
  #whenLate: () => void = () => undefined;
  #whenOver: (failed: Failed) => void = () => undefined;

  constructor(
    shared: Shared<Tx>,
    request: TransactRequest<Prepared>,
    work: TransactWork<Tx, Prepared, Value>,
  ) {
    const { holdMs, stepTimeoutMs } = shared;
    const { timeoutMs, storeTimeoutMs = stepTimeoutMs } = request;
    this.#shared = shared;
    this.#request = request;
    this.#work = work;
    this.#key = keyOf(shared.namespace, 'seen:', request.subject);
    this.#sessionMs = Math.min(Math.ceil(timeoutMs) + holdMs + 2 * stepTimeoutMs, LONGEST_TIMER_MS);
    this.#limits = {
      reading: Math.min(storeTimeoutMs, stepTimeoutMs),
      preparing: undefined,
      waiting: undefined,
      beginning: stepTimeoutMs,
      opening: this.#sessionMs,
      running: timeoutMs,
      late: holdMs,
      ending: storeTimeoutMs,
      over: undefined,
    };
  }

  /** Never rejects. */
  run(): Promise<Transacted<Value>> {
    return new Promise((answer) => {
      const ended = new Promise<Ended<Value>>((end) => {
        this.#whenOver = end;
        this.#toTheEnd().then(end, (error: unknown) => end(this.#failed(error)));
      });
      this.#whenLate = () => answer({ status: 'late', ended });
      ended.then((result) => {
        clearTimeout(this.#timer);
        answer(result);
      });
    });
  }

  /** @throws `StoreError` if the transaction is over: whatever called this must not go on */
  #refuseIfOver(): void {
    if (this.#stage === 'over') throw new StoreError('The transaction took too long, and is rolled back.');
  }

  /** @throws `StoreError` if the transaction is over */
  #enter(stage: Stage, whenLate: () => void = () => undefined): void {
    this.#refuseIfOver();
    this.#stage = stage;
    clearTimeout(this.#timer);
    const ms = this.#limits[stage];
    if (ms === undefined) return;
    this.#timer = setTimeout(() => {
      if (stage === 'running') {
        whenLate();
        this.#enter('late');
        this.#whenLate();
        return;
      }
      const { timeoutMs } = this.#request;
      const failed = this.#failed(tooLate(stage, stage === 'late' ? timeoutMs + ms : ms));
      this.#stage = 'over';
      this.#whenOver(failed);
    }, ms);
  }

  /** What a failure means depends on how far the transaction was. */
  #failed(error: unknown): Failed {
    // An ORM may have wrapped it, or be about to roll back.
    if (this.#last?.status === 'failed') return this.#last;
    const isBegun = ['running', 'late', 'ending'].includes(this.#stage);
    return { status: 'failed', during: isBegun ? 'commit' : 'begin', error };
  }

  async #toTheEnd(): Promise<Ended<Value>> {
    const { timeoutMs, retentionMs, prepare } = this.#request;
    checkDuration('timeoutMs', timeoutMs, LONGEST_TIMER_MS);
    checkDuration('retentionMs', retentionMs);

    this.#enter('reading');
    const first = parsed(await this.#shared.records.read(this.#key));
    const early = this.#decide(first);
    if (early.status !== 'claimed') return early;
    // Before all that takes time, or the insert would meet another transaction that has the row.
    if (first.version === 0) await this.#makeRecord(first.now);
    this.#enter('preparing');
    const prepared = (await prepare?.(early.dismissed)) as Prepared;

    const age = stopwatch();
    for (let tries = 1; ; tries += 1) {
      const came = await this.#transactOnce(prepared);
      if (came.status === 'missing') {
        if (tries > 1) return { status: 'busy' };
        await this.#makeRecord(first.now);
      } else if (tries === TRIES || age() >= timeoutMs || !isRolledBackForOthers(came)) {
        return came;
      } else {
        // Not all that were in each other's way should begin again at the same moment.
        await sleep(LONGEST_PAUSE_MS * Math.random());
      }
    }
  }

  /** Outside the transaction, so that there is a row to lock in it. */
  async #makeRecord(now: number): Promise<void> {
    this.#enter('reading');
    const record = recordToText(NO_RECORD, newToken());
    // Longer than a transaction, and as long as the done state, which then changes no column of an index.
    const keptMs = Math.max(HOUR_MS, this.#request.retentionMs);
    const [next, expiresAt] = [nextVersion(0, now), now + keptMs];
    await this.#shared.records.write(this.#key, { record, version: 0, next, before: NEVER, expiresAt });
  }

  #decide({ record, now }: Locked): ClaimDecision {
    const { state, isByPerson, over } = this.#request;
    const claim = { state, token: this.#token, now, leaseMs: this.#sessionMs, isByPerson, over };
    return decideClaim(record, claim);
  }

  /** One transaction of the merchant's, in a slot. */
  async #transactOnce(prepared: Prepared): Promise<Came<Value>> {
    const { access, takeSlot } = this.#shared;
    this.#last = undefined;
    this.#enter('waiting');
    const giveBack = await takeSlot(this.#request.isReplay);
    const transaction = (async () => {
      this.#enter('beginning');
      await access.transaction((tx) => this.#runIn(tx, prepared), { timeoutMs: this.#sessionMs });
    })();
    // Not when the callback has ended: one that never does would keep the slot for ever.
    transaction.then(giveBack, giveBack);
    try {
      // An ORM whose transaction the callback has ended by itself settles before the callback does.
      await transaction.finally(() => this.#working);
    } catch (error) {
      return await this.#unlessItStands(this.#failed(error));
    }
    const last = this.#last as Came<Value> | undefined;
    return last === undefined || last.status === 'failed' ? await this.#resolvedAnyway(last) : last;
  }

  /** A callback that has committed by itself has committed the record, too, which was written before it ran. */
  async #unlessItStands(failed: Failed): Promise<Failed> {
    if (failed.during === 'begin' || failed.during === 'commit') return failed;
    const { record } = parsed(await this.#shared.records.read(this.#key));
    const stands = record.done.some(({ token }) => token === this.#token);
    return stands ? { ...failed, during: 'own commit' } : failed;
  }

  /** The access resolved, although its work has failed or never ran. */
  async #resolvedAnyway(last: Failed | undefined): Promise<Failed> {
    const failed = last && (await this.#unlessItStands(last));
    if (failed?.during === 'callback' || failed?.during === 'own commit') return failed;
    const error = new StoreError(
      '`transaction` of the access resolved, but its work has failed or never ran. Return the promise of your ORM’s ' +
        'transaction, let what work throws reach your ORM, and roll nothing back in the callback.',
      { cause: failed?.error },
    );
    return { status: 'failed', during: failed?.during ?? 'begin', error };
  }

  /** The merchant's transaction. An ORM may run it more than once. */
  #runIn(tx: Tx, prepared: Prepared): Promise<void> {
    const working = this.#tryIn(tx, prepared);
    this.#working = working.catch(() => undefined);
    return working;
  }

  async #tryIn(tx: Tx, prepared: Prepared): Promise<void> {
    this.#last = undefined;
    const step: Step = { during: 'begin' };
    try {
      this.#last = await this.#claimAndWork(tx, prepared, step);
    } catch (error) {
      const during = error instanceof NothingWritten ? 'nothing written' : step.during;
      this.#last = { status: 'failed', during, error };
      throw error;
    } finally {
      // Of a connection that is lost there is nothing to lift.
      await this.#shared.records.liftLimit(tx).catch(() => undefined);
    }
  }

  async #claimAndWork(tx: Tx, prepared: Prepared, step: Step): Promise<Came<Value>> {
    const { records } = this.#shared;

    // Claim.
    this.#refuseIfOver();
    const held = await records.lock(this.#key, tx, this.#sessionMs);
    if (held === undefined) {
      const row = parsed(await records.read(this.#key, tx));
      if (row.version === 0) return { status: 'missing' };
      const decision = this.#decide(row);
      return decision.status === 'done' ? decision : { status: 'busy' };
    }
    const locked = parsed(held);
    const decision = this.#decide(locked);
    if (decision.status !== 'claimed') return decision;

    // Before all that the work writes, so that it can be undone without losing the claim.
    const roundTrip = turnOfTheLoop();
    await records.savepoint(tx);
    const isRemote = roundTrip.hasCome();

    // Work. When an ORM runs it again, the time of `ending` goes on.
    if (this.#stage !== 'ending') this.#enter('opening');
    const { subject, state } = this.#request;
    const { handledStates } = decision;
    const fence = nextVersion(locked.version, locked.now);
    const claim = { subject, state, token: this.#token, fence, handledStates };
    let acting: Promise<Acted> | undefined;
    const act: Act = (callback) => {
      acting = this.#act(tx, { callback, locked, decision, fence, isRemote, step });
      return acting;
    };
    const value = await this.#work({ transaction: tx, claim, records: this.#recordsIn(tx), act }, prepared);
    const acted = await acting;
    const isDone = acted !== undefined && acted !== 'undone';

    // Commit.
    this.#refuseIfOver();
    if (isDone) await this.#lookBeforeCommit(tx, { version: fence, transaction: held.transaction });
    else await records.release(tx);
    step.during = 'commit';
    return { status: isDone ? 'completed' : 'undone', value };
  }

  async #act(tx: Tx, { callback, locked, decision, fence, isRemote, step }: Acting): Promise<Acted> {
    // Before the callback: if it commits by itself, the record is committed with what it wrote.
    await this.#writeDone(tx, locked, decision, fence);
    const turn = turnOfTheLoop();
    const acted = await this.#runCallback(tx, callback, step);
    // A database that answers in the same turn, such as PGlite, would give a false alarm.
    if (acted === 'written' && isRemote && !turn.hasCome()) {
      await this.#undoAll(tx);
      throw new NothingWritten('It has awaited no statement: what is not awaited may never be sent.');
    }
    if (acted === 'undone') await this.#shared.records.undo(tx).catch(cannotBeCommitted);
    return acted;
  }

  async #writeDone(tx: Tx, locked: Locked, { next: claimed = NO_RECORD }: Claimed, fence: number) {
    const { state, retentionMs, content } = this.#request;
    const { version, now } = locked;
    const token = this.#token;
    const completion = { state, token, now, retentionMs, content };
    const { next: record = claimed } = decideComplete(claimed, completion);
    const change = { record: recordToText(record, token), version, next: fence };
    const expiresAt = expiryOf(endOf(record), fence);
    const isWritten = await this.#shared.records.write(
      this.#key,
      { ...change, before: NEVER, expiresAt },
      tx,
    );
    if (!isWritten) throw notItsOwn();
  }

  /** Runs the callback within its time. */
  async #runCallback(tx: Tx, callback: Parameters<Act>[0], step: Step): Promise<Acted> {
    const { afterCallback } = this.#shared;
    const controller = new AbortController();
    this.#enter('running', () => controller.abort(tooLate('running', this.#request.timeoutMs)));
    step.during = 'callback';
    let acted: Acted;
    try {
      acted = await callback(controller.signal);
    } catch (error) {
      // That counts, and not what it left running.
      await afterCallback(tx, 'undone');
      if (this.#stage !== 'over') {
        this.#enter('ending');
        await this.#undoAll(tx);
      }
      throw error;
    }
    step.during = 'work';
    await afterCallback(tx, acted);
    this.#enter('ending');
    return acted;
  }

  /**
   * Before the ORM's rollback, which may go to the connection at once: what the callback has left running, such as the rest
   * of a `Promise.all`, may be queued still, and would be written after it, outside any transaction.
   */
  async #undoAll(tx: Tx): Promise<void> {
    await this.#shared.records.undo(tx).catch(() => undefined);
  }

  /** Fails if the callback ended the transaction, or swallowed an error after which PostgreSQL refuses to go on. */
  async #lookBeforeCommit(tx: Tx, written: Written): Promise<void> {
    const found = await this.#shared.records
      .beforeCommit(this.#key, written, tx)
      .then(undefined, cannotBeCommitted);
    if (found === 'ended') cannotBeCommitted();
    if (found === 'changed') throw notItsOwn();
  }

  #recordsIn(tx: Tx) {
    const { records, namespace } = this.#shared;
    return singleRecords(
      namespace,
      {
        read: (each) => (ORDER.test(each) ? records.lockInTurn(each, tx) : records.read(each, tx)),
        write: (each, change) => records.write(each, change, tx),
      },
      true,
    );
  }
}

/**
 * Whether the database has rolled it back because others were in its way, so that it may succeed at once: the callback runs again,
 * also where it was one of its own queries that failed.
 */
function isRolledBackForOthers(came: Ended<unknown>): boolean {
  return came.status === 'failed' && came.during !== 'own commit' && mayRetry(came.error);
}

/** Notices the next turn of the event loop, without which no database on a socket can answer. */
function turnOfTheLoop(): { readonly hasCome: () => boolean } {
  const { setImmediate } = globalThis as { setImmediate?: (call: () => void) => void };
  let hasCome = setImmediate === undefined;
  setImmediate?.(() => {
    hasCome = true;
  });
  return { hasCome: () => hasCome };
}

/** Why a transaction is over. */
function tooLate(stage: Stage, ms: number): Error {
  if (stage === 'running') return new DeadlineExceeded(`took longer than ${ms} ms`);
  if (stage === 'ending') return new DeadlineExceeded(`the commit took longer than ${ms} ms`);
  if (stage === 'reading' || stage === 'beginning')
    return new StoreError(`The database did not answer within ${ms} ms.`);
  return new StoreError(`The transaction took longer than ${ms} ms.`);
}

function cannotBeCommitted(cause?: unknown): never {
  throw new StoreError(
    'The callback returned, but its transaction cannot be committed. It probably caught an SQL error, which leaves the ' +
      'transaction failed, or ended the transaction itself. Let SQL errors be thrown, or use a savepoint (a nested ' +
      'transaction of your ORM).',
    cause === undefined ? undefined : { cause },
  );
}

function notItsOwn(): StoreError {
  return new StoreError(
    'The record of the notification was changed while its callback held it, so the transaction is rolled back. ' +
      "Look for callbacks that end their transaction, or write to the store's table.",
  );
}
