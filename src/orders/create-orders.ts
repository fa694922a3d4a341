import { ConfigurationError } from '../errors';
import { CREDENTIALS, type Credentials, type HasCredentials } from '../service/credentials';
import type { Transaction as ServiceTransaction } from '../service/operations/get-transaction';
import { isObject } from '../shared/objects';
import { HOUR_MS, LONGEST_TIMER_MS } from '../shared/time';
import { editLetter } from '../stores/letters';
import { type Store, type StoreSteps, stepsOf } from '../stores/steps';
import type { TransactionSource } from '../values/confirm-payment';
import {
  checkDuration,
  checkFunction,
  hintFor,
  type OptionNames,
  readNamedOptions,
  readOptions,
  readPage,
} from '../values/option-checks';
import type { Booking } from '../webhooks/cause';
import { createListener, type ListenerParts, type WebhookHandler } from '../webhooks/handler';
import { type AnyDefinition, checkKinds } from '../webhooks/kinds';
import {
  checkMethods,
  LISTENER_OPTIONS,
  type WebhookCallbacks,
  type WebhookContext,
  type WebhookHandlerOptions,
} from '../webhooks/options';
import { type MeantPayment, type NotifiedOrder, ORDER_KINDS } from '../webhooks/order-link';
import { replayDue, reportUnreadable } from '../webhooks/replay';
import { reporterTo } from '../webhooks/report';
import { defaultReport } from '../webhooks/report-log';
import {
  type Attempt,
  type AttemptState,
  type BookedPayment,
  type FoundCase,
  isInReview,
  isOpen,
  isPaid,
  moved,
  type Order,
  type ReturnedMoney,
} from './attempt';
import { type Case, caseOf, countStatuses, type DecideResult, decided, readDecision } from './cases';
import { decideCase } from './decide';
import { letterWithout, type Person, readPerson } from './forget-person';
import { alone, type DoneMaintain, type MaintainResult, readCursor, saveCursor } from './maintain';
import {
  type CheckoutSource,
  checkOrderKey,
  notKey,
  type OpenedOrder,
  type OpenOptions,
  type OrderRequest,
  openOrder,
  seenReturn,
} from './open';
import { changeOrder, checkOrder, findOrder, isKnown, readOrder } from './order-records';
import { type OrderCallbacks, orderLinkOf } from './plan';
import {
  type ReconcileCounts,
  type Reconciled,
  type ReconcileOrdersOptions,
  readReconcileOptions,
  reconcileOrders,
  type Settled,
} from './reconcile';

import { settle, settleReturn } from './settle';

/** Money of an order that was expected. */
export interface PaidOrder {
  /** Your key of the order. */
  readonly order: string;
  /** The uuid of the transaction. */
  readonly sale: string;
  /** In the currency's main unit. */
  readonly amount: number;
  /** An ISO 4217 code. */
  readonly currency: string;
  /** Whether it is the order's first payment; else it is a later charge, or one that a person has booked beside it. */
  readonly isFirst: boolean;
}

/** Money of an order that went back to the payer. */
export interface ReturnedOrder {
  /** Your key of the order. */
  readonly order: string;
  /** The uuid of the transaction that had paid it. */
  readonly sale: string;
  /** How much went back now, in the currency's main unit. */
  readonly amount: number;
  /** An ISO 4217 code. */
  readonly currency: string;
  /** What is left of that payment, in the currency's main unit; 0 if all of it has gone back. */
  readonly left: number;
}

/** What `paid`, `returned` and `foreign` get besides the money. */
export interface OrderContext<Transaction = undefined>
  extends Omit<WebhookContext<Transaction>, 'order'>,
    NeedsPerson {
  /** The notification as it came. A payment that `maintain` has found has what the service says. */
  readonly notification: {
    /** Its kind: `payment`, `refund` or `reversal`. */
    readonly kind: string;
    /** The body. **It holds personal data.** */
    readonly raw: Readonly<Record<string, unknown>>;
  };
}

/** What every callback of `createOrders` gets, own kinds and payouts too. */
export interface NeedsPerson {
  /**
   * Hands the notification to a person: it becomes a case `needs_person`. Throws, and is remembered: in a transaction,
   * whatever the callback writes is undone. Without one, call it before you write.
   *
   * @param why - what the person should know, of up to 200 characters; it is `note` of the case
   */
  readonly needsPerson: (why: string) => never;
}

/** Money, or its return, that belongs to no order of yours. */
export interface ForeignNotification {
  /** `payment`, `saleStatus`, `refund` or `reversal`. */
  readonly kind: string;
  /** What was read from the body (document sections 6.2 to 6.4). */
  readonly payload: unknown;
  /** The body as it arrived. **It holds personal data.** */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** What to do with the notifications of orders. */
export type OrderCallbacksOf<Kinds extends readonly AnyDefinition[], Transaction> = Omit<
  WebhookCallbacks<Kinds, Transaction, NotifiedOrder | undefined, NeedsPerson>,
  'payment' | 'refund' | 'reversal' | 'saleStatus' | 'recurrence'
> & {
  /**
   * Books money that was expected, once: an order's first payment, and each later charge. Await or return what you
   * write: a promise, or a query that runs when it is awaited.
   */
  readonly paid: (payment: PaidOrder, context: OrderContext<Transaction>) => PromiseLike<unknown>;
  /** Books money that went back, once it is credited; `'ignore'` if nothing is to happen then. */
  readonly returned:
    | ((returned: ReturnedOrder, context: OrderContext<Transaction>) => PromiseLike<unknown>)
    | 'ignore';
  /**
   * Payments, and what goes back, of no order: a walk-in (document section 6.2), another system of the same account. Each
   * once, as it came.
   *
   * @defaultValue each is a case `no_order`
   */
  readonly foreign?:
    | ((notification: ForeignNotification, context: OrderContext<Transaction>) => unknown)
    | 'ignore'
    | undefined;
};

/** What `createOrders` works with: its own options, and the limits of `createWebhookHandler`. */
export interface OrdersOptions<Kinds extends readonly AnyDefinition[] = readonly [], Transaction = undefined>
  extends Omit<
    WebhookHandlerOptions<Kinds, Transaction>,
    'credentials' | 'store' | 'on' | 'confirm' | 'deadLetters'
  > {
  /**
   * Your `PaymentsClient`. It creates the journeys, confirms each payment, and is asked by `maintain`. Its credentials are
   * the listener's too, both pairs during a rotation.
   */
  readonly client: CheckoutSource & TransactionSource;

  /** Remembers everything: orders, their payments and returns, notifications and cases. */
  readonly store: Store<Transaction>;

  /**
   * What to do with money. Leave it out for a process that opens orders and receives no notifications.
   *
   * @defaultValue none: `open`, `close`, `find` and `list` alone
   */
  readonly on?: OrderCallbacksOf<Kinds, Transaction> | undefined;

  /**
   * The pairs that the listener accepts, where `client` is no `PaymentsClient`, or where another process has another pair.
   *
   * @defaultValue those of `client`
   */
  readonly credentials?: Credentials | readonly Credentials[] | undefined;

  /**
   * `false`: books what a notification says, and asks nobody. Basic authentication does not cover the body, so anyone with
   * the credentials could then report any payment of an order's sum.
   *
   * @defaultValue the service is asked about each payment
   */
  readonly confirm?: false | undefined;

  /**
   * Reads the payment that a body of the service's own means, such as one for each charge of a recurrence, which the
   * document does not show (section 6.1). Asked about bodies that would be `unrecognized`; gives `undefined` for any other
   * body. What it gives is confirmed and booked as a `payment` of that sale, so that the same money which comes in two
   * forms is booked once. Synchronous. What it throws is answered 500, and kept as a case.
   *
   * @defaultValue none means a payment
   */
  readonly asPayment?: ((body: Readonly<Record<string, unknown>>) => MeantPayment | undefined) | undefined;

  /**
   * How long a call that creates a journey may take at most, in milliseconds, with all its attempts. A minute after that,
   * an attempt that has not ended counts as lost.
   *
   * @defaultValue 90_000
   */
  readonly totalTimeoutMs?: number | undefined;

  /**
   * How long `open` waits for another `open` of the same order, in milliseconds, before an `OrderBusyError`. For as long
   * it tries again when the database fails, before its call and once more after it.
   *
   * @defaultValue 10_000
   */
  readonly waitMs?: number | undefined;
}

const { deadLetters: _deadLetters, ...LIMITS } = LISTENER_OPTIONS;
const NAMES: OptionNames<OrdersOptions> = {
  ...LIMITS,
  asPayment: true,
  client: true,
  totalTimeoutMs: true,
  waitMs: true,
};

/** An attempt to give an order its journey. */
export interface FoundAttempt {
  /** 1 for the order's first attempt. */
  readonly attempt: number;
  /** What became of it. */
  readonly state: AttemptState;
  /** What the service knows it by. */
  readonly referenceCode: string;
  /** The transaction's uuid, if it is known. */
  readonly uuid?: string | undefined;
  /** When it was begun, in milliseconds since 1970, by the database's clock. */
  readonly createdAt: number;
  /** When its QR code is over, if the request had a `maxAge`. */
  readonly expiresAt?: number | undefined;
}

/** What happened to an order. */
export interface FoundOrder {
  /** Your key of the order. */
  readonly key: string;
  /**
   * - `paid`: something was booked
   * - `review`: its own money has come, and is a case, or is being booked now
   * - `open`: it has a journey that can be paid, or is being given one
   * - `none`: none of these
   */
  readonly state: 'none' | 'open' | 'review' | 'paid';
  /** Oldest first: the newest 50 at most. */
  readonly attempts: readonly FoundAttempt[];
  /** Oldest first: the newest 400 at most. */
  readonly payments: readonly BookedPayment[];
  /** Oldest first: the newest 400 at most. */
  readonly returns: readonly ReturnedMoney[];
  /** Its open cases, 50 at most. */
  readonly cases: readonly FoundCase[];
}

/** Which orders, or which cases, to list. */
export interface PageQuery {
  /** The `key` or `id` of the last one of the page before. Default: from the beginning. */
  readonly after?: string | undefined;
  /** How many at most. Default: 100. */
  readonly limit?: number | undefined;
}

/** How often `orders.start` runs `maintain`. */
export interface StartOptions {
  /** The time between two runs, in milliseconds, give or take a tenth. Default: an hour. */
  readonly everyMs?: number | undefined;
}

const START_NAMES: OptionNames<StartOptions> = { everyMs: true };

/** A maintenance that runs by itself. */
interface Running {
  readonly ending: AbortController;
  timer?: ReturnType<typeof setTimeout> | undefined;
  run: Promise<unknown>;
}

/**
 * Takes payments for orders: decides what is expected, books it once, and remembers what happened.
 *
 * ```ts
 * const orders = createOrders({ client, store, on: { paid: async ({ order, isFirst }) => …, returned: async ({ left }) => … } });
 * const order = await orders.open('order-1001', request);
 * ```
 */
export class Orders<Transaction = unknown> {
  readonly #client: CheckoutSource & TransactionSource;
  readonly #store: Store<Transaction>;
  readonly #steps: StoreSteps<Transaction>;
  readonly #listening: ListenerParts | undefined;
  readonly #totalTimeoutMs: number;
  readonly #waitMs: number;
  #running: Running | undefined;

  /** Not for your code: {@link createOrders} makes it. */
  constructor(options: OrdersOptions<readonly AnyDefinition[], Transaction>) {
    const own = readNamedOptions('createOrders', options, NAMES);
    const { client, store, totalTimeoutMs, waitMs, ...listener } = own;
    checkMethods('client', client, ['createRecurringCheckout', 'getTransaction'], 'PaymentsClient.fromEnv()');
    this.#client = client;
    this.#store = store;
    this.#steps = stepsOf(store);
    this.#totalTimeoutMs = checkDuration('totalTimeoutMs', totalTimeoutMs ?? 90_000, LONGEST_TIMER_MS);
    this.#waitMs = checkDuration('waitMs', waitMs ?? 10_000, LONGEST_TIMER_MS);
    this.#listening = listenerOf({ ...listener, client, store });
  }

  /**
   * Your listener, for a `Request` and for the request and response of `node:http`: mount it as it is.
   *
   * @throws `ConfigurationError` without `on`
   */
  get webhook(): WebhookHandler {
    return this.#listener.handler;
  }

  get #listener(): ListenerParts {
    if (this.#listening !== undefined) return this.#listening;
    throw new ConfigurationError(
      'These orders receive no notifications. Pass `on` to `createOrders`, or call this in the process that has it.',
    );
  }

  /**
   * Resolves with the order's journey: the one there is, or one created now. Call it as often as you like. With a
   * `maxAge` a QR code that is over is replaced, once the service has said that it is not paid.
   *
   * The intent is recorded before anything is sent, and the journey before it is returned, so call it outside any
   * transaction: inside one it waits for a second connection, and where transactions hold all of the pool, none comes.
   * While another call is creating the journey, this one waits for it.
   *
   * @param key - your key of the order, of up to 200 characters; the first attempt's `referenceCode`. It is a capability:
   *   never take it from a browser without checking whose it is
   * @param request - the request (document section 2.1), without `referenceCode`
   * @param options - whether a journey for a different amount is replaced
   * @throws `InvalidRequestError` for an order key or a request that cannot be recorded; nothing was sent
   * @throws `OrderBusyError` if another call has not ended within `waitMs`, or the order has 50 journeys that may still be
   *   paid; nothing was sent
   * @throws `OrderConflictError` if the order is paid, or has a journey, for a different amount; nothing was sent
   * @throws the error of `getTransaction`, where the service is asked and does not answer
   * @throws the error of `createRecurringCheckout`. The next `open` makes a new attempt: nobody has seen a QR code
   * @throws `StoreError` if the journey was created and could not be recorded, or was closed meanwhile: nobody sees it.
   *   Also if the pool has no connection free, as inside a transaction: nothing was sent
   */
  open(key: string, request: OrderRequest, options: OpenOptions = {}): Promise<OpenedOrder> {
    const isPaid = async (uuid: string) => {
      const transaction = await this.#client.getTransaction(uuid);
      if (transaction.situation !== 'PAID') return false;
      // Without a listener, the process that has one books it.
      if (this.#listening !== undefined) await this.#settle(uuid, transaction);
      return true;
    };
    const limits = { totalTimeoutMs: this.#totalTimeoutMs, waitMs: this.#waitMs };
    const context = { client: this.#client, records: this.#steps, isPaid, ...limits };
    return openOrder(context, key, request, options);
  }

  /**
   * Says that the order is no longer wanted: closes each of its journeys that is not paid, one that is being created too,
   * whose QR code is then never shown. The service cannot be told, so a payer may still pay: that is a case `closed`. The
   * next `open` makes a new journey. Not for a callback of the same order, which holds its record.
   *
   * @returns what it closed
   * @throws `InvalidRequestError` for a transaction's uuid in place of the key; nothing was closed
   */
  async close(key: string): Promise<readonly FoundAttempt[]> {
    checkOrderKey('close', key);
    let closed: readonly Attempt[] = [];
    const order = await changeOrder(this.#steps, key, (order, now) => {
      closed = order.attempts.filter(({ state }) => state !== 'paid' && state !== 'closed');
      return closed.reduce((changed, attempt) => moved(changed, attempt, 'closed', now), order);
    });
    // An answer of `[]` would look as if there were nothing to close.
    const isUuid = !isKnown(order) && (await findOrder(this.#steps, { uuid: key })).key !== undefined;
    if (isUuid) throw notKey('close', 'expected the key of the order, got a uuid');
    return closed.map((attempt) => seenAttempt({ ...attempt, state: 'closed' }));
  }

  /** What happened to an order, by your key of it. */
  find(by: { readonly key: string }): Promise<FoundOrder>;
  /**
   * Whose transaction is this? Found by its uuid (an attempt's, or a later charge's that was booked), else by the reference
   * of its journey. `undefined` if no order is known by it.
   */
  find(
    by:
      | { readonly uuid: string; readonly referenceCode?: string | null | undefined }
      | { readonly referenceCode: string },
  ): Promise<FoundOrder | undefined>;
  async find(by: {
    readonly key?: string;
    readonly uuid?: string;
    readonly referenceCode?: string | null | undefined;
  }): Promise<FoundOrder | undefined> {
    const { key, uuid, referenceCode } = readOptions("find({ key: 'order-1001' })", by);
    if (key !== undefined) {
      checkOrderKey('find', key);
      return seenOrder((await readOrder(this.#steps, key)).order);
    }
    if (!isText(uuid) && !isText(referenceCode)) {
      throw new ConfigurationError(
        'Expected `find({ key })`, `find({ uuid })` or `find({ referenceCode })`, with a text.',
      );
    }
    const found = await findOrder(this.#steps, { uuid, referenceCode });
    if (found.key === undefined) return undefined;
    const { order } = await readOrder(this.#steps, found.key);
    return isKnown(order) ? seenOrder(order) : undefined;
  }

  /** Lists orders, in a fixed order. */
  async list(query: PageQuery = {}): Promise<readonly FoundOrder[]> {
    const { after, limit } = readPage('orders.list', query, 'the `key` of an order');
    const report = this.#listening?.listener.report ?? reporterTo(defaultReport());
    const onUnreadable = reportUnreadable(report);
    const page = await this.#steps.listRecords<Order>('order:', { after, limit, onUnreadable });
    return page.map(({ value }) => seenOrder(checkOrder(value)));
  }

  /**
   * What a person, or a fix, must end, in a fixed order. **It holds personal data**, for 30 days.
   *
   * @throws `ConfigurationError` without `on`
   */
  async cases(query: PageQuery = {}): Promise<readonly Case[]> {
    const page = readPage('orders.cases', query, 'the `id` of a case');
    const letters = await this.#listener.handler.deadLetters.list(page);
    return letters.map(caseOf);
  }

  /**
   * Ends a case. `'book'` has the service confirm it, and runs its callback as if it were expected. `'dismiss'` ends it
   * without running anything: it is never booked, and its own journey is closed. Either is final.
   *
   * `'book'` of an `unexpected_repeat` is a payment of its own, `isFirst: false`. The service must say that the sale is
   * paid and did not all go back; it knows the amount of a sale's first payment only (document section 2.3), so how much
   * the repeat is, the notification says, or `amount`. Look at your account first.
   *
   * @param id - the `id` of the case
   * @param options - `order`: whose it is, for a case of no order; `amount`: how much it is in the main unit, for
   *   `unclear_amount` and an `unexpected_repeat` that does not say it
   * @throws what the callback threw; the case stays
   * @throws `OrderBusyError` while it is being acted on
   * @throws `InvalidRequestError` where the service does not confirm it, or something is missing; `issues` says what
   * @throws `ConfigurationError` without `on`, and for a decision that is none
   */
  async decide(id: string, decision: 'book' | 'dismiss', options: Booking = {}): Promise<DecideResult> {
    const booking = readDecision(id, decision, options);
    return decided(decision, await decideCase(id, decision, booking, this.#listener));
  }

  /**
   * Takes what is said of a person out of the bodies and notes of all cases (LGPD art. 18): each text that names them, whatever
   * its case, accents and punctuation, and a number that is their account's or document's. Identities, states and sums of
   * money stay, so that a case can still be decided. Orders hold nothing of a person, save what you put into their keys.
   *
   * @returns how many cases it has changed
   * @throws `ConfigurationError` for a person of whom nothing is said
   */
  async forgetPerson(person: Person): Promise<{
    /** How many cases it has changed. */
    readonly changed: number;
  }> {
    const finds = readPerson(person);
    const records = this.#steps;
    let changed = 0;
    for (let after: string | undefined; ; ) {
      const letters = await records.listLetters({ after, limit: FORGET_PAGE });
      for (const { key } of letters) {
        if (await editLetter(records, key, (letter) => letterWithout(letter, finds))) changed += 1;
      }
      after = letters.at(-1)?.key;
      if (letters.length < FORGET_PAGE) return { changed };
    }
  }

  /**
   * Asks the service about each attempt that may have been paid without a notification: an outage of five minutes uses up
   * all six deliveries (document section 6.1). What is paid goes the way of a notification, and is booked once; what is
   * cancelled is closed. Begins after the order where the last run ended. `maintain` does this, and more.
   *
   * @throws `ConfigurationError` without `on`, and for an option that cannot work
   * @throws `ApiError` if the service refuses the client's credentials
   * @throws the last error, after `stopAfterFailures`
   * @throws `AbortedError` when the signal fires
   */
  async reconcile(options: ReconcileOrdersOptions = {}): Promise<ReconcileCounts> {
    const { counts, error } = await this.#reconcile(readReconcileOptions('reconcile', options));
    if (error !== undefined && !isRateLimited(counts, error)) throw error;
    return counts;
  }

  async #reconcile(options: ReconcileOrdersOptions): Promise<Reconciled> {
    const { report } = this.#listener.listener;
    const records = this.#steps;
    const reconciled = await reconcileOrders(
      {
        client: this.#client,
        records,
        settle: (uuid, transaction) => this.#settle(uuid, transaction),
        onUnreadable: reportUnreadable(report),
        cursor: await readCursor(records),
        saveCursor: (cursor) => saveCursor(records, cursor),
      },
      options,
    );
    if (!reconciled.counts.isComplete) report('reconcile_ended', { status: 200 });
    return reconciled;
  }

  async #settle(uuid: string, transaction: ServiceTransaction): Promise<Settled> {
    const result = await settle({ uuid, transaction }, this.#listener);
    if (result.code === 'done') return 'booked';
    return 'toKeep' in result && result.status === 200 ? 'case' : 'failed';
  }

  /** Runs `returned` for what the service has told of beside its payment. */
  async #tell({ key, returned }: Reconciled['untold'][number]): Promise<boolean> {
    const { id, sale, amount } = returned;
    const { order } = await readOrder(this.#steps, key);
    const currency = order.payments.find((each) => each.sale === sale)?.currency;
    // Not if the payment is not booked: its case has told of it.
    if (currency === undefined) return false;
    const uuid = id.slice('refund:'.length);
    return (await settleReturn({ sale, uuid, amount, currency }, this.#listener)).code === 'done';
  }

  /**
   * What orders need every hour: tries again the cases that a try can end, deletes what has expired, asks the service about
   * payments whose notification was lost ({@link Orders.reconcile | reconcile}), and runs returns whose notification was.
   * Each part runs even if another failed, which is reported. Call it in any number of processes: while one is at it, the
   * others return at once. {@link Orders.start | start} calls it for you.
   *
   * @throws `ConfigurationError` without `on`, and for an option that cannot work
   */
  async maintain(options: ReconcileOrdersOptions = {}): Promise<MaintainResult> {
    const { listener, unlessDraining } = this.#listener;
    const { report } = listener;
    const own = readReconcileOptions('maintain', options);
    const { signal } = own;
    return alone(this.#steps, async (): Promise<DoneMaintain> => {
      const errors: unknown[] = [];
      const part = async <Result>(work: () => Promise<Result>): Promise<Result | undefined> => {
        if (signal?.aborted) return undefined;
        try {
          return await work();
        } catch (error) {
          report('maintain_failed', { status: 500, error });
          errors.push(error);
          return undefined;
        }
      };
      const replayed = await part(async () =>
        countStatuses(await replayDue(listener, unlessDraining, signal ?? undefined)),
      );
      const deleted = await part(() => this.#store.deleteExpired());
      const found = await part(() => this.#reconcile(own));
      if (found?.error !== undefined && !signal?.aborted && !isRateLimited(found.counts, found.error)) {
        report('maintain_failed', { status: 500, error: found.error });
        errors.push(found.error);
      }
      const returned = await part(async () => {
        let count = 0;
        for (const each of found?.untold ?? []) {
          if (signal?.aborted) break;
          if (await this.#tell(each)) count += 1;
        }
        return count;
      });
      return { skipped: false, replayed, deleted, reconciled: found?.counts, returned, errors };
    });
  }

  /**
   * Runs {@link Orders.maintain | maintain} now and every hour, one process at a time, until `stop`. Does nothing if it
   * was started before. The timer keeps no process alive.
   *
   * @throws `ConfigurationError` without `on`, and for an option that cannot work
   */
  start(options: StartOptions = {}): void {
    const { everyMs = HOUR_MS } = readNamedOptions('start', options, START_NAMES);
    const mostMs = Math.floor(LONGEST_TIMER_MS / (1 + JITTER));
    checkDuration('everyMs', everyMs, mostMs);
    void this.#listener;
    if (this.#running !== undefined) return;
    const running: Running = { ending: new AbortController(), run: Promise.resolve() };
    this.#running = running;
    const { signal } = running.ending;
    const again = () => {
      running.run = this.maintain({ signal }).catch((error: unknown) =>
        this.#listener.listener.report('maintain_failed', { status: 500, error }),
      );
      const jitter = 1 - JITTER + 2 * JITTER * Math.random();
      running.timer = setTimeout(again, everyMs * jitter);
      (running.timer as { unref?: () => void }).unref?.();
    };
    again();
  }

  /**
   * For a clean end of the process: ends `maintain`, waits for the callback that is at work, frees what it held, and drains
   * the listener, which answers 503 from now on.
   */
  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    clearTimeout(running?.timer);
    running?.ending.abort();
    await Promise.all([running?.run, this.#listening?.handler.drain()]);
  }

  /** Creates the store's table if it is missing; see `createTable` of the store. */
  createTable(): Promise<void> {
    return this.#store.createTable();
  }

  /** Returns the SQL that `createTable` runs, for your migrations. */
  createTableSql(): string {
    return this.#store.createTableSql();
  }
}

/** Each letter may hold a body of a megabyte. */
const FORGET_PAGE = 20;

/** By how much the time between two maintenances varies, so that many processes do not begin at once. */
const JITTER = 0.1;

/**
 * Joins the parts that a safe payment needs: the client, the listener, the store, the confirmation, the decision which
 * payment is expected, the cases that it leaves, and the search for payments whose notification was lost.
 *
 * @throws `ConfigurationError` for an option that cannot work
 */
export function createOrders<
  const Kinds extends readonly AnyDefinition[] = readonly [],
  Transaction = undefined,
>(options: OrdersOptions<Kinds, Transaction>): Orders<Transaction> {
  // A client, or its options, in place of `client`.
  if (
    typeof options !== 'object' ||
    options === null ||
    'getTransaction' in options ||
    'baseUrl' in options
  ) {
    throw new ConfigurationError(
      'Expected `createOrders({ client: PaymentsClient.fromEnv(), store, on: { paid: async ({ order }) => …, returned: async ({ left }) => … } })`.',
    );
  }
  return new Orders(options as unknown as OrdersOptions<readonly AnyDefinition[], Transaction>);
}

function listenerOf<Transaction>({
  client,
  on,
  credentials,
  asPayment,
  confirm,
  kinds = [],
  ...options
}: Omit<OrdersOptions<readonly AnyDefinition[], Transaction>, 'totalTimeoutMs' | 'waitMs'>):
  | ListenerParts
  | undefined {
  if (asPayment !== undefined)
    checkFunction('asPayment', asPayment, '(body) => ({ saleToken }) or undefined');
  if (confirm !== undefined && confirm !== false) {
    throw new ConfigurationError(
      'Expected `confirm` to be `false` or left out: `createOrders` asks its `client` about each payment.',
    );
  }
  if (on === undefined) return undefined;
  const { paid, returned, foreign, ...others } = checkCallbacks(on, kinds);
  const link = orderLinkOf(client, { paid, returned, foreign } as OrderCallbacks, asPayment, kinds);
  return createListener(
    {
      ...options,
      kinds,
      credentials: credentials ?? credentialsOf(client),
      confirm: confirm ?? { client, acceptRefunded: true },
      deadLetters: true,
      on: others as WebhookCallbacks<readonly AnyDefinition[], Transaction>,
    },
    link,
  );
}

/** @throws `ConfigurationError` for callbacks that cannot work, or that are of `createWebhookHandler` */
function checkCallbacks<Callbacks extends object>(on: Callbacks, kinds: readonly AnyDefinition[]): Callbacks {
  if (!isObject(on)) {
    throw new ConfigurationError('Expected `on` to be an object with `paid` and `returned`.');
  }
  for (const kind of ORDER_KINDS) {
    if (!Object.hasOwn(on, kind)) continue;
    throw new ConfigurationError(
      `\`createOrders\` has no \`on.${kind}\`. ${INSTEAD[kind]} For each notification as it comes, take \`createWebhookHandler\`.`,
    );
  }
  checkKinds(kinds);
  const known = ['paid', 'returned', 'foreign', 'payout', 'unrecognized', ...kinds.map(({ kind }) => kind)];
  const unknown = Object.keys(on).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new ConfigurationError(
      `\`createOrders\` has no \`on.${unknown}\`. ${hintFor(unknown, known, 'The callbacks')}`,
    );
  }
  const { paid, returned, foreign } = on as Partial<OrderCallbacks>;
  checkFunction('on.paid', paid, 'async ({ order, isFirst }, { transaction }) => …');
  if (returned !== 'ignore')
    checkFunction('on.returned', returned, "async ({ order, left }) => …` or `'ignore'");
  if (foreign !== undefined && foreign !== 'ignore') {
    checkFunction('on.foreign', foreign, "({ kind, payload }) => …` or `'ignore'");
  }
  return on;
}

const INSTEAD: Readonly<Record<string, string>> = {
  payment: '`on.paid` books what is expected, and everything else is one of `orders.cases()`.',
  refund: '`on.returned` books what went back.',
  reversal: '`on.returned` books what went back.',
  saleStatus: 'Each sale that changes its status is one of `orders.cases()`.',
};

/** @throws `ConfigurationError` for a client that is no `PaymentsClient` */
function credentialsOf(client: object): readonly Credentials[] {
  const { [CREDENTIALS]: pairs } = client as Partial<HasCredentials>;
  if (typeof pairs === 'function') return pairs.call(client as HasCredentials);
  throw new ConfigurationError(
    'Expected `credentials`, the pairs that the listener accepts, because `client` is no `PaymentsClient`, which has them: ' +
      '`{ apiKey, apiToken }`, or `credentialsFromEnv()`, which reads PAYMENTS_API_KEY and PAYMENTS_API_TOKEN.',
  );
}

function isRateLimited({ isComplete }: ReconcileCounts, error: unknown): boolean {
  return !isComplete && (error as { readonly httpStatus?: unknown }).httpStatus === 429;
}

/** An order as a merchant sees it. */
function seenOrder(order: Order): FoundOrder {
  const { key, attempts, payments, returns } = order;
  return {
    key,
    state: isPaid(order) ? 'paid' : isInReview(order) ? 'review' : attempts.some(isOpen) ? 'open' : 'none',
    attempts: attempts.map(seenAttempt),
    payments,
    returns: returns.map(seenReturn),
    cases: attempts.flatMap(({ review = [] }) => review),
  };
}

function seenAttempt({ attempt, state, referenceCode, uuid, startedAt, expiresAt }: Attempt): FoundAttempt {
  return { attempt, state, referenceCode, uuid, createdAt: startedAt, expiresAt };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
