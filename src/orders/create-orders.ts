import { ConfigurationError } from '../errors/configuration-error';
import { isText } from '../shared/objects';
import { HOUR_MS, LONGEST_TIMER_MS } from '../shared/time';
import { editLetter } from '../stores/letters';
import { MemoryStore } from '../stores/memory-store';
import { type Store, type StoreSteps, stepsOf } from '../stores/steps';
import type { TransactionSource } from '../values/confirm-payment';
import {
  checkAfter,
  checkDuration,
  type OptionNames,
  readNamedOptions,
  readOptions,
} from '../values/option-checks';
import type { Booking } from '../webhooks/cause';
import type { WebhookHandler } from '../webhooks/handler';
import type { AnyDefinition } from '../webhooks/kinds';
import { checkMethods, isProduction } from '../webhooks/options';
import { reportUnreadable } from '../webhooks/replay';
import { reporterTo } from '../webhooks/report';
import { defaultReport } from '../webhooks/report-log';
import { type Attempt, moved, type Order } from './attempt';
import {
  type CancelledRecurrences,
  type CancelRecurrenceOptions,
  cancelRecurrences,
} from './cancel-recurrence';
import { type Case, casesOf } from './cases';
import { checkOrderKey, refusedCall } from './checks';
import { type DecideResult, decide, readDecision } from './decide';
import { letterWithout, type Person, readPerson } from './forget-person';
import { type ClosedOrder, type FoundOrder, seenAttempt, seenOrder } from './found-order';
import { listenerOf, type OrdersListener } from './listener-of';
import { type MaintainResult, maintain } from './maintain';
import { type MaintainContext, readProgress } from './maintain-record';
import {
  type CheckoutSource,
  type OpenedOrder,
  type OpenOptions,
  type OrderRequest,
  openOrder,
} from './open';
import { ORDERS_OPTIONS, type OrdersOptions } from './options';
import { changeOrder, checkOrder, findOrder, isKnown, readOrder } from './order-records';
import { inPages } from './pages';
import {
  type MaintainOptions,
  type ReconcileCounts,
  type ReconcileOrdersOptions,
  readReconcileOptions,
  reconcileOrders,
} from './reconcile';
import { liveOf, seenRecurrence } from './recurrences';
import { settle } from './settle';

/** Which orders to list. */
export interface OrderQuery {
  /** The `key` of the last one that you have read, to go on behind it. Default: from the beginning. */
  readonly after?: string | undefined;
}

/** Which cases to list. */
export interface CaseQuery {
  /** Your key of an order: its cases alone. Default: those of all orders, and of none. */
  readonly order?: string | undefined;
  /** The `id` of the last one that you have read, to go on behind it. Default: from the beginning. */
  readonly after?: string | undefined;
}

const ORDER_NAMES: OptionNames<OrderQuery> = { after: true };
const CASE_NAMES: OptionNames<CaseQuery> = { after: true, order: true };

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
  readonly #listening: OrdersListener | undefined;
  readonly #totalTimeoutMs: number;
  readonly #waitMs: number;
  readonly #recurrences: boolean | undefined;
  #running: Running | undefined;

  /** Not for your code: {@link createOrders} makes it. */
  constructor(options: OrdersOptions<readonly AnyDefinition[], Transaction>) {
    const own = readNamedOptions('createOrders', options, ORDERS_OPTIONS);
    const { client, store, totalTimeoutMs, waitMs, ...listener } = own;
    checkMethods('client', client, ['createRecurringCheckout', 'getTransaction'], 'PaymentsClient.fromEnv()');
    this.#client = client;
    this.#store = store;
    this.#steps = stepsOf(store);
    warnOfMemory(store);
    this.#totalTimeoutMs = checkDuration('totalTimeoutMs', totalTimeoutMs ?? 90_000, LONGEST_TIMER_MS);
    this.#waitMs = checkDuration('waitMs', waitMs ?? 10_000, LONGEST_TIMER_MS);
    this.#recurrences = listener.recurrences;
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

  get #listener(): OrdersListener {
    if (this.#listening !== undefined) return this.#listening;
    throw new ConfigurationError(
      'These orders receive no notifications. Pass `on` to `createOrders`, or call this in the process that has it.',
    );
  }

  get #maintaining(): MaintainContext {
    const parts = this.#listener;
    const { onNoCall } = parts;
    const recurrences = this.#recurrences;
    return { client: this.#client, store: this.#store, records: this.#steps, parts, recurrences, onNoCall };
  }

  /**
   * Resolves with the order's journey: the one there is, or one created now. Call it as often as you like. With a
   * `maxAge` a QR code that is over is replaced, once the service has said that it is not paid.
   *
   * The intent is recorded before anything is sent, and the journey before it is returned, so call it outside any
   * transaction: inside one it waits for a second connection, and where transactions hold all of the pool, none comes.
   * While another call is creating the journey, this one waits for it.
   *
   * @param key - your key of the order, of up to 200 characters; the first attempt's `referenceCode`. Take the subscription's id,
   *   never the customer's, whose second subscription would be the same order. It is a capability: never take it from a
   *   browser without checking whose it is
   * @param request - the request (document section 2.1), without `referenceCode`
   * @param options - whether a journey for a different amount is replaced
   * @throws `InvalidRequestError` for an order key or a request that cannot be recorded; nothing was sent
   * @throws `OrderBusyError` if another call has not ended within `waitMs`, or the order has 50 journeys that may still be
   *   paid; nothing was sent
   * @throws `OrderConflictError` if the order is paid, authorized, or has a journey, for a different amount; nothing was sent
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
      if (this.#listening !== undefined) await settle({ uuid, transaction }, this.#listening);
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
   * It ends no recurrence: while one lives, `open` gives `authorized`, and {@link Orders.cancelRecurrence | cancelRecurrence} ends
   * it.
   *
   * @returns what it closed, and the recurrences that live
   * @throws `InvalidRequestError` for a transaction's uuid in place of the key; nothing was closed
   */
  async close(key: string): Promise<ClosedOrder> {
    checkOrderKey('close', key);
    let closed: readonly Attempt[] = [];
    const order = await changeOrder(this.#steps, key, (order, now) => {
      closed = order.attempts.filter(({ state }) => state !== 'paid' && state !== 'closed');
      return closed.reduce((changed, attempt) => moved(changed, attempt, 'closed', now), order);
    });
    // An answer of `[]` would look as if there were nothing to close.
    const isUuid = !isKnown(order) && (await findOrder(this.#steps, { uuid: key })).key !== undefined;
    if (isUuid) throw refusedCall('close', 'orderKey', 'expected the key of the order, got a uuid');
    return {
      attempts: closed.map((attempt) => seenAttempt({ ...attempt, state: 'closed' })),
      recurrences: liveOf(order).map((each) => seenRecurrence(each, order.payments)),
    };
  }

  /**
   * Has the service cancel the recurrences of an order that have not ended, or the one that is named, so that nothing more is
   * charged (the service's public pages; not in its document). The event of its end runs `on.recurrence`; a charge that is on
   * its way may still come, and is booked.
   *
   * @param key - your key of the order
   * @param options - `reason`, for the service, and `idRec`, of one of `find({ key }).recurrences`
   * @throws `InvalidRequestError` for an `idRec` that is not the order's, or without a `reason`; nothing was sent
   * @throws `ConfigurationError` where `client` is no `PaymentsClient`
   * @throws the first error of the service, once all were tried: `ApiError` with `httpStatus` 400 where it cannot be cancelled
   *   any more, 404 where the service does not have the call
   */
  cancelRecurrence(key: string, options: CancelRecurrenceOptions): Promise<CancelledRecurrences> {
    return cancelRecurrences(this.#client, this.#steps, key, options);
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

  /**
   * All orders, in a fixed order, read a page at a time: `for await (const order of orders.list()) …`.
   *
   * @throws `ConfigurationError` for an option that cannot work
   */
  list(query: OrderQuery = {}): AsyncIterable<FoundOrder> {
    const { after } = readNamedOptions('orders.list', query, ORDER_NAMES);
    checkAfter(after, 'the `key` of an order');
    const report = this.#listening?.listener.report ?? reporterTo(defaultReport());
    const onUnreadable = reportUnreadable(report);
    const read = async (page: { readonly after: string | undefined; readonly limit: number }) => {
      const orders = await this.#steps.listRecords<Order>('order:', { ...page, onUnreadable });
      return orders.map(({ value }) => seenOrder(checkOrder(value)));
    };
    return inPages(read, ({ key }) => key, after, ORDERS_AT_ONCE);
  }

  /**
   * What a person, or a fix, must end, in a fixed order, read a page at a time: `for await (const each of orders.cases()) …`.
   * **It holds personal data**, for 30 days. What is decided meanwhile may still come.
   *
   * @throws `ConfigurationError` without `on`, and for an option that cannot work
   */
  cases(query: CaseQuery = {}): AsyncIterable<Case> {
    const { after, order } = readNamedOptions('orders.cases', query, CASE_NAMES);
    checkAfter(after, 'the `id` of a case');
    if (order !== undefined) checkOrderKey('cases', order);
    const { deadLetters } = this.#listener.handler;
    const letters = inPages(
      (page) => deadLetters.list(page),
      ({ key }) => key,
      after,
      LETTERS_AT_ONCE,
    );
    return casesOf(letters, order);
  }

  /**
   * Ends a case. `'book'` has the service confirm it, and runs its callback as if it were expected. `'dismiss'` ends it
   * without running anything; the order remembers it, and its own journey is closed. A payment that was dismissed is booked
   * by a later `'book'`; anything else is final. What the service did not confirm when it was dismissed is asked about again
   * if it comes again.
   *
   * Own money of an order is dismissed only if the service does not say that it is paid, or with `evenIfPaid`.
   *
   * `'book'` of an `unexpected_repeat` is a payment of its own, `isFirst: false`. The service must say that the sale is
   * paid and did not all go back; it knows the amount of a sale's first payment only (document section 2.3), so how much
   * the repeat is, the notification says, or `amount`. Look at your account first.
   *
   * @param id - the `id` of the case
   * @param options - `order`: whose it is, for a case of no order; `amount`: how much it is in the main unit, for
   *   `unclear_amount` and an `unexpected_repeat` that does not say it; `evenIfPaid`: to dismiss own money that is paid
   * @throws what the callback threw, or the error of `getTransaction`; the case stays
   * @throws `OrderBusyError` while it is being acted on
   * @throws `InvalidRequestError` where the service does not confirm it, or something is missing; `issues` says what
   * @throws `ConfigurationError` without `on`, and for a decision that is none
   */
  async decide(id: string, decision: 'book' | 'dismiss', options: Booking = {}): Promise<DecideResult> {
    const booking = readDecision(id, decision, options);
    return decide(id, decision, booking, this.#listener);
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
    const letters = inPages(
      (page) => records.listLetters(page),
      ({ key }) => key,
      undefined,
      LETTERS_AT_ONCE,
    );
    for await (const { key } of letters) {
      if (await editLetter(records, key, (letter) => letterWithout(letter, finds))) changed += 1;
    }
    return { changed };
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
    const limits = readReconcileOptions(options);
    const context = this.#maintaining;
    const { cursor } = await readProgress(this.#steps);
    const { counts, error } = await reconcileOrders(context, limits, cursor);
    if (error !== undefined) throw error;
    return counts;
  }

  /**
   * What orders need every hour, in this order: deletes what has expired, asks the service about payments whose notification
   * was lost ({@link Orders.reconcile | reconcile}), tries again the cases that a try can end, and runs returns whose
   * notification was lost. Each part runs even if another failed, which is reported; none takes longer than its share of
   * `withinMs`. Call it in any number of processes: while one is at it, the others return at once.
   * {@link Orders.start | start} calls it for you.
   *
   * @throws `ConfigurationError` without `on`, and for an option that cannot work
   */
  async maintain(options: MaintainOptions = {}): Promise<MaintainResult> {
    return maintain(this.#maintaining, options);
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

const ORDERS_AT_ONCE = 100;
/** Each letter may hold a body of a megabyte. */
const LETTERS_AT_ONCE = 20;

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

/** Once a `createOrders`: a second QR code, or a payment that is booked twice, would be the first sign. */
function warnOfMemory(store: object): void {
  if (!(store instanceof MemoryStore) || !isProduction()) return;
  console.warn(
    'pix-automatic-sdk: createOrders keeps its orders in a `MemoryStore`: a restart forgets them, and another process does ' +
      'not know them. Pass a store of pix-automatic-sdk/stores over your database.',
  );
}
