import type { SandboxNotification } from '../model/records';
import { SandboxError } from '../model/records';
import { text } from '../text';
import type { Delivery, DeliveryAttempt, Send } from './delivery';
import { listenerUrl } from './listener-url';

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
  /** Whether the first attempt is a timer too, due now: a test's clock makes it when it advances. */
  readonly waitsForTimers: boolean;
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
  readonly query: string;
  url: string;
  /** For display, with the credentials blanked. */
  readonly payload: object;
  /** Serialised once, so that each attempt sends the same bytes. */
  readonly body: string;
  readonly attempts: DeliveryAttempt[];
  status: Delivery['status'];
  /** The beginning of each answer of the listener, by the attempt's number. */
  readonly answers: Record<number, string>;
  readonly createdAt: number;
  readonly journey: string | undefined;
  /** The attempt that is on its way. */
  running?: Promise<DeliveryAttempt> | undefined;
}

/** What a list is narrowed by. */
export type DeliveryFacts = Pick<Entry, 'id' | 'kind' | 'status' | 'journey' | 'body'>;

/** A delivery as the page lists it: its body comes only when somebody asks for it. */
export interface ListedDelivery extends Omit<Delivery, 'payload'> {
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** UUID of the journey that it is about, if it is about one. */
  readonly journey: string | undefined;
  /** The beginning of each answer of the listener, by the attempt's number. */
  readonly answers: Readonly<Record<number, string>>;
  /** Of an event of a recurrence: its type. Of a kind of the merchant's own: the month and the status that its body names. */
  readonly about: readonly string[];
  /** UUID of the sale that it names, if it names one. */
  readonly sale: string | undefined;
  /** When the next attempt is due, in milliseconds since 1970. */
  readonly nextAttemptAt: number | undefined;
}

/** Delivers notifications as in section 6.1, and remembers every attempt. */
export class DeliveryLog {
  readonly #options: DeliveryLogOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #failing = new Set<Entry>();
  #revision = 0;
  /** Each has a signal of its own: many event listeners on one shared signal would make Node warn of a leak. */
  readonly #running = new Map<Promise<DeliveryAttempt>, AbortController>();
  /** The timers of the next attempts, and when they fire, in milliseconds since 1970. */
  readonly #scheduled = new Map<Entry, { readonly timer: unknown; readonly dueAt: number }>();
  #isClosed = false;
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

  /** Those that have failed so far, or for good. */
  get failing(): ReadonlySet<Pick<Entry, 'journey' | 'status'>> {
    return this.#failing;
  }

  /** Deliveries for the page, the oldest first: those that fit. */
  listed(fits: (entry: DeliveryFacts) => boolean): ListedDelivery[] {
    return [...this.#entries.values()].filter(fits).map((entry) => {
      const { createdAt, journey } = entry;
      const answers = Object.entries(entry.answers).map(([number, text]) => [number, text.slice(0, 200)]);
      const { payload: _, ...delivery } = this.#describe(entry);
      const nextAttemptAt = this.#scheduled.get(entry)?.dueAt;
      const about = aboutOf(entry);
      const { saleToken } = entry.payload as { readonly saleToken?: string };
      return {
        ...delivery,
        createdAt,
        journey,
        about,
        sale: saleToken,
        nextAttemptAt,
        answers: Object.fromEntries(answers),
      };
    });
  }

  /** The body of a delivery, with the credentials blanked. */
  payload(id: string): object | undefined {
    return this.#entries.get(id)?.payload;
  }

  /**
   * Sends a notification, and retries after each failure, up to the limit.
   *
   * @param listener - without it, the notification is kept as not sent
   */
  deliver(
    { kind, query, payload, transactionUUID }: SandboxNotification,
    listener: string | undefined,
  ): void {
    if (this.#isClosed) return;
    const id = `delivery-${this.#entries.size + 1}`;
    const body = JSON.stringify(payload);
    const entry: Entry = {
      id,
      kind,
      query,
      url: listener === undefined ? '' : listenerUrl(listener, { query }),
      // Parsed back, so that the log shows what was sent even if the caller changes the object later.
      payload: this.#options.redactPayload(JSON.parse(body)),
      body,
      attempts: [],
      status: listener === undefined ? 'not-sent' : 'pending',
      answers: {},
      createdAt: this.#options.timers.now(),
      journey: transactionUUID,
    };
    this.#entries.set(id, entry);
    this.#revision++;
    if (listener === undefined) return;
    if (this.#options.waitsForTimers) this.#runLater(entry, 0);
    else void this.#run(entry, false);
  }

  /**
   * Sends a notification once more, without retries, as soon as no attempt of it is running: the listener would be busy
   * with that one. It must not act on it twice. One that was not sent yet is sent like any other, with its retries.
   *
   * @param listener - where it goes; without it, where it went before
   */
  async redeliver(id: string, listener: string | undefined): Promise<DeliveryAttempt> {
    const entry = this.#entries.get(id);
    if (entry === undefined) throw new SandboxError('unknown', ...text('refused.unknownDelivery'));
    while (entry.running !== undefined) await entry.running;
    if (this.#isClosed) throw new SandboxError('not-allowed', ...text('refused.closed'));
    if (listener !== undefined) entry.url = listenerUrl(listener, entry);
    if (entry.url === '') throw new SandboxError('not-allowed', ...text('refused.noListener'));
    const isFirst = entry.status === 'not-sent';
    if (isFirst) entry.status = 'pending';
    return this.#run(entry, !isFirst);
  }

  /** Resolves when no attempt is running and none is waiting. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#wakeIfIdle();
    });
  }

  /** Resolves when no attempt is running. Others may still be waiting for their timers. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.keys());
  }

  /** Aborts the running attempts, and sends nothing more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const attempt of this.#running.values()) attempt.abort();
    for (const entry of this.#scheduled.keys()) this.#cancelNext(entry);
    await this.idle();
  }

  #run(entry: Entry, manual: boolean): Promise<DeliveryAttempt> {
    const abort = new AbortController();
    const running = this.#attempt(entry, manual, abort.signal).finally(() => {
      this.#running.delete(running);
      if (entry.running === running) entry.running = undefined;
      this.#wakeIfIdle();
    });
    this.#running.set(running, abort);
    entry.running = running;
    return running;
  }

  async #attempt(entry: Entry, manual: boolean, signal: AbortSignal): Promise<DeliveryAttempt> {
    const { send, timers, onAttempt } = this.#options;
    const { url, body, attempts, answers } = entry;
    const startedAt = new Date(timers.now()).toISOString();
    const { text, ...ending } = await send({ url, body, signal });
    const attempt: DeliveryAttempt = { number: attempts.length + 1, manual, startedAt, ...ending };
    attempts.push(attempt);
    // `send` has blanked the credentials in it already.
    if (text) answers[attempt.number] = text.slice(0, MAX_ANSWER_TEXT);
    const scheduled = attempts.filter((one) => !one.manual).length;
    if (ending.httpStatus === 200) entry.status = 'delivered';
    else if (!manual && entry.status === 'pending' && scheduled > MAX_RETRIES) entry.status = 'given-up';
    if (entry.status === 'delivered') this.#failing.delete(entry);
    else this.#failing.add(entry);
    this.#revision++;
    onAttempt(this.#describe(entry), attempt);
    // After a success by hand, a waiting attempt is not needed any more.
    if (entry.status === 'delivered') this.#cancelNext(entry);
    else if (!manual && entry.status === 'pending' && !this.#isClosed) {
      this.#runLater(entry, this.#options.retryIntervalMs);
    }
    return attempt;
  }

  #runLater(entry: Entry, ms: number): void {
    const { timers } = this.#options;
    const run = () => {
      this.#scheduled.delete(entry);
      void this.#run(entry, false);
    };
    this.#scheduled.set(entry, { timer: timers.set(run, ms), dueAt: timers.now() + ms });
  }

  #cancelNext(entry: Entry): void {
    const next = this.#scheduled.get(entry);
    if (next === undefined) return;
    this.#options.timers.clear(next.timer);
    this.#scheduled.delete(entry);
    this.#revision++;
    this.#wakeIfIdle();
  }

  #wakeIfIdle(): void {
    if (this.#running.size + this.#scheduled.size > 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #describe({ id, kind, url, payload, status, attempts }: Entry): Delivery {
    return { id, kind, url: this.#options.redact(url), payload, status, attempts: [...attempts] };
  }
}

/** The type of an event; the month `yyyy-MM` and the status in a body whose fields nobody documents. */
function aboutOf({ kind, payload }: Pick<Entry, 'kind' | 'payload'>): string[] {
  const { eventType } = payload as { readonly eventType?: string };
  if (kind === 'recurrence') return [String(eventType).replace('RECURRENCE_', '')];
  if (kind !== 'custom') return [];
  const fields = Object.entries(payload).filter(
    (field): field is [string, string] => typeof field[1] === 'string',
  );
  const month = fields.map(([, text]) => /^\d{4}-(?:0[1-9]|1[0-2])(?=$|-)/.exec(text)?.[0]).find(Boolean);
  const status = fields.find(([name]) => /status$/i.test(name))?.[1];
  return [month, status].filter((text) => text !== undefined);
}

/** The clock and the timers of this machine. */
export const realTimers: Timers = {
  now: () => Date.now(),
  set: (callback, ms) => setTimeout(callback, ms),
  clear: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};
