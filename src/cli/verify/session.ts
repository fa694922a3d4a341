import { setTimeout as sleep } from 'node:timers/promises';
import { redactor } from '../../sandbox/credentials';
import { listenerUrl } from '../../sandbox/delivery/listener-url';
import type { SandboxNotification } from '../../sandbox/model/records';
import type { Credentials } from '../../service/credentials';
import { basicAuthorization } from '../../webhooks/authorization';
import { Samples } from '../samples';
import type { SandboxClient } from '../sandbox-client';
import type { ActionCount, Effects } from './effects';
import { type Exchange, exchange } from './exchange';
import { madeUpSales, ownJourneys, type Sale, type SaleSource, sandboxSales, shopJourneys } from './sales';

/** What the checklist is run with. */
export interface SessionOptions {
  /** The listener. */
  readonly url: string;
  /** What the listener expects. */
  readonly credentials: Credentials;
  /** How long a response may take before the check of promptness fails, in milliseconds. */
  readonly limitMs: number;
  /** Without it, nothing shows from outside whether the listener acted. */
  readonly effects: Effects | undefined;
  /** Where real sales are made; without it they are made up. */
  readonly sandbox: SandboxClient | undefined;
  /** Creates the orders of real sales; without it, real sales belong to no order of the merchant's. */
  readonly shop?: URL | undefined;
}

/** What a step gave, and what the listener did for it. */
export interface Watched<Result> {
  readonly result: Result;
  /** `undefined` when nothing counts. */
  readonly actions: ActionCount | undefined;
}

/** What the listener did about one notification. */
export interface Acted extends ActionCount {
  readonly kind: SandboxNotification['kind'];
}

/** A notification that was refused with an error of the server, and accepted when it came again. */
export interface Recovery {
  readonly what: string;
  readonly kind: SandboxNotification['kind'];
  readonly actions: number | undefined;
}

/** A response is waited for this many times as long as it may take, so that a late one is seen for what it is. */
const PATIENCE = 3;
/** The service waits a minute before it sends again; verify a moment. */
const RETRY_MS = 20;
/** Some are enough to judge by, and each may have to be waited for. */
const MAX_RECOVERIES = 5;

/** A run of the checklist: what is sent, and what is learned on the way. */
export class Session {
  readonly samples = new Samples();
  readonly options: SessionOptions;
  /** Everything sent with the right credentials. */
  readonly exchanges: Exchange[] = [];
  /** Everything sent with other credentials. */
  readonly forgeries: Exchange[] = [];
  /** Kinds that were accepted as the document shows them, by the name that the report gives them. */
  readonly acceptedKinds = new Set<string>();
  /** What the listener does about one notification of each kind, by the same name. */
  readonly actionsOf = new Map<string, Acted>();
  readonly recoveries: Recovery[] = [];
  /** Whether it refuses refunds and reversals of payments that it was not told of, as it may. */
  needsPaymentFirst = false;
  readonly #redact: (text: string) => string;
  readonly #sales: SaleSource;
  readonly #authorization: string;

  constructor(options: SessionOptions) {
    this.options = options;
    const { credentials } = options;
    this.#redact = redactor(credentials);
    this.#authorization = basicAuthorization(credentials);
    this.#sales = salesOf(options, this.samples);
  }

  get countsEffects(): boolean {
    return this.options.effects !== undefined;
  }

  get hasRealSales(): boolean {
    return this.#sales.areReal;
  }

  sale(): Promise<Sale> {
    return this.#sales.sale();
  }

  /** A sale to report more of than its payment. A listener that asks for it has been told of the payment. */
  async announcedSale(): Promise<Sale> {
    const sale = await this.sale();
    if (this.needsPaymentFirst) await this.send('the payment of a sale', sale.payment);
    return sale;
  }

  /** A payment notification of a sale that nobody has paid. */
  unpaid(): Promise<SandboxNotification> {
    return this.#sales.unpaid();
  }

  /** How many actions the listener takes for one notification of this kind; 0 when it takes none, or nothing counts. */
  unit(name: string): number {
    return this.actionsOf.get(name)?.total ?? 0;
  }

  /**
   * Carries a step out, and tells what the listener did for it.
   *
   * @param expected - how many actions a right listener takes; with 0, the whole time is waited for one too many
   */
  async watch<Result>(expected: number, step: () => Promise<Result>): Promise<Watched<Result>> {
    const { effects } = this.options;
    const before = await effects?.count();
    const result = await step();
    return { result, actions: before && (await effects?.since(before, expected)) };
  }

  /** Waits for what the listener may still do about notifications sent before, so that it is not counted for the next. */
  async settle(): Promise<void> {
    await this.watch(0, async () => undefined);
  }

  /** As `settle`, for the payments that `announcedSale` has told of, if any. */
  async settlePayments(): Promise<void> {
    if (this.needsPaymentFirst) await this.settle();
  }

  /** Sends a notification as the service does. One that fails on the server's side comes again, once. */
  async send(what: string, notification: SandboxNotification): Promise<Exchange> {
    const first = await this.sendOnce(what, notification);
    if ((first.httpStatus ?? 0) < 500) return first;
    await sleep(RETRY_MS);
    if (this.recoveries.length === MAX_RECOVERIES) return this.sendOnce(what, notification);
    const { result: second, actions } = await this.watch(1, () => this.sendOnce(what, notification));
    if (second.reception === 'accepted') {
      this.recoveries.push({ what, kind: notification.kind, actions: actions?.total });
    }
    return second;
  }

  /** Sends a notification as the service does, and not again. */
  async sendOnce(what: string, notification: SandboxNotification): Promise<Exchange> {
    const sent = await this.#deliver(this.#authorization, what, notification);
    this.exchanges.push(sent);
    return sent;
  }

  /** Sends a notification with any `Authorization` header, or with none. */
  async forge(
    authorization: string | undefined,
    what: string,
    notification: SandboxNotification,
  ): Promise<Exchange> {
    const sent = await this.#deliver(authorization, what, notification);
    this.forgeries.push(sent);
    return sent;
  }

  /** Sends any body with the right credentials, to find out what the listener does with bodies. */
  probe(body: string): Promise<Exchange> {
    return this.#post('a probe', this.options.url, body, this.#authorization);
  }

  #deliver(
    authorization: string | undefined,
    what: string,
    { kind, query, payload }: SandboxNotification,
  ): Promise<Exchange> {
    const url = listenerUrl(this.options.url, { kind, query }) ?? this.options.url;
    return this.#post(what, url, JSON.stringify(payload), authorization);
  }

  #post(what: string, url: string, body: string, authorization: string | undefined): Promise<Exchange> {
    const timeoutMs = this.options.limitMs * PATIENCE;
    return exchange(what, { url, body, authorization, timeoutMs }, this.#redact);
  }
}

function salesOf({ sandbox, shop }: SessionOptions, samples: Samples): SaleSource {
  if (sandbox === undefined) return madeUpSales(samples);
  return sandboxSales(
    sandbox,
    samples,
    shop === undefined ? ownJourneys(sandbox) : shopJourneys(sandbox, shop),
  );
}
