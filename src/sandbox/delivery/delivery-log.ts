import type { SandboxNotification } from '../model/records';
import { SandboxError } from '../model/records';
import type { Delivery, DeliveryAttempt, Send } from './delivery';

/** The service's limit (document section 6.1). */
const MAX_RETRIES = 5;

/** How much of a listener's answer the page shows, in characters. */
const MAX_ANSWER_TEXT = 1_000;

/** The clock and the timers of the deliveries. A test may pass its own. */
export interface Timers {
  now(): number;
  /** Calls `callback` after `ms` milliseconds. */
  set(callback: () => void, ms: number): unknown;
  /** Cancels a timer that has not fired yet. */
  clear(timer: unknown): void;
}

export interface DeliveryLogOptions {
  readonly send: Send;
  readonly retryIntervalMs: number;
  readonly timers: Timers;
  /** Blanks the credentials in a URL before it is shown. */
  readonly redact: (text: string) => string;
  /** Blanks the credentials in a payload before it is shown. */
  readonly redactPayload: (payload: object) => object;
  /** Called after each attempt. */
  readonly onAttempt: (delivery: Delivery, attempt: DeliveryAttempt) => void;
}

interface Entry {
  readonly id: string;
  readonly kind: SandboxNotification['kind'];
  readonly url: string;
  /** For display, with the credentials blanked. */
  readonly payload: object;
  /** Serialised once, so that each attempt sends the same bytes. */
  readonly body: string;
  readonly attempts: DeliveryAttempt[];
  status: Delivery['status'];
  /** How many attempts were made on schedule; manual ones are not counted. */
  scheduled: number;
  timer: unknown;
  /** When the timer fires, in milliseconds since 1970. */
  nextAttemptAt: number | undefined;
  /** The beginning of each answer of the listener, by the attempt's number. */
  readonly answers: Record<number, string>;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** The journey that it is about, if it is about one. */
  readonly journey: string | undefined;
}

/** A delivery as the page lists it: its body comes only when somebody asks for it. */
export interface ListedDelivery extends Omit<Delivery, 'payload'> {
  readonly createdAt: number;
  /** UUID of the journey that it is about, if it is about one. */
  readonly journey: string | undefined;
  /** The beginning of each answer of the listener, by the attempt's number. */
  readonly answers: Readonly<Record<number, string>>;
  /** When the next attempt is due, in milliseconds since 1970. */
  readonly nextAttemptAt: number | undefined;
}

/** Delivers notifications as in section 6.1, and remembers every attempt. */
export class DeliveryLog {
  readonly #options: DeliveryLogOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #byJourney = new Map<string, readonly Entry[]>();
  #revision = 0;
  /** One for each attempt: many event listeners on one shared signal would make Node warn of a leak. */
  readonly #underWay = new Set<AbortController>();
  readonly #running = new Set<Promise<unknown>>();
  #isClosed = false;
  #busy = 0;
  #waiting: (() => void)[] = [];

  constructor(options: DeliveryLogOptions) {
    this.#options = options;
  }

  get deliveries(): Delivery[] {
    return [...this.#entries.values()].map((entry) => this.#describe(entry));
  }

  /** Grows with everything that happens. */
  get revision(): number {
    return this.#revision;
  }

  get count(): number {
    return this.#entries.size;
  }

  /** Deliveries for the page, the newest first: those about a journey, or some of all. */
  listed(filter: { journey: string } | { skip: number; count: number }): ListedDelivery[] {
    const entries =
      'journey' in filter
        ? (this.#byJourney.get(filter.journey) ?? [])
        : [...this.#entries.values()].reverse().slice(filter.skip, filter.skip + filter.count);
    return entries.map((entry) => {
      const { createdAt, journey, nextAttemptAt } = entry;
      const answers = Object.entries(entry.answers).map(([number, text]) => [number, text.slice(0, 200)]);
      const { payload: _, ...delivery } = this.#describe(entry);
      return { ...delivery, createdAt, journey, nextAttemptAt, answers: Object.fromEntries(answers) };
    });
  }

  /** The body of a delivery, with the credentials blanked. */
  payload(id: string): object | undefined {
    return this.#entries.get(id)?.payload;
  }

  /** Sends a notification, and retries after each failure, up to the limit. */
  deliver({ kind, payload, transactionUUID }: SandboxNotification, url: string): void {
    if (this.#isClosed) return;
    const id = `delivery-${this.#entries.size + 1}`;
    const body = JSON.stringify(payload);
    // Parsed back, so that the log shows what was sent even if the caller changes the object later.
    const sent: object = this.#options.redactPayload(JSON.parse(body));
    const entry: Entry = {
      id,
      kind,
      url,
      payload: sent,
      body,
      attempts: [],
      status: 'pending',
      scheduled: 0,
      timer: undefined,
      nextAttemptAt: undefined,
      answers: {},
      createdAt: this.#options.timers.now(),
      journey: transactionUUID,
    };
    this.#entries.set(id, entry);
    if (transactionUUID !== undefined) {
      const others = this.#byJourney.get(transactionUUID) ?? [];
      this.#byJourney.set(transactionUUID, [...others, entry]);
    }
    this.#revision++;
    this.#busy++;
    this.#attemptOnSchedule(entry);
  }

  /** Sends a notification once more, now, without retries. The listener must not act on it twice. */
  async redeliver(id: string): Promise<DeliveryAttempt> {
    const entry = this.#entries.get(id);
    if (entry === undefined)
      throw new SandboxError(
        'unknown',
        'No delivery has this id. See `deliveries`.',
        'Nenhuma entrega tem este id.',
      );
    if (this.#isClosed) throw new SandboxError('not-allowed', 'The sandbox is closed.');
    this.#busy++;
    return this.#run(async () => {
      const attempt = await this.#attempt(entry, true);
      // A waiting retry is not needed any more.
      if (entry.status === 'delivered' && entry.timer !== undefined) this.#settle(entry);
      this.#done();
      return attempt;
    });
  }

  /** Resolves when no attempt is running and no retry is waiting. */
  idle(): Promise<void> {
    if (this.#busy === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Resolves when no attempt is running. Retries may still be waiting for their timers. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Aborts the running attempts, and sends nothing more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const attempt of this.#underWay) attempt.abort();
    for (const entry of this.#entries.values()) {
      if (entry.timer !== undefined) this.#settle(entry);
    }
    await this.idle();
  }

  #attemptOnSchedule(entry: Entry): void {
    entry.timer = undefined;
    entry.nextAttemptAt = undefined;
    entry.scheduled++;
    void this.#run(async () => {
      await this.#attempt(entry, false);
      const isOver = entry.status !== 'pending' || this.#isClosed;
      if (isOver) return this.#done();
      const { timers, retryIntervalMs } = this.#options;
      entry.nextAttemptAt = timers.now() + retryIntervalMs;
      this.#revision++;
      entry.timer = timers.set(() => this.#attemptOnSchedule(entry), retryIntervalMs);
    });
  }

  async #run<Result>(work: () => Promise<Result>): Promise<Result> {
    const running = work();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  async #attempt(entry: Entry, manual: boolean): Promise<DeliveryAttempt> {
    const { send, timers, onAttempt } = this.#options;
    const startedAt = new Date(timers.now()).toISOString();
    const underWay = new AbortController();
    this.#underWay.add(underWay);
    const result = await send({ url: entry.url, body: entry.body, signal: underWay.signal });
    this.#underWay.delete(underWay);
    const { text, ...ending } = result;
    const attempt: DeliveryAttempt = { number: entry.attempts.length + 1, manual, startedAt, ...ending };
    entry.attempts.push(attempt);
    // `send` has blanked the credentials in it already.
    if (text) entry.answers[attempt.number] = text.slice(0, MAX_ANSWER_TEXT);
    if (result.httpStatus === 200) entry.status = 'delivered';
    else if (!manual && entry.status === 'pending' && entry.scheduled > MAX_RETRIES)
      entry.status = 'given-up';
    this.#revision++;
    onAttempt(this.#describe(entry), attempt);
    return attempt;
  }

  #settle(entry: Entry): void {
    this.#options.timers.clear(entry.timer);
    entry.timer = undefined;
    entry.nextAttemptAt = undefined;
    this.#revision++;
    this.#done();
  }

  #done(): void {
    this.#busy--;
    if (this.#busy > 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  #describe({ id, kind, url, payload, status, attempts }: Entry): Delivery {
    return { id, kind, url: this.#options.redact(url), payload, status, attempts: [...attempts] };
  }
}

/** The clock and the timers of this machine. */
export const realTimers: Timers = {
  now: () => Date.now(),
  set: (callback, ms) => setTimeout(callback, ms),
  clear: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};
