import { PaymentsClient } from '../client/payments-client';
import { ConfigurationError } from '../errors';
import type { Orders } from '../orders/create-orders';
import type { Delivery } from '../sandbox/delivery/delivery';
import type { RefundOptions } from '../sandbox/model/moves';
import { CHARGE_OPTIONS, charge, endRecurrence, type TestChargeOptions } from '../sandbox/model/recurrence';
import type { Credentials } from '../service/credentials';
import { nameOfType } from '../shared/objects';
import { MemoryStore } from '../stores/memory-store';
import { type Store, type StoreSteps, stepsOf } from '../stores/steps';
import { checkFunction, type OptionNames, readNamedOptions } from '../values/option-checks';
import { crashed, withSteps } from './crash-before-commit';
import { type FakeClock, fakeClock } from './fake-clock';
import { MOCK_OPTIONS, type MockService, type MockServiceOptions, mockedService } from './mock-service';

/** What `testOrders` gives to your function that makes the orders. */
export interface OrdersParts<Transaction = undefined> {
  /** Calls the mocked service. */
  readonly client: PaymentsClient;
  /** The pair that the mocked service sends. */
  readonly credentials: Credentials;
  /** A `MemoryStore` on the test's clock, or the store that you passed. */
  readonly store: Store<Transaction>;
}

/** How orders are tested. Everything has a default. */
export interface TestOrdersOptions<Transaction = undefined>
  extends Omit<MockServiceOptions<never>, 'http' | 'deliverTo' | 'clock'> {
  /**
   * A store in place of the one in memory, such as yours in your transaction: it keeps its own time.
   *
   * @defaultValue a `MemoryStore` on the test's clock
   */
  readonly store?: Store<Transaction> | undefined;
}

const { http: _http, deliverTo: _deliverTo, clock: _clock, ...MOCKED } = MOCK_OPTIONS;
const NAMES: OptionNames<TestOrdersOptions> = { ...MOCKED, store: true };
const TEST_CHARGE_OPTIONS: OptionNames<TestChargeOptions> = { ...CHARGE_OPTIONS, as: true };

/** The moves that `testOrders` has by themselves: each waits for the listener, which those of the service do not. */
const OWN_MOVES = ['pay', 'authorize', 'charge', 'cancelByPayer', 'refund'] as const;

/** Your orders, and the service and payer that they deal with. */
export interface TestOrders<Transaction = undefined> {
  /** What your function returned. */
  readonly orders: Orders<Transaction>;
  /**
   * The mocked service, with its other controls: `fault`, `reverse`, `deliveries` and so on. The moves below are here alone,
   * because those of the service do not wait for your listener.
   */
  readonly service: Omit<MockService, (typeof OWN_MOVES)[number]>;
  /** The client of the orders. */
  readonly client: PaymentsClient;
  /** Time stands still until the test advances it: `await clock.advance(60_000)` makes the next retry. */
  readonly clock: FakeClock;
  /**
   * The payer pays, and accepts the recurrence with it. Resolves once your listener has answered each notification, with the
   * delivery of the payment, or else the last one; without a listener, nothing was sent.
   */
  pay(order: OpenedJourney): Promise<Delivery | undefined>;
  /**
   * The payer accepts the recurrence, and pays nothing; an immediate payment can still be made, by `pay`. Resolves as `pay` does
   * (the service's public pages; not in its document).
   */
  authorize(order: OpenedJourney): Promise<Delivery | undefined>;
  /** A refund is credited, in part or in full. Resolves as `pay` does. */
  refund(order: OpenedJourney, options?: RefundOptions): Promise<Delivery | undefined>;
  /**
   * The next charge of the recurrence by its calendar, now: it is paid, or fails. By default its events are sent; `as` sends
   * another form of one that is paid. Resolves as `pay` does, with the charge, for `refund` (the service's public pages; the
   * document does not show what comes).
   *
   * @example
   * const monthTwo = await charge(order); // runs `paid`, `isFirst: false`
   * await charge(order, { fails: 'AM04', willRetry: true }); // the next charge is another try of the same month
   * await charge(order, { amount: 31 }); // a case
   * await charge(order, { as: ({ sale, amount }) => ({ yourSale: sale, yourAmount: amount }) }); // for `asPayment`
   *
   * @throws `SandboxError` where nothing is left to charge
   */
  charge(order: OpenedJourney, options?: TestChargeOptions): Promise<Charge>;
  /** The payer ends the recurrence at their bank. Resolves as `pay` does (the service's public pages; not in its document). */
  cancelByPayer(order: OpenedJourney): Promise<Delivery | undefined>;
  /**
   * The next notification whose callback succeeds is the last thing that its process does: nothing is recorded and nothing is
   * answered; in a transaction, nothing is committed. Of a move above, it is the notification that the move resolves with; the
   * others of that move are received by another process. The service sends it again after a minute.
   */
  crash(): void;
}

/** What `orders.open` resolves with. */
export interface OpenedJourney {
  /** The transaction's uuid. */
  readonly uuid?: string | undefined;
}

/** A charge that was made. */
export interface Charge {
  /** The uuid of its transaction: for `same-sale`, that of the first payment. */
  readonly uuid: string;
  /** What was sent about it; `undefined` without a listener. */
  readonly delivery: Delivery | undefined;
}

/**
 * Your orders over a mocked service and a store in memory, in one call, with any test runner. The client has the mocked
 * service's `fetch`, so msw is not needed.
 *
 * @param make - makes your orders of these parts, by `createOrders`
 *
 * @example
 * const { orders, pay, crash, clock } = testOrders((parts) => createOrders({ ...parts, on: { paid, returned } }));
 * const order = await orders.open('order-1', request);
 * crash();
 * await pay(order);
 * await clock.advance(60_000); // the service tries again: was it booked twice?
 *
 * @throws `ConfigurationError` for an option that cannot work
 */
export function testOrders<Transaction = undefined>(
  make: (parts: OrdersParts<Transaction>) => Orders<Transaction>,
  options: TestOrdersOptions<Transaction> = {},
): TestOrders<Transaction> {
  checkFunction('make', make, '(parts) => createOrders({ ...parts, on: { paid, returned } })');
  const { store: ownStore, ...own } = readNamedOptions('testOrders', options, NAMES);
  const clock = fakeClock();
  const process: Process = { isDead: false, isDying: false };
  let crashes = false;
  let dying: string | undefined;
  const receive = async (request: Request) => {
    const body = await request.clone().text();
    process.isDying = crashes && (dying === undefined || dying === body);
    const answer = await orders.webhook(request);
    const { isDead } = process;
    Object.assign(process, { isDead: false, isDying: false });
    if (!isDead) return answer;
    crashes = false;
    dying = undefined;
    throw crashed('before its answer');
  };
  // One after the other, so that a crash ends the process of one notification alone.
  let received: Promise<unknown> = Promise.resolve();
  const { service, state } = mockedService<never>({
    ...own,
    clock,
    deliverTo(request) {
      const answer = received.then(() => receive(request));
      received = answer.catch(() => undefined);
      return answer;
    },
  });
  const moves = { pay: service.pay, authorize: service.authorize, refund: service.refund };
  for (const name of OWN_MOVES) {
    Object.assign(service, {
      [name]: () => {
        throw new ConfigurationError(
          `Expected \`await ${name}(order)\`, with \`${name}\` of what \`testOrders\` gives.`,
        );
      },
    });
  }
  const client = new PaymentsClient({ baseUrl: service.url, ...service.credentials, fetch: service.fetch });
  const store = ownStore ?? (new MemoryStore({ clock: clock.now }) as Store<unknown> as Store<Transaction>);
  const steps = dyingSteps(stepsOf<unknown>(store), process);
  let isPassedOn = false;
  const orders = make({
    get client() {
      isPassedOn = true;
      return client;
    },
    credentials: service.credentials,
    store: withSteps(store, steps),
  });
  if (typeof Object(orders).open !== 'function') throw new ConfigurationError(notOrders(orders));
  if (!isPassedOn) {
    throw new ConfigurationError('Expected `make` to pass on its parts: `createOrders({ ...parts, on })`.');
  }

  const uuidOf = (order: OpenedJourney): string => {
    const { uuid }: OpenedJourney = Object(order);
    if (uuid === undefined) throw new ConfigurationError(NOT_OPENED);
    if (!state.transactions.has(uuid)) throw new ConfigurationError(OPENED_ELSEWHERE);
    return uuid;
  };
  const delivered = async (move: () => void) => {
    const before = service.deliveries.length;
    move();
    const made = () => service.deliveries.slice(before).filter(({ status }) => status !== 'not-sent');
    const told = () => made().find(({ kind }) => kind === 'payment') ?? made().at(-1);
    if (crashes) dying ??= JSON.stringify(told()?.payload);
    await clock.advance(0);
    return told();
  };
  return {
    orders,
    service,
    client,
    clock,
    pay: (order) => delivered(() => moves.pay(uuidOf(order))),
    authorize: (order) => delivered(() => moves.authorize(uuidOf(order))),
    refund: (order, refund) => delivered(() => moves.refund(uuidOf(order), refund)),
    async charge(order, options = {}) {
      let uuid = '';
      const delivery = await delivered(() => {
        const own = readNamedOptions('charge', options, TEST_CHARGE_OPTIONS, 'order, ');
        uuid = charge(state, uuidOf(order), own, true).sale ?? '';
      });
      return { uuid, delivery };
    },
    cancelByPayer: (order) => delivered(() => void endRecurrence(state, uuidOf(order), 'CANCELLED')),
    crash() {
      crashes = true;
    },
  };
}

function notOrders(made: unknown): string {
  const got =
    made instanceof Promise
      ? 'a promise: `make` must not be `async`'
      : `${nameOfType(made)}: is a \`return\` missing?`;
  return `Expected \`make\` to return what \`createOrders\` gives, got ${got}`;
}

/** The process that receives a notification. */
interface Process {
  /** It ends with its next callback that succeeds. */
  isDying: boolean;
  isDead: boolean;
}

/** Steps of a process that dies before a completion or a commit, and writes nothing from then on. */
function dyingSteps(steps: StoreSteps<unknown>, process: Process): StoreSteps<unknown> {
  const { transact } = steps;
  const dies = () => {
    process.isDead ||= process.isDying;
    return process.isDead;
  };
  const unlessDead =
    <Args extends unknown[], Result>(step: (...args: Args) => Promise<Result>, result: Result) =>
    async (...args: Args) =>
      process.isDead ? result : step(...args);
  return {
    ...steps,
    // Resolves: a failure would be tried again and reported, and a dead process does neither.
    complete: async (...args) => dies() || steps.complete(...args),
    release: unlessDead(steps.release, undefined),
    keepLetter: unlessDead(steps.keepLetter, undefined),
    failLetter: unlessDead(steps.failLetter, undefined),
    noteLetter: unlessDead(steps.noteLetter, false),
    forgetLetter: unlessDead(steps.forgetLetter, undefined),
    recordDelivery: unlessDead(steps.recordDelivery, undefined),
    writeRecord: unlessDead(steps.writeRecord, true),
    async changeRecord(prefix, id, next, read) {
      if (process.isDead) return undefined;
      const change = async (before: Parameters<typeof next>[0]) => {
        const after = await next(before);
        // What is booked is recorded before the completion.
        if (prefix === 'order:' && paymentsIn(after?.value) > paymentsIn(before.value)) dies();
        return process.isDead ? undefined : after;
      };
      return steps.changeRecord(prefix, id, change, read);
    },
    transact:
      transact &&
      ((request, work) =>
        transact(request, async (...given) => {
          const value = await work(...given);
          if (dies()) throw crashed('before the commit');
          return value;
        })),
  };
}

function paymentsIn(order: object | undefined): number {
  const { payments = [] } = (order ?? {}) as { readonly payments?: readonly unknown[] };
  return payments.length;
}

const NOT_OPENED =
  'Expected what `orders.open` resolves with, with its `uuid`: `pay(await orders.open(key, request))`.';

const OPENED_ELSEWHERE =
  'The mocked service has no such order. Does `make` pass its parts on: `createOrders({ ...parts, on: … })`?';
