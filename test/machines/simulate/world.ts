import { MemoryJourneyRecords } from '../../../src/journal';
import { resolveInventions } from '../../../src/sandbox/inventions';
import { sequentialIds } from '../../../src/sandbox/model/records';
import { ServiceModel } from '../../../src/sandbox/model/service-model';
import { MemoryStore } from '../../../src/webhooks';
import { Merchant } from './merchant';
import type { Plant } from './plants';
import type { Random } from './random';
import { after, pause, time } from './virtual-time';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
export const credentials = { apiKey: 'key', apiToken: 'token' };

interface Truth {
  readonly orderKey: string;
  readonly referenceCode: string;
  readonly amount: number;
  readonly isCharge: boolean;
  situation: 'PENDING' | 'PAID' | 'CANCELLED';
}

export interface Order {
  readonly key: string;
  amount: number;
  /** The journey that the shop stored for it, and when it was shown first. */
  uuid?: string | undefined;
  shownAt?: number | undefined;
  isPaid: boolean;
}

/** What survives a crash: the merchant's database, and all that is outside the merchant. */
export class World {
  /** What exists at the service, as it was asked for and as the simulation moved it. */
  readonly #truth = new Map<string, Truth>();
  readonly orders = new Map<string, Order>();
  /** Which order each payment was booked for. */
  readonly ledger: { readonly saleToken: string; readonly orderKey: string }[] = [];
  /** Payments that a person looks at. */
  readonly review = new Set<string>();
  readonly records = new MemoryJourneyRecords({ clock: () => this.databaseClock() });
  readonly store = new MemoryStore({ clock: () => this.databaseClock() });
  readonly model: ServiceModel;
  readonly violations = new Set<string>();
  readonly counts: Record<string, number> = {};
  /** The QR codes that each payer was shown and that can still be paid. */
  readonly #payable = new Map<string, Set<string>>();
  readonly #shown = new Set<string>();
  readonly #references = new Set<string>();
  readonly #unheard = new Set<string>();
  merchant: Merchant;
  isTroubled = true;
  #databaseOffset = 0;

  constructor(
    readonly random: Random,
    readonly plant: Plant | undefined,
  ) {
    this.model = new ServiceModel({
      credentials,
      baseUrl: 'https://service.example',
      inventions: resolveInventions({ scheduledPaymentSale: true }),
      now: () => time.date,
      ids: sequentialIds(),
      notify: ({ payload, transactionUUID = '' }) => {
        const { saleToken } = payload as { saleToken: string };
        const journey = this.#truth.get(transactionUUID) as Truth;
        if (!this.#truth.has(saleToken)) this.#truth.set(saleToken, { ...journey, isCharge: true });
        (this.#truth.get(saleToken) as Truth).situation = 'PAID';
        void this.#deliver({ ...payload, saleToken });
      },
    });
    this.merchant = new Merchant(this);
  }

  count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  databaseClock(): number {
    return time.date + this.#databaseOffset;
  }

  /** Whether trouble of this probability happens now. */
  trouble(probability: number, what: string): boolean {
    if (!this.isTroubled || !this.random.chance(probability)) return false;
    this.count(what);
    return true;
  }

  stepClocks(): void {
    if (this.trouble(0.5, 'clock steps')) this.#databaseOffset += this.random.between(-2 * HOUR, 2 * HOUR);
    if (this.trouble(0.5, 'clock steps')) time.stepWallClock(this.random.between(-2 * HOUR, 2 * HOUR));
  }

  /** The process is gone: whatever it awaited never comes, and a new one starts after a while, seldom a long one. */
  crash(): void {
    this.count('crashes');
    this.merchant.isDead = true;
    const downMs = this.random.chance(0.03) ? 0.4 * HOUR : this.random.between(1_000, 60_000);
    after(downMs, () => {
      this.merchant = new Merchant(this);
    });
  }

  /** The service, as a connection reaches it. The merchant may be dead when the answer comes. */
  async call(method: string, path: string, body: string): Promise<Response> {
    await pause(this.random.between(5, 300));
    if (this.trouble(0.03, 'connections lost before the request')) throw new TypeError('fetch failed');
    if (this.trouble(0.02, 'refusals by the gateway')) return new Response('{}', { status: 429 });
    // Long enough, now and then, to outlive the call and the lease.
    if (this.trouble(0.05, 'slow calls')) await pause(this.random.between(10_000, 400_000));
    const headers = { 'x-api-key': 'key', 'x-api-token': 'token', 'content-type': 'application/json' };
    if (method === 'POST') this.#judgeRequest(body);
    const answer = this.model.handle({ method, path, headers, body });
    if (method === 'POST' && answer.status === 200) this.#remember(body, String(answer.body));
    await pause(this.random.between(5, 300));
    if (this.trouble(0.04, 'answers lost after the effect')) throw new TypeError('fetch failed');
    if (this.trouble(0.03, '504 after the effect')) return new Response('{}', { status: 504 });
    if (this.trouble(0.01, '429 after the effect')) return new Response('{}', { status: 429 });
    return new Response(String(answer.body), { status: answer.status, headers: answer.headers });
  }

  #judgeRequest(body: string): void {
    const { referenceCode } = JSON.parse(body) as { referenceCode: string };
    if (this.#references.has(referenceCode)) this.violations.add('one reference was sent twice');
    this.#references.add(referenceCode);
    this.count('POSTs');
  }

  #remember(body: string, answer: string): void {
    const { referenceCode, amount, shopper } = JSON.parse(body);
    const { uuid } = JSON.parse(answer).response;
    after(1.5 * DAY, () => this.#expire(shopper.id, uuid));
    this.#truth.set(uuid, {
      orderKey: shopper.id,
      referenceCode,
      amount,
      isCharge: false,
      situation: 'PENDING',
    });
  }

  /** The shop's page shows a QR code. */
  show(orderKey: string, uuid: string): void {
    const order = this.orders.get(orderKey) as Order;
    const transaction = this.#truth.get(uuid);
    if (transaction === undefined) return void this.violations.add('a QR code of no journey was shown');
    if (transaction.orderKey !== orderKey) this.violations.add('a QR code of another order was shown');
    if (transaction.amount !== order.amount) this.violations.add('a QR code with another price was shown');
    const payable = this.#payable.get(orderKey) ?? new Set();
    this.#payable.set(orderKey, payable);
    if (transaction.situation === 'PENDING') payable.add(uuid);
    if (payable.size > 1) this.violations.add('two QR codes of one order could be paid');
    if (this.#shown.has(uuid)) return;
    this.count('QR codes shown');
    this.#shown.add(uuid);
    // The payer pays within a day, or never: the service cancels each journey after a day and a half.
    if (this.random.chance(0.7)) after(this.random.between(60_000, DAY), () => this.#pay(uuid));
  }

  #pay(uuid: string): void {
    if (this.#truth.get(uuid)?.situation !== 'PENDING') return;
    this.count('payments');
    const charges = this.model.controls.pay(uuid).slice(0, 3);
    charges.forEach(({ instructionId }, month) => {
      after((month + 1) * this.random.between(28 * DAY, 31 * DAY), () => {
        this.count('later charges');
        this.model.controls.payScheduledPayment(instructionId);
      });
    });
  }

  #expire(orderKey: string, uuid: string): void {
    this.#payable.get(orderKey)?.delete(uuid);
    const journey = this.#truth.get(uuid);
    if (journey?.situation !== 'PENDING') return;
    journey.situation = 'CANCELLED';
    this.model.controls.cancelTransaction(uuid);
  }

  /** Somebody reaches a journey that was shown to nobody. It should not happen, and must reach a person. */
  payUnshown(): void {
    const unshown = [...this.#truth].filter(
      ([uuid, { situation }]) => situation === 'PENDING' && !this.#shown.has(uuid),
    );
    if (unshown.length > 0) this.#pay(this.random.pick(unshown)[0]);
  }

  /** As in section 6.1 of the service's document: six times, a minute apart. */
  async #deliver(payload: { readonly saleToken: string }): Promise<void> {
    for (let attempt = 0; attempt < 6; attempt += 1) {
      await pause(attempt === 0 ? this.random.between(10, 1_000) : 60_000);
      const { merchant } = this;
      if (merchant.isDead || this.trouble(0.05, 'deliveries lost')) continue;
      const status = await Promise.race([merchant.receive(payload), pause(10_000).then(() => 0)]);
      if (status === 200 && !this.trouble(0.05, 'answers of the listener lost')) return;
    }
    this.count('notifications given up');
    this.#unheard.add(payload.saleToken);
  }

  /** The merchant's books against the service's truth. */
  async judge(): Promise<void> {
    const booked = new Map<string, string>();
    for (const { saleToken, orderKey } of this.ledger) {
      if (booked.has(saleToken)) this.violations.add('a payment was booked twice');
      booked.set(saleToken, orderKey);
    }
    for (const [uuid, { situation, orderKey, isCharge, referenceCode }] of this.#truth) {
      const bookedFor = booked.get(uuid);
      if (bookedFor !== undefined && situation !== 'PAID') this.violations.add('a booking has no payment');
      if (bookedFor !== undefined && bookedFor !== orderKey)
        this.violations.add('a payment was booked for another order');
      // Reconciling finds the payments of journeys that the shop knows. All others are known by notifications alone.
      const isUnheard = this.#unheard.has(uuid) && (isCharge || !this.#shown.has(uuid));
      if (situation === 'PAID' && bookedFor === undefined && !this.review.has(uuid) && !isUnheard) {
        this.violations.add('a payment is in nobody’s books');
      }
      const attempt = await this.merchant.findPlainly(referenceCode);
      if (attempt === undefined) this.violations.add('find does not know a journey');
      else if (attempt.orderKey !== orderKey) this.violations.add('find named another order');
    }
    for (const { isPaid, uuid } of this.orders.values()) {
      if (!isPaid && uuid === undefined) this.violations.add('an order had no way on');
    }
  }
}
