import type { IdempotencyStore, PlainRequest, WebhookHandler } from '../../../src/webhooks';
import type { Library } from '../library';
import { type Invariant, Ledger, type Violation } from './ledger';
import { requestFor, STATUSES } from './notification';
import { type Seat, STARTED } from './seat';
import type { Delivery, Process, Request, Run, Timer } from './types';

/** The store that a world's processes share. */
export interface SharedStore {
  /** The store for the handlers. Its steps go through `world.send`, so that the explorer decides when they happen. */
  readonly store: IdempotencyStore<unknown>;
  /** Makes a callback’s write in its transaction. Absent in the plain mode, where the ledger notes the effect. */
  readonly write?: (transaction: unknown, run: Run) => Promise<unknown>;
  /** How often the effect of a state is there, where the ledger does not know. */
  readonly effectsOf?: (state: string) => number | Promise<number>;
  readonly isRecorded?: (state: string) => boolean;
  /** Called when the server will notice that a process, or a delivery’s connection, is gone. */
  readonly connectionLost?: (delivery: Delivery) => void;
  /** Whether the subject has an owner, and which states are done. The world cannot be used afterwards. */
  readonly look?: () => Promise<{ readonly held: boolean; readonly done: readonly string[] }>;
  /** Everything else that decides how the store continues. */
  readonly fingerprint?: () => unknown;
  /** Lets the server’s own time pass, up to the end of a lease or of a transaction’s time limit. */
  readonly outlast?: (leaseEnd: number) => Promise<void>;
  /** The server’s own clock, where it is not the world’s. */
  readonly clock?: () => number;
}

export interface Plan {
  readonly library: Library;
  readonly openStore: (world: World) => SharedStore;
  /** The state of each delivery, and the number of its process. */
  readonly deliveries: readonly { readonly state: string; readonly process: number }[];
}

/** One run of some deliveries against the real code, from the beginning to wherever the choices lead. */
export class World {
  now = STARTED;
  faults = 0;
  /** Whether the last deliveries have begun, in which nothing goes wrong. */
  isEnding = false;
  readonly timers = new Set<Timer>();
  readonly requests: Request[] = [];
  readonly processes: Process[] = [];
  readonly deliveries: Delivery[] = [];
  readonly trace: string[] = [];
  readonly violations: Violation[] = [];
  readonly ledger = new Ledger((invariant, message) => this.violated(invariant, message));
  readonly shared: SharedStore;
  readonly #seat: Seat;
  readonly #library: Library;
  readonly #handlers = new Map<Process, WebhookHandler>();
  #notes: string[] = [];

  constructor(plan: Plan, seat: Seat) {
    this.#seat = seat;
    this.#library = plan.library;
    for (const { state, process } of plan.deliveries) this.addDelivery(state, process);
    this.shared = plan.openStore(this);
  }

  addDelivery(state: string, processNumber: number): Delivery {
    const name = `P${processNumber}`;
    const known = this.processes.find((process) => process.name === name);
    const process: Process = known ?? { name, alive: true, stoppedAt: undefined, wallClockOffset: 0 };
    if (known === undefined) this.processes.push(process);
    const delivery: Delivery = {
      name: `D${this.deliveries.length + 1}`,
      state,
      process,
      arrivedAt: undefined,
      status: undefined,
      trouble: undefined,
      report: undefined,
      seen: [],
    };
    this.deliveries.push(delivery);
    return delivery;
  }

  /** The delivery whose code is running. */
  get delivery(): Delivery {
    return this.#seat.delivery;
  }

  get storeNow(): number {
    return this.shared.clock?.() ?? this.now;
  }

  /** Whether the ledger knows the store's clock exactly. */
  get exact(): boolean {
    return this.shared.clock === undefined;
  }

  violated(invariant: Invariant, message: string): void {
    this.violations.push({ invariant, message });
    this.note(`VIOLATION of "${invariant}": ${message}`);
  }

  /** Adds a result of the current choice to the trace. */
  note(text: string): void {
    this.#notes.push(text);
  }

  /** Takes a choice, and adds it to the trace with its results. */
  async step(text: string, action: () => Promise<void>): Promise<void> {
    this.#notes = [];
    await action();
    const second = ((this.now - STARTED) / 1000).toFixed(1).padStart(6);
    this.trace.push(
      [`${second} s  ${text}`, ...this.#notes.map((note) => `            → ${note}`)].join('\n'),
    );
  }

  turn(delivery: Delivery, action: () => unknown, patienceMs = 0): Promise<void> {
    return this.#seat.turn(this, delivery, action, patienceMs);
  }

  /** Runs code of the library that belongs to no delivery and is synchronous. */
  begin<Value>(action: () => Value): Value {
    return this.#seat.outsideOfTurns(this, this.deliveries[0] as Delivery, action);
  }

  async deliver(delivery: Delivery): Promise<void> {
    delivery.arrivedAt = this.now;
    delivery.seen.push('arrived');
    const handler = this.#handlerOf(delivery.process);
    await this.turn(delivery, () => {
      handler.handle(requestFor(delivery.state) as PlainRequest).then(
        ({ status }) => this.#answered(delivery, status),
        (error) => this.violated('answers', `the handler rejected with ${error}`),
      );
    });
  }

  #answered(delivery: Delivery, status: number): void {
    if (delivery.status !== undefined) this.violated('answers', `${delivery.name} was answered twice`);
    if (!STATUSES.has(status)) this.violated('answers', `${delivery.name} was answered ${status}`);
    delivery.status = status;
    delivery.seen.push(`answered ${status}`);
    this.note(
      `${delivery.name} is answered ${status}${delivery.report === undefined ? '' : ` (${delivery.report})`}`,
    );
    this.#checkAnswer(delivery, status);
  }

  #checkAnswer(delivery: Delivery, status: number): void {
    const { ledger, shared } = this;
    if (status === 200 && this.exact) {
      const { name, state } = delivery;
      const effects = shared.effectsOf?.(state) ?? ledger.effectsOf(state);
      const recorded = shared.isRecorded?.(state) ?? ledger.done.includes(state);
      if (effects === 0) this.violated('recorded before 200', `${name}: ${state} has no effect`);
      else if (!recorded) this.violated('recorded before 200', `${name}: ${state} is not recorded`);
      return;
    }
    if (status === 200 || shared.write !== undefined) return;
    const run = ledger.runs.find((other) => other.delivery === delivery && other.ended);
    const succeeded = run !== undefined && !run.overdue && ledger.effects.includes(run.grant);
    if (!succeeded || run.grant.excuse === 'stopped' || delivery.seen.includes('completion: false')) return;
    const gaveUpEarly =
      run.grant.until - this.storeNow > LAST_PAUSE_MS + (run.grant.by - (delivery.arrivedAt ?? 0));
    if (this.exact && gaveUpEarly) {
      const left = (run.grant.until - this.storeNow) / 1000;
      this.violated(
        'completion retried',
        `${delivery.name}'s success was given up ${left} s before its lease ended`,
      );
    }
  }

  /** Sends a step to the store, which happens when the explorer decides. */
  send<Value>(
    step: string,
    run: () => Promise<Value>,
    carriedOut: (value: Value, sentAt: number) => void = () => {},
  ): Promise<Value> {
    const { delivery } = this.#seat;
    const before = this.requests.filter((other) => other.delivery === delivery && other.step === step).length;
    const name = `${delivery.name}'s ${before === 0 ? '' : `${before + 1}. `}${step}`;
    return new Promise<Value>((resolve, reject) => {
      this.requests.push({
        name,
        step,
        delivery,
        run,
        carriedOut: carriedOut as Request['carriedOut'],
        resolve: resolve as Request['resolve'],
        reject,
        state: 'sent',
        late: false,
        unattended: false,
        outcome: undefined,
      });
    });
  }

  /** Adds a step of the server itself, for which no code waits. */
  sendUnattended(step: string, delivery: Delivery, run: () => Promise<void>): void {
    this.requests.push({
      name: `${delivery.name}'s ${step}`,
      step,
      delivery,
      run,
      carriedOut: () => {},
      resolve: () => {},
      reject: () => {},
      state: 'sent',
      late: true,
      unattended: true,
      outcome: undefined,
    });
  }

  #handlerOf(process: Process): WebhookHandler {
    const known = this.#handlers.get(process);
    if (known !== undefined) return known;
    const callback = (_: unknown, context: CallbackContext) => this.#startCallback(context);
    const options = {
      credentials: { apiKey: 'key', apiToken: 'token' },
      store: this.shared.store,
      on: { reversal: callback },
      onReport: ({ code }: { code: string }) => {
        this.#seat.delivery.report = code;
      },
    };
    const handler = this.#library.createWebhookHandler(options as never);
    this.#handlers.set(process, handler);
    return handler;
  }

  #startCallback(context: CallbackContext): Promise<void> {
    const { delivery } = this.#seat;
    const grant = this.ledger.grants.find(
      (other) => other.delivery === delivery && other.fence === context.fence,
    );
    if (grant === undefined) {
      this.violated('store contract', `${delivery.name}'s callback started without a claim`);
      return Promise.reject(new Error('not claimed'));
    }
    this.note(`${delivery.name}'s callback starts`);
    const { write } = this.shared;
    return new Promise<void>((resolve, reject) => {
      const run: Run = {
        delivery,
        grant,
        finishing: false,
        ended: false,
        overdue: false,
        finish: () => {
          if (write === undefined) {
            run.ended = true;
            this.ledger.acted(grant, this.exact);
            resolve();
            return;
          }
          const end = (settle: () => void) => {
            run.ended = true;
            settle();
          };
          write(context.transaction, run).then(
            () => end(resolve),
            (error) => end(() => reject(error)),
          );
        },
        fail: (error) => {
          run.ended = true;
          reject(error);
        },
      };
      this.ledger.started(run, this.storeNow, context.handledStates);
    });
  }
}

interface CallbackContext {
  readonly fence: number;
  readonly handledStates: readonly string[];
  readonly transaction: unknown;
}

/** The handler’s longest pause between two tries of a completion. */
const LAST_PAUSE_MS = 2_000;
