import { StoreError } from '../errors';
import { newToken } from '../shared/bytes';
import { DeadlineExceeded, HOUR_MS, inTime, LONGEST_TIMER_MS } from '../shared/time';
import { checkCount, checkDuration } from '../values/option-checks';
import {
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
import type { RecordsWithin } from './sql-records';
import type { Act, Transact, Transacted, TransactRequest, TransactWork } from './steps';

/**
 * How {@link storeWithin} joins your transactions: five to ten lines over your driver or ORM. For Prisma, Drizzle,
 * TypeORM, Knex, Kysely and Sequelize there is a store of their own: `prismaStore` and its kin.
 *
 * @typeParam Tx - what your ORM passes to the callback of its transaction; your callbacks get it as
 *   `context.transaction`
 */
export interface TransactionAccess<Tx> {
  /**
   * Runs `work` in a transaction: commits when `work` resolves, rolls back when it rejects, and resolves only once the
   * commit is confirmed. May run `work` again after a rollback, to retry a serialization failure. Does neither while
   * `work` is running, unless its own time limit is over.
   *
   * @param limits - `timeoutMs`: how long the transaction may take, for ORMs that have a limit of their own
   */
  transaction(work: (tx: Tx) => Promise<void>, limits: { readonly timeoutMs: number }): PromiseLike<unknown>;

  /**
   * Runs one statement: in `tx`, or outside any transaction without it. Its parameters (`$1`, `$2` in PostgreSQL, `?`
   * in MySQL) are in the order of `values`, and each occurs once.
   *
   * Resolves with the rows, or with what your driver has them in: `{ rows }`, or a list that begins with them, as in
   * `[rows, fields]`.
   */
  query(tx: Tx | undefined, text: string, values: unknown[]): PromiseLike<TransactionRows>;
}

/** The rows of a statement, as drivers give them. */
export type TransactionRows =
  | readonly unknown[]
  | {
      /** The rows, as `pg` and others have them. */
      readonly rows: readonly unknown[];
    };

/** Limits of the transactions that callbacks run in. */
export interface TransactionOptions {
  /**
   * How many transactions the store has open at a time; the others wait for a slot. Each holds a connection of your
   * pool for as long as its callback runs, so leave some to callbacks that also ask the pool, and to the store's own
   * reads. Replays and settlements take one less, so that a notification always finds a slot; of a single slot they
   * take that one. Default: 4, which suits even Sequelize's pool of 5; over a pool of `pg`, three quarters of its `max`.
   */
  readonly maxTransactions?: number | undefined;

  /** How long a notification waits for a slot, in milliseconds. Then it is answered 503. Default: 25,000. */
  readonly slotTimeoutMs?: number | undefined;

  /**
   * How long a callback may go on after its time, in milliseconds. If it succeeds by then, its transaction is
   * committed; otherwise it is rolled back. Default: 15,000.
   */
  readonly holdMs?: number | undefined;

  /**
   * How long the database may take to begin a transaction with its claim, and as long again to commit it, in
   * milliseconds. Default: 5000.
   */
  readonly stepTimeoutMs?: number | undefined;
}

/** Constant: each name would be a statement of its own to the server's statistics, and push others out. */
const SAVEPOINT = 'pix_automatic';

/** The record of an order, of which a payment in a transaction must see what another one has written. */
const ORDER = /^[^/]+\/order:/;

/** What the transactions of one store share. */
interface Shared<Tx> {
  readonly access: TransactionAccess<Tx>;
  readonly records: RecordsWithin<Tx>;
  readonly namespace: string;
  readonly holdMs: number;
  readonly stepTimeoutMs: number;
  /** Waits for a slot. Resolves with what gives it back. */
  readonly takeSlot: (isReplay: boolean | undefined) => Promise<() => void>;
  /** Called as soon as a callback has ended; throws if it left something running. */
  readonly afterCallback: (tx: Tx) => void;
}

/**
 * Runs claim, callback and completion in a transaction of the merchant's; see {@link Transact}.
 *
 * @param afterCallback - called as soon as a callback has ended; throws if it left something running
 */
export function transactWithin<Tx>(
  access: TransactionAccess<Tx>,
  records: RecordsWithin<Tx>,
  options: TransactionOptions & NamespaceOptions,
  afterCallback: (tx: Tx) => void = () => undefined,
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
 * How far a transaction is. Each stage has a time of its own, in `#limits`; when that is up, the transaction is `over`:
 * it is answered, and never committed. Only a callback that is too slow becomes `late` first: it is answered, and may
 * still be committed.
 *
 * `reading → preparing → (waiting → beginning → opening → running → (late) → ending)`, and what stands in brackets a
 * second time if the record was deleted meanwhile. An ORM that runs its work again goes from `ending` back to `running`.
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
  /** Answered, and never committed. */
  | 'over';

type Ended = Exclude<Transacted, { readonly status: 'late' }>;
/** `missing`: its record was deleted since it was read. */
type Last = Ended | { readonly status: 'missing' } | undefined;
/** How far one run of the work is. */
interface Step {
  during: 'begin' | 'work' | 'callback' | 'commit';
}
type Failed = Extract<Transacted, { readonly status: 'failed' }>;

const parsed = (row: ReadRecord) => {
  const { value = NO_RECORD, version, now } = readingOf<SubjectRecord>(row);
  return { record: value, version, now };
};

/** One transaction, from the first read to its confirmed end. */
class Transaction<Tx> {
  readonly #shared: Shared<Tx>;
  readonly #request: TransactRequest;
  readonly #work: TransactWork<Tx>;
  readonly #key: string;
  readonly #token = newToken();
  readonly #limits: Readonly<Record<Stage, number | undefined>>;
  /** How long the server keeps the session of a process that stopped dead. */
  readonly #sessionMs: number;
  #stage: Stage = 'reading';
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What the last run of the work came to: an ORM may roll back and run it again. */
  #last: Last;
  /** Settles when the last run of the work has ended. Never rejects. */
  #working: Promise<unknown> | undefined;
  #whenLate: () => void = () => undefined;
  #whenOver: (failed: Failed) => void = () => undefined;

  constructor(shared: Shared<Tx>, request: TransactRequest, work: TransactWork<Tx>) {
    const { holdMs, stepTimeoutMs } = shared;
    const timeoutMs = checkDuration('timeoutMs', request.timeoutMs, LONGEST_TIMER_MS);
    checkDuration('retentionMs', request.retentionMs);
    this.#shared = shared;
    this.#request = request;
    this.#work = work;
    this.#key = keyOf(shared.namespace, 'seen:', request.subject);
    this.#sessionMs = Math.min(timeoutMs + holdMs + 2 * stepTimeoutMs, LONGEST_TIMER_MS);
    this.#limits = {
      reading: Math.min(request.storeTimeoutMs ?? stepTimeoutMs, stepTimeoutMs),
      preparing: undefined,
      waiting: undefined,
      beginning: stepTimeoutMs,
      opening: this.#sessionMs,
      running: timeoutMs,
      late: holdMs,
      ending: request.storeTimeoutMs ?? stepTimeoutMs,
      over: undefined,
    };
  }

  /** Never rejects. */
  run(): Promise<Transacted> {
    return new Promise((answer) => {
      const ended = new Promise<Ended>((end) => {
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
      const failed = this.#failed(tooLate(stage, ms));
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

  async #toTheEnd(): Promise<Ended> {
    const { access, records, takeSlot } = this.#shared;
    const { isReplay, prepare } = this.#request;

    this.#enter('reading');
    const first = parsed(await records.read(this.#key));
    const early = this.#decide(first);
    if (early.status !== 'claimed') return early;
    this.#enter('preparing');
    const prepared = await prepare?.();

    let isMissing = first.version === 0;
    for (let tries = 1; tries <= 2; tries += 1) {
      if (isMissing) {
        this.#enter('reading');
        await this.#makeRecord(first.now);
      }
      this.#enter('waiting');
      const giveBack = await takeSlot(isReplay);
      const transaction = (async () => {
        this.#enter('beginning');
        await access.transaction((tx) => this.#runIn(tx, prepared), { timeoutMs: this.#sessionMs });
      })();
      transaction.then(giveBack, giveBack);
      // An ORM whose transaction the callback has ended by itself settles before the callback does.
      try {
        await transaction.finally(() => this.#working);
      } catch (error) {
        return await this.#unlessItStands(this.#failed(error));
      }
      const last = this.#last as Last;
      if (last === undefined || last.status === 'failed') return await this.#resolvedAnyway(last);
      if (last.status !== 'missing') return last;
      isMissing = true;
    }
    return { status: 'busy' };
  }

  /** A callback that has committed by itself has committed the record, too, which was written before it ran. */
  async #unlessItStands(failed: Failed): Promise<Failed> {
    if (failed.during !== 'callback' && failed.during !== 'work') return failed;
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
        'transaction, and let what work throws reach your ORM.',
      { cause: failed?.error },
    );
    return { status: 'failed', during: failed?.during ?? 'begin', error };
  }

  #decide({ record, now }: ReturnType<typeof parsed>) {
    const { state } = this.#request;
    return decideClaim(record, { state, token: this.#token, now, leaseMs: this.#sessionMs });
  }

  /** Outside the transaction, so that there is a row to lock in it. */
  async #makeRecord(now: number): Promise<void> {
    const record = recordToText(NO_RECORD, newToken());
    // Longer than a transaction.
    const [next, expiresAt] = [nextVersion(0, now), now + HOUR_MS];
    await this.#shared.records.write(this.#key, { record, version: 0, next, before: NEVER, expiresAt });
  }

  /** The merchant's transaction. An ORM may run it more than once. */
  #runIn(tx: Tx, prepared: unknown): Promise<void> {
    const working = this.#tryIn(tx, prepared);
    this.#working = working.catch(() => undefined);
    return working;
  }

  async #tryIn(tx: Tx, prepared: unknown): Promise<void> {
    this.#last = undefined;
    const step: Step = { during: 'begin' };
    try {
      this.#last = await this.#claimAndComplete(tx, prepared, step);
    } catch (error) {
      this.#last = { status: 'failed', during: step.during, error };
      throw error;
    } finally {
      // Of a connection that is lost there is nothing to lift.
      await this.#shared.records.liftLimit(tx).catch(() => undefined);
    }
  }

  async #claimAndComplete(tx: Tx, prepared: unknown, step: Step) {
    const { access, records, afterCallback } = this.#shared;
    const { subject, state, retentionMs, content } = this.#request;
    const token = this.#token;

    // Claim.
    this.#refuseIfOver();
    const held = await records.lock(this.#key, tx, this.#sessionMs);
    if (held === undefined) {
      const row = parsed(await records.read(this.#key, tx));
      if (row.version === 0) return { status: 'missing' } as const;
      const decision = this.#decide(row);
      return decision.status === 'done' ? decision : ({ status: 'busy' } as const);
    }
    const locked = parsed(held);
    const decision = this.#decide(locked);
    if (decision.status !== 'claimed') return decision;
    const fence = nextVersion(locked.version, locked.now);
    const { handledStates, next: claimed = NO_RECORD } = decision;

    // Complete, before the callback: if it commits by itself, the record is committed with what it wrote.
    const { next: record = claimed } = decideComplete(claimed, {
      ...{ state, token, now: locked.now, retentionMs, content },
    });
    const change = { record: recordToText(record, token), version: locked.version, next: fence };
    const expiresAt = expiryOf(endOf(record), fence);
    const isWritten = await records.write(this.#key, { ...change, before: NEVER, expiresAt }, tx);
    if (!isWritten)
      throw new StoreError('The record of the notification was changed while its transaction had locked it.');
    const savepoint = turnOfTheLoop();
    await access.query(tx, `SAVEPOINT ${SAVEPOINT}`, []);
    const isSlow = savepoint.hasCome();

    // Work. When an ORM runs it again, the time of `ending` goes on.
    if (this.#stage !== 'ending') this.#enter('opening');
    step.during = 'work';
    const act: Act = async (callback) => {
      const turn = turnOfTheLoop();
      await this.#act(callback, step);
      // A database that answers in the same turn, such as PGlite, would give a false alarm.
      return { awaitedNothing: isSlow && !turn.hasCome() };
    };
    const claim = { subject, state, token, fence, handledStates };
    try {
      await this.#work(tx, claim, this.#recordsIn(tx), act, prepared);
    } finally {
      afterCallback(tx);
    }
    this.#refuseIfOver();
    await releaseSavepoint(access, tx);
    step.during = 'commit';
    return { status: 'completed' } as const;
  }

  /** Runs the callback within its time. */
  async #act(callback: Parameters<Act>[0], step: Step): Promise<void> {
    const controller = new AbortController();
    this.#enter('running', () => controller.abort(tooLate('running', this.#request.timeoutMs)));
    try {
      await callback(controller.signal);
    } catch (error) {
      if (this.#stage !== 'over') this.#enter('ending');
      step.during = 'callback';
      throw error;
    }
    this.#enter('ending');
  }

  #recordsIn(tx: Tx) {
    const { records, namespace } = this.#shared;
    return singleRecords(namespace, {
      read: (each) => (ORDER.test(each) ? records.lockInTurn(each, tx) : records.read(each, tx)),
      write: (each, change) => records.write(each, change, tx),
    });
  }
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

/** Fails if the callback ended the transaction, or swallowed an error after which PostgreSQL refuses to go on. */
async function releaseSavepoint<Tx>(access: TransactionAccess<Tx>, tx: Tx): Promise<void> {
  try {
    await access.query(tx, `RELEASE SAVEPOINT ${SAVEPOINT}`, []);
  } catch (cause) {
    throw new StoreError(
      'The callback returned, but its transaction cannot be committed; `cause` says why. It probably caught an SQL ' +
        'error, which leaves the transaction failed, or ended the transaction itself. Let SQL errors be thrown, or ' +
        'use a savepoint (a nested transaction of your ORM).',
      { cause },
    );
  }
}

/** Replays take a slot less, so that a notification always finds one. */
function slotsOf(most: number, timeoutMs: number): Shared<unknown>['takeSlot'] {
  const slots = new Semaphore(most, timeoutMs, 'transactions were open', 'opens');
  const replays = new Semaphore(Math.max(1, most - 1), timeoutMs, 'replays were running', 'runs at a time');
  return async (isReplay = false) => {
    const taken = isReplay ? [replays, slots] : [slots];
    const release = () => {
      for (const each of taken) each.release();
    };
    if (isReplay) await replays.acquire();
    try {
      await slots.acquire();
      return release;
    } catch (error) {
      if (isReplay) replays.release();
      throw error;
    }
  };
}

/** Limits how many transactions are open at a time. The others wait in line. */
class Semaphore {
  readonly #most: number;
  readonly #timeoutMs: number;
  readonly #tooLong: string;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  /**
   * @param were - what the message says of those that had the slots
   * @param does - what the message says that the store does with so many
   */
  constructor(most: number, timeoutMs: number, were: string, does: string) {
    this.#most = most;
    this.#timeoutMs = timeoutMs;
    this.#tooLong =
      `${most} ${were} for ${timeoutMs} ms, which is the most that the store ${does}. ` +
      "Raise the pool's max and maxTransactions, or look for callbacks that take long.";
  }

  /**
   * Waits for a slot. The caller must release it.
   *
   * @throws `StoreError` after the timeout
   */
  async acquire(): Promise<void> {
    if (this.#taken < this.#most) {
      this.#taken += 1;
      return;
    }
    let tell: () => void = () => undefined;
    const turn = new Promise<void>((resolve) => {
      tell = resolve;
      this.#waiting.add(resolve);
    });
    await inTime(turn, this.#timeoutMs, () => {
      // Its turn may have come at the same moment.
      if (this.#waiting.delete(tell)) throw new StoreError(this.#tooLong);
    });
  }

  /** Passes the slot to the next in line, or frees it. */
  release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

/** What the store does when the time is up, for `inTime`. */
export function failWith(message: string): () => never {
  return () => {
    throw new StoreError(message);
  };
}
