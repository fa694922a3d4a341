import { ConfigurationError } from '../errors';
import type { PaymentNotification } from '../service/notifications/sale';
import { LONGEST_TIMER_MS } from '../shared/time';
import { type Store, type StoreSteps, stepsOf } from '../stores/steps';
import type { TransactionSource } from '../values/confirm-payment';
import {
  checkCount,
  checkDuration,
  checkFunction,
  type OptionNames,
  readNamedOptions,
  readOptions,
} from '../values/option-checks';
import { createListener, type OrdersListener, type WebhookHandler } from '../webhooks/handler';
import { identify } from '../webhooks/key';
import type { AnyDefinition } from '../webhooks/kinds';
import {
  checkMethods,
  LISTENER_OPTIONS,
  type WebhookCallback,
  type WebhookCallbacks,
  type WebhookHandlerOptions,
} from '../webhooks/options';
import type { AttemptState, NotifiedOrder } from '../webhooks/order-link';
import { type ReplayResult, reportUnreadable } from '../webhooks/replay-and-settle';
import { defaultReport, type Reporter, reporterOf, reporterTo } from '../webhooks/report';
import { type Attempt, moved, type Order } from './attempt';
import { alone, type MaintainResult, readCursor, saveCursor } from './maintain';
import { type CheckoutSource, checkOrderKey, type OpenedOrder, type OrderRequest, openOrder } from './open';
import { attemptOf, changeOrder, findOrder, orderLink, readOrder } from './order-records';
import { type ReconcileCounts, type ReconcileOrdersOptions, reconcileOrders } from './reconcile';

/** What `createOrders` works with: its own options, and those of `createWebhookHandler`. */
export interface OrdersOptions<Kinds extends readonly AnyDefinition[] = readonly [], Transaction = undefined>
  extends Partial<Omit<WebhookHandlerOptions<Kinds, Transaction>, 'store' | 'on'>> {
  /** Your `PaymentsClient`. It creates the journeys, confirms each payment, and is asked by `reconcile`. */
  readonly client: CheckoutSource & TransactionSource;

  /** Remembers everything: orders, notifications and dead letters. */
  readonly store: Store<Transaction>;

  /**
   * What to do, by kind of notification; `payment` is a function. Leave `on` and `credentials` out for a process that
   * opens orders and receives no notifications.
   *
   * @defaultValue none: `open`, `close`, `find` and `list` alone
   */
  readonly on?:
    | (WebhookCallbacks<Kinds, Transaction, NotifiedOrder | undefined> & {
        /** Books a paid sale for its order. */
        readonly payment: WebhookCallback<PaymentNotification, Transaction, NotifiedOrder | undefined>;
      })
    | undefined;

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

const NAMES: OptionNames<OrdersOptions> = {
  ...LISTENER_OPTIONS,
  client: true,
  totalTimeoutMs: true,
  waitMs: true,
};

/** An attempt, as `find` gives it. */
export interface FoundOrder {
  /** Your key of the order. */
  readonly key: string;
  /** 1 for the order's first attempt. */
  readonly attempt: number;
  /** What became of the attempt. */
  readonly state: AttemptState;
  /** What the service knows the attempt by. */
  readonly referenceCode: string;
  /** The transaction's uuid, if it is known. */
  readonly uuid?: string | undefined;
  /** When the attempt was begun, in milliseconds since 1970, by the database's clock. */
  readonly createdAt: number;
  /** The attempt that paid the order; `undefined` if none has. */
  readonly paidBy?: number | undefined;
}

/** An order, as `list` gives it. */
export interface ListedOrder {
  /** Your key of the order. */
  readonly key: string;
  /** Its attempts, oldest first. */
  readonly attempts: readonly Omit<FoundOrder, 'key' | 'paidBy'>[];
  /** The attempt that paid the order; `undefined` if none has. */
  readonly paidBy?: number | undefined;
}

/** Which orders to list. */
export interface OrderQuery {
  /** Only orders with an attempt in this state. Default: all. */
  readonly state?: AttemptState | undefined;
  /** The key of the last order of the page before. Default: from the beginning. */
  readonly after?: string | undefined;
  /** How many orders at most. Default: 100. */
  readonly limit?: number | undefined;
}

/**
 * Takes payments for orders: one journey an order, one booking a payment.
 *
 * ```ts
 * const orders = createOrders({ client, credentials, store, on: { payment: ({ payload }, { order }) => … } });
 * const order = await orders.open('order-1001', request);
 * ```
 */
export class Orders<Transaction = unknown> {
  readonly #client: CheckoutSource & TransactionSource;
  readonly #store: Store<Transaction>;
  readonly #steps: StoreSteps<Transaction>;
  readonly #listener: OrdersListener | undefined;
  readonly #totalTimeoutMs: number;
  readonly #waitMs: number;

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
    this.#listener = listenerOf({ ...listener, client, store });
  }

  /**
   * Your listener, for a `Request` and for the request and response of `node:http`: mount it as it is.
   *
   * @throws `ConfigurationError` without `credentials` and `on`
   */
  get webhook(): WebhookHandler {
    return this.#receiving().handler;
  }

  #report(): Reporter {
    return this.#listener === undefined ? reporterTo(defaultReport()) : reporterOf(this.#listener.handler);
  }

  #receiving(): OrdersListener {
    if (this.#listener !== undefined) return this.#listener;
    throw new ConfigurationError(
      'These orders receive no notifications. Pass `credentials` and `on` to `createOrders`, or call this in the ' +
        'process that has them.',
    );
  }

  /**
   * Resolves with the order's journey: the one there is, or one created now. Call it as often as you like.
   *
   * The intent is recorded before anything is sent, and the journey before it is returned, so call it outside any
   * transaction. While another call is creating the journey, this one waits for it.
   *
   * @param key - your key of the order, of up to 200 characters; the first attempt's `referenceCode`
   * @param request - the request (document section 2.1), without `referenceCode`
   * @throws `InvalidRequestError` for an order key or a request that cannot be recorded; nothing was sent
   * @throws `OrderBusyError` if another call has not ended within `waitMs`; nothing was sent
   * @throws `OrderConflictError` if the order has a journey over other money; nothing was sent
   * @throws the error of `createRecurringCheckout`. The next `open` makes a new attempt: nobody has seen a QR code
   * @throws `StoreError` if the journey was created and could not be recorded; nobody sees it
   */
  open(key: string, request: OrderRequest): Promise<OpenedOrder> {
    const limits = { totalTimeoutMs: this.#totalTimeoutMs, waitMs: this.#waitMs };
    return openOrder({ client: this.#client, records: this.#steps, ...limits }, key, request);
  }

  /**
   * Says that the order's journey can no longer be paid, or that a person has looked at one in `review`, so that the next
   * `open` makes a new one. Does nothing if the order has neither. **Be sure of it**: a payer may be looking at the QR
   * code. Not for a callback of the same order, which holds its record.
   *
   * @param options - `uuid`: closes this journey only, so that a job that runs twice does not close the next one
   */
  async close(key: string, options: { readonly uuid?: string | undefined } = {}): Promise<void> {
    checkOrderKey('close', key);
    const { uuid } = readOptions(options);
    await changeOrder(this.#steps, key, (order, now) => {
      const attempt = order.attempts.find(
        (each) =>
          (each.state === 'created' || each.state === 'review') && (uuid === undefined || each.uuid === uuid),
      );
      return attempt === undefined ? order : moved(order, attempt.attempt, 'closed', now);
    });
  }

  /**
   * Whose transaction is this? `undefined` if no attempt is known by it. With both, the uuid decides, and the reference
   * where no attempt has that uuid: those of a lost attempt, and of a later charge, are not known.
   */
  async find(
    by:
      | { readonly uuid: string; readonly referenceCode?: string | null | undefined }
      | { readonly referenceCode: string },
  ): Promise<FoundOrder | undefined> {
    const { uuid, referenceCode } = { uuid: undefined, ...by };
    if (!isText(uuid) && !isText(referenceCode)) {
      throw new ConfigurationError('Expected `find({ uuid })`, `find({ referenceCode })` or both.');
    }
    const reference = { uuid, referenceCode };
    const key = await findOrder(this.#steps, reference);
    if (key === undefined) return undefined;
    const { order } = await readOrder(this.#steps, key);
    const attempt = attemptOf(order, reference);
    return attempt && { key, ...seen(attempt), paidBy: order.paidBy };
  }

  /** Lists orders with all their attempts, in a fixed order. */
  async list(query: OrderQuery = {}): Promise<ListedOrder[]> {
    const { state, after, limit = 100 } = readOptions(query);
    checkCount('limit', limit);
    const found: ListedOrder[] = [];
    for (let from = after; ; ) {
      const onUnreadable = reportUnreadable(this.#report());
      const page = await this.#steps.listRecords<Order>('order:', { after: from, limit, onUnreadable });
      for (const { value } of page) {
        const isWanted = state === undefined || value.attempts.some((each) => each.state === state);
        const { key, attempts, paidBy } = value;
        if (isWanted) found.push({ key, attempts: attempts.map(seen), paidBy });
        if (found.length === limit) return found;
      }
      if (page.length < limit) return found;
      from = page.at(-1)?.value.key;
    }
  }

  /**
   * Asks the service about each attempt that may have been paid without a notification: an outage of five minutes uses up
   * all six deliveries (document section 6.1). Runs the payment callback for those that are paid, never twice for one
   * uuid; closes those that are cancelled; puts those that are paid and not confirmed into `review`, with a report.
   * Begins after the order where the last run ended.
   *
   * @throws `ConfigurationError` without `credentials` and `on`, and for an option that cannot work
   * @throws `ApiError` if the service answers a query with 401
   * @throws `AbortedError` when the signal fires
   */
  async reconcile(options: ReconcileOrdersOptions = {}): Promise<ReconcileCounts> {
    const { handler, settle } = this.#receiving();
    const records = this.#steps;
    const report = reporterOf(handler);
    const counts = await reconcileOrders(
      {
        client: this.#client,
        records,
        settle,
        onUnreadable: reportUnreadable(report),
        reportReview: (uuid) =>
          report('order_review', {
            status: 200,
            kind: 'payment',
            key: identify('payment', uuid, ['PAID']).key,
          }),
        cursor: await readCursor(records),
        saveCursor: (cursor) => saveCursor(records, cursor),
      },
      options,
    );
    if (!counts.isComplete) report('reconcile_ended', { status: 200 });
    return counts;
  }

  /**
   * What an order needs every hour or day: {@link Orders.reconcile | reconcile}, a replay of all dead letters, and the
   * deletion of what has expired. Each runs even if another failed, which is reported. Call it in any number of processes:
   * while one is at it, the others return at once.
   *
   * @throws `ConfigurationError` without `credentials` and `on`, and for an option that cannot work
   */
  async maintain(options: ReconcileOrdersOptions = {}): Promise<MaintainResult> {
    const { webhook } = this;
    const report = reporterOf(webhook);
    const done = await alone(this.#steps, async () => {
      const errors: unknown[] = [];
      const part = async <Result>(work: () => Promise<Result>): Promise<Result | undefined> => {
        try {
          return await work();
        } catch (error) {
          report('maintain_failed', { status: 500, error });
          errors.push(error);
          return undefined;
        }
      };
      const reconciled = await part(() => this.reconcile(options));
      const replayed = await part(async () => countStatuses(await webhook.replay()));
      const deleted = await part(() => this.#store.deleteExpired());
      return { skipped: false as const, reconciled, replayed, deleted, errors };
    });
    return done ?? { skipped: true };
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

/**
 * Joins the parts that a safe payment needs: the client, the listener, the store, the confirmation, dead letters and
 * their replay, reconciliation.
 *
 * @throws `ConfigurationError` for an option that cannot work
 */
export function createOrders<
  const Kinds extends readonly AnyDefinition[] = readonly [],
  Transaction = undefined,
>(options: OrdersOptions<Kinds, Transaction>): Orders<Transaction> {
  if (typeof options !== 'object' || options === null) {
    throw new ConfigurationError(
      'Expected `createOrders({ client, credentials, store, on: { payment: … } })`.',
    );
  }
  return new Orders(options as unknown as OrdersOptions<readonly AnyDefinition[], Transaction>);
}

function listenerOf<Transaction>({
  client,
  on,
  credentials,
  ...options
}: Omit<OrdersOptions<readonly AnyDefinition[], Transaction>, 'totalTimeoutMs' | 'waitMs'>):
  | OrdersListener
  | undefined {
  if (on === undefined && credentials === undefined) return undefined;
  if (on === undefined || credentials === undefined) {
    throw new ConfigurationError(
      'Expected both `credentials` and `on`, to receive notifications; or neither, to open orders only.',
    );
  }
  checkFunction('on.payment', on.payment, '({ payload }, { order }) => …');
  return createListener({ confirm: client, deadLetters: true, ...options, on, credentials }, orderLink);
}

function seen({ attempt, state, referenceCode, uuid, startedAt }: Attempt) {
  return { attempt, state, referenceCode, uuid, createdAt: startedAt };
}

function countStatuses(results: readonly ReplayResult[]): Record<ReplayResult['status'], number> {
  const counts = { done: 0, busy: 0, failed: 0, unhandled: 0 };
  for (const { status } of results) counts[status] += 1;
  return counts;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
