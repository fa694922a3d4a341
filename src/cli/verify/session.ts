import { Buffer } from 'node:buffer';
import { redactor } from '../../sandbox/credentials';
import { listenerUrl } from '../../sandbox/delivery/listener-url';
import {
  type NotificationAnswer,
  type NotificationRequest,
  postNotification,
} from '../../sandbox/delivery/post-notification';
import type { SandboxNotification } from '../../sandbox/model/records';
import type { Credentials } from '../../service/credentials';
import { sleep } from '../../shared/time';
import { basicAuthorization } from '../../webhooks/authorization';
import { type CliFailure, failure } from '../failure';
import { say } from '../language';
import { describeAnswer, excerpt } from '../output';
import { type Sale, Samples } from '../samples';
import type { SandboxClient } from '../sandbox-client';
import type { TextKey } from '../texts';
import type { ActionCount, Effects } from './effects';
import { madeUpSales, type OrderWish, type SaleSource, sandboxSales, type UnpaidSale } from './sales';

/** A notification, with its name in the report. */
export type Named = readonly [name: string, notification: SandboxNotification];

/** What a response means to every check. `silent` is a timeout; `gone` means that no connection was made. */
export type Reception = 'accepted' | 'refused' | 'broken' | 'silent' | 'gone';

/** A notification that was sent, and its response. */
export interface Exchange extends NotificationAnswer {
  readonly what: string;
  /** The query of its URL, beside that of the listener. */
  readonly query: string;
  readonly reception: Reception;
  /** What the listener wrote, without credentials. */
  readonly shownText: string;
  readonly headers: readonly string[];
}

/** A secret may come at the end of a long page about an error. */
const MAX_TEXT_BYTES = 64 * 1024;

function receptionOf({ httpStatus, error }: NotificationAnswer): Reception {
  // Any 2xx is accepted here; the check `status-200` wants 200.
  if (httpStatus !== undefined) return httpStatus >= 200 && httpStatus < 300 ? 'accepted' : 'refused';
  if (error === 'timeout') return 'silent';
  return error !== undefined && BROKEN.test(error) ? 'broken' : 'gone';
}

/** Errors of a connection that was made but brought no HTTP response, as when the process ends. */
const BROKEN = /^(ECONNRESET|EPIPE|HPE_.*|connection failed)$/;

/** What was sent and what came back, for a report. */
export function describeExchange(exchange: Exchange): string {
  const text = exchange.reception === 'refused' ? excerpt(exchange.shownText, MAX_TEXT) : '';
  return `${exchange.what}: ${describeAnswer(exchange)}${text === '' ? '' : ` ${JSON.stringify(text)}`}`;
}

/** Status and text, without what is different in each response: UUIDs, ids, times. */
export function fingerprint({ httpStatus, text }: Exchange): string {
  return `${httpStatus} ${text.replaceAll(UUID, '').replaceAll(/\d+/g, '')}`;
}

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
const MAX_TEXT = 80;

/** What the checklist is run with. */
export interface SessionOptions {
  /** The listener's URL. */
  readonly url: string;
  /** The pair that the listener expects. */
  readonly credentials: Credentials;
  /** How long a response may take before the check of promptness fails, in milliseconds. */
  readonly limitMs: number;
  /** Without it, no check can tell whether the listener acted. */
  readonly effects: Effects | undefined;
  /** Where real sales are made; without it they are made up. */
  readonly sandbox: SandboxClient | undefined;
  /** Creates the orders of real sales; without it, the merchant has no orders for them. */
  readonly shop?: URL | undefined;
  /** Called after each request. */
  readonly onSent?: (() => void) | undefined;
}

/** The result of a step, and what the listener did meanwhile. */
export interface Watched<Result> {
  readonly result: Result;
  /** `undefined` without `--effects`. */
  readonly actions: ActionCount | undefined;
}

/** What the listener did about one notification. */
export interface Acted extends ActionCount {
  readonly kind: SandboxNotification['kind'];
}

/** A notification that was answered with 500 or more, and accepted when it was sent again. */
export interface Recovery {
  readonly what: string;
  readonly kind: SandboxNotification['kind'];
  readonly actions: number | undefined;
}

/** How many times `limitMs` to wait for a response, so that a late response is told from a missing one. */
const PATIENCE = 3;
/** The service waits a minute before a retry; verify waits a moment. */
const RETRY_MS = 20;
/** A few are enough, and each may take the whole wait for `--effects`. */
const MAX_RECOVERIES = 5;
/** How many responses in a row may be missing before a check stops: each takes `PATIENCE` times the limit. */
const MAX_TIMEOUTS = 3;

/** How a notification is sent, other than as the service sends it. */
interface Sending extends Pick<NotificationRequest, 'method' | 'splitAt' | 'headerName'> {
  /** White space makes the body this long. */
  readonly bytes?: number;
}

/** A notification with its name, and how it is sent. */
export type Delivery = readonly [...Named, sending?: Sending];

/** One run of the checklist: sends the notifications, and keeps what later checks need. */
export class Session {
  readonly samples = new Samples();
  readonly options: SessionOptions;
  /** Every notification sent with the right credentials. */
  readonly exchanges: Exchange[] = [];
  /** Every notification sent with wrong credentials or none. */
  readonly forgeries: Exchange[] = [];
  /** Kinds that were accepted as the document shows them, by their name in the report. */
  readonly acceptedKinds = new Set<TextKey>();
  /** What the listener does about one notification of each kind, by the same name. */
  readonly actionsOf = new Map<TextKey, Acted>();
  readonly recoveries: Recovery[] = [];
  /** Whether the listener refuses refunds and reversals of sales whose payment it has not seen, as it may. */
  needsPaymentFirst = false;
  /** The first payment that was acted on. Sent again late, it shows how long the listener remembers. */
  firstPayment: SandboxNotification | undefined;
  /** Whether it takes the retry of what it failed on for a duplicate, as `retry` reports. */
  recordsFailures = false;
  /** How long the quickest accepted notification took, in milliseconds. */
  quickestMs = Number.POSITIVE_INFINITY;
  /** Why nothing more is sent: the listener has a rate limit. */
  #rateLimit: CliFailure | undefined;
  /** How many requests were sent. */
  sent = 0;
  #sentMs = 0;
  #timeouts = 0;
  #stops = 0;
  readonly #redact: (text: string) => string;
  readonly #sales: SaleSource;
  readonly #authorization: string;

  constructor(options: SessionOptions) {
    this.options = options;
    const { credentials } = options;
    this.#redact = redactor(credentials);
    this.#authorization = basicAuthorization(credentials);
    const { samples } = this;
    const { sandbox, shop } = options;
    // Made up, the sales exist nowhere. A listener that confirms payments is right to refuse them.
    this.#sales = sandbox === undefined ? madeUpSales(samples) : sandboxSales(sandbox, shop, samples);
  }

  /** How long a response has taken on average, in milliseconds. */
  get meanMs(): number {
    return this.sent === 0 ? 0 : this.#sentMs / this.sent;
  }

  get countsEffects(): boolean {
    return this.options.effects !== undefined;
  }

  /** Whether the sales exist in a sandbox, so that a listener can confirm them. */
  get hasRealSales(): boolean {
    return this.options.sandbox !== undefined;
  }

  /** Each check may wait for a few missing responses. After two checks that stopped, nobody seems to be there. */
  startCheck(): void {
    if (this.#timeouts < MAX_TIMEOUTS) this.#timeouts = 0;
    else if (++this.#stops < 2) this.#timeouts = 0;
  }

  /** A paid sale. The merchant's shop, if there is one, chooses its reference and its amount. */
  sale(order?: OrderWish): Promise<Sale> {
    return this.#sales.sale(order);
  }

  /** A sale for a refund or a reversal. Sends its payment first, if the listener needs that. */
  async announcedSale(): Promise<Sale> {
    const sale = await this.sale();
    if (this.needsPaymentFirst) await this.send(say('run.paymentOfSale'), sale.payment);
    return sale;
  }

  /** A sale that nobody has paid yet. */
  unpaid(): Promise<UnpaidSale> {
    return this.#sales.unpaid();
  }

  /** How many actions the listener takes for one notification of this kind; 0 if none, or without `--effects`. */
  actionsPer(name: TextKey): number {
    return this.actionsOf.get(name)?.total ?? 0;
  }

  /**
   * Runs a step, and counts what the listener does meanwhile.
   *
   * @param expected - how many actions a right listener takes; 0 waits the whole time for one too many
   */
  async watch<Result>(expected: number, step: () => Promise<Result>): Promise<Watched<Result>> {
    const { effects } = this.options;
    const before = await effects?.count();
    const result = await step();
    return { result, actions: before && (await effects?.since(before, expected)) };
  }

  /** Waits for late actions of the listener, so that they are not counted for the next notification. */
  async settle(): Promise<void> {
    await this.watch(0, async () => undefined);
  }

  /** As `settle`, but only if `announcedSale` sends payments. */
  async settlePayments(): Promise<void> {
    if (this.needsPaymentFirst) await this.settle();
  }

  /** Sends a notification as the service does, and once more after a response of 500 or more. */
  async send(what: string, notification: SandboxNotification, sending?: Sending): Promise<Exchange> {
    const first = await this.sendOnce(what, notification, sending);
    if ((first.httpStatus ?? 0) < 500) return first;
    await sleep(RETRY_MS);
    if (this.recoveries.length === MAX_RECOVERIES) return this.sendOnce(what, notification, sending);
    const { result: second, actions } = await this.watch(1, () => this.sendOnce(what, notification, sending));
    if (second.reception === 'accepted') {
      this.recoveries.push({ what, kind: notification.kind, actions: actions?.total });
    }
    return second;
  }

  /** Does this for each, one after the other. */
  async each<Item, Result>(items: readonly Item[], step: (item: Item) => Promise<Result>): Promise<Result[]> {
    const results: Result[] = [];
    for (const item of items) results.push(await step(item));
    return results;
  }

  /** Sends notifications, one after the other. */
  sendAll(all: readonly Delivery[]): Promise<Exchange[]> {
    return this.each(all, (one) => this.send(...one));
  }

  /** Sends them, and counts what the listener does about them. */
  watchAll(expected: number, all: readonly Delivery[]): Promise<Watched<Exchange[]>> {
    return this.watch(expected, () => this.sendAll(all));
  }

  /** Sends notifications at the same moment. What is refused, as a busy listener may, is sent again alone. */
  async sendAtOnce(all: readonly Named[]): Promise<Exchange[]> {
    const last = await Promise.all(all.map((one) => this.sendOnce(...one)));
    for (const [index, one] of all.entries())
      if (last[index]?.reception === 'refused') last[index] = await this.send(...one);
    return last;
  }

  /** Sends a notification as the service does, without a retry. */
  async sendOnce(what: string, notification: SandboxNotification, sending?: Sending): Promise<Exchange> {
    if (this.#rateLimit !== undefined) throw this.#rateLimit;
    const sent = await this.#deliver(this.#authorization, what, notification, sending);
    this.exchanges.push(sent);
    if (sent.reception === 'accepted') this.quickestMs = Math.min(this.quickestMs, sent.durationMs);
    // Of the first one, `reachable` tells. Later ones are no proof of a fault: the service sends far fewer.
    if (sent.httpStatus === 429 && this.exchanges.length > 1) {
      this.#rateLimit = failure('run.rateLimit', { count: this.exchanges.length });
      throw this.#rateLimit;
    }
    return sent;
  }

  /** Sends a notification with any `Authorization` header, or with none. */
  async forge(
    authorization: string | undefined,
    what: string,
    notification: SandboxNotification,
    sending?: Sending,
  ): Promise<Exchange> {
    const sent = await this.#deliver(authorization, what, notification, sending);
    this.forgeries.push(sent);
    return sent;
  }

  /** Sends any body with the right credentials, to find out how the listener reads bodies. */
  probe(body: string, query = '', sending?: Sending): Promise<Exchange> {
    return this.#post(say('run.probe'), query, body, this.#authorization, sending);
  }

  #deliver(
    authorization: string | undefined,
    what: string,
    { query, payload }: SandboxNotification,
    { bytes = 0, ...sending }: Sending = {},
  ): Promise<Exchange> {
    const body = JSON.stringify(payload);
    const space = ' '.repeat(Math.max(0, bytes - Buffer.byteLength(body)));
    return this.#post(what, query, `${body.slice(0, -1)}${space}}`, authorization, sending);
  }

  async #post(
    what: string,
    query: string,
    body: string,
    authorization: string | undefined,
    sending?: Sending,
  ): Promise<Exchange> {
    if (this.#timeouts >= MAX_TIMEOUTS) throw failure('run.timeouts', { count: MAX_TIMEOUTS });
    let headers: readonly string[] = [];
    const answer = await postNotification({
      ...sending,
      url: listenerUrl(this.options.url, { query }),
      body,
      authorization,
      timeoutMs: this.options.limitMs * PATIENCE,
      maxTextBytes: MAX_TEXT_BYTES,
      onHeaders: (received) => {
        headers = received;
      },
    });
    const reception = receptionOf(answer);
    this.#timeouts = reception === 'silent' ? this.#timeouts + 1 : 0;
    this.sent++;
    this.#sentMs += answer.durationMs;
    this.options.onSent?.();
    return { ...answer, what, query, headers, shownText: this.#redact(answer.text), reception };
  }
}
