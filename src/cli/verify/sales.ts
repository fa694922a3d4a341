import { pathOf } from '../../client/request';
import type { SandboxNotification } from '../../sandbox/model/records';
import { idRecOf } from '../../sandbox/model/recurrence';
import type { RecurrenceEventType } from '../../service/notifications/recurrence';
import { operations } from '../../service/operations';
import { callFixtures } from '../../testing/fixtures/calls';
import { fixtureNotification } from '../../testing/notification-request';
import { failure } from '../failure';
import { partOf, type SandboxClient } from '../sandbox-client';
import { line } from '../visible';
import type { Hold } from './without-trace';

/** Identifies one refund, reversal or payout. */
interface Identity {
  readonly id: number;
  readonly uuid: string;
}

/** Identifies one sale. */
interface SaleIdentity extends Identity {
  readonly referenceCode: string;
  /** In the currency's main unit. */
  readonly amount: number;
}

/** What an order should be, if it is made here: a shop chooses for itself. */
interface OrderWish {
  /** The end of its reference code. */
  readonly end?: string;
  /** The whole of it. */
  readonly referenceCode?: string;
  /** In the currency's main unit. Default: one of its own. */
  readonly amount?: number;
}

/** A sale, and the notifications about it. The service then has that refund or reversal, too. */
export interface Sale extends SaleIdentity {
  readonly payment: SandboxNotification;
  /** Pays it at the service, which then confirms its payment. */
  pay(): Promise<void>;
  /** A partial refund. Each has its own UUID; all have the `saleToken` of the sale. */
  refund(amount: number): Promise<SandboxNotification>;
  /** Of all of it, or of a part. The notifications of the reversal share its UUID. */
  reversal(
    end: 'PAID' | 'CANCELLED',
    amount?: number,
  ): Promise<Record<'pending' | 'ended', SandboxNotification>>;
  /** A later charge of its order: another sale under the same reference code. */
  charge(): Promise<Sale>;
  /** An event of its recurrence (the service's public pages; not in its document). */
  event(eventType: RecurrenceEventType, charge?: SaleIdentity): SandboxNotification;
}

/** A payout, whose notifications share all of this. */
export interface Payout extends Identity {
  readonly amount: number;
  readonly referenceCode: string;
}

/** Creates journeys, and lets money move about them. */
interface Service {
  create(wish: OrderWish & { readonly amount: number }): Promise<SaleIdentity>;
  /** @returns what a later charge of its order costs, where the service knows */
  pay(sale: SaleIdentity): Promise<number | undefined>;
  refund(sale: SaleIdentity, amount: number): Promise<Identity>;
  reverse(sale: SaleIdentity, end: 'PAID' | 'CANCELLED', amount: number): Promise<Identity>;
}

/** Makes the sales that the listener is notified of: no two are alike. */
export class Sales {
  readonly #service: Service;
  #made = 0;

  constructor(service: Service) {
    this.#service = service;
  }

  /** A paid sale. */
  async sale(wish: OrderWish = {}): Promise<Sale> {
    const sale = await this.unpaid(wish);
    await sale.pay();
    return sale;
  }

  /** A sale that nobody has paid yet. */
  async unpaid(wish: OrderWish = {}): Promise<Sale> {
    this.#made++;
    const number = this.#made;
    const sale = await this.#service.create({ amount: 30 + number, ...wish });
    const { id, uuid, referenceCode, amount } = sale;
    const about = { saleToken: uuid, referenceCode };
    const shopper = {
      id: `shopper-${number}`,
      lastName: `Exemplo ${number}`,
      email: `shopper-${number}@example.com`,
    };
    const date = `2026-03-${String(1 + (number % 28)).padStart(2, '0')} 10:00:00`;
    const service = this.#service;
    let later = amount;
    return {
      ...sale,
      payment: fixtureNotification('payment', { ...about, amount, shopper, date }),
      pay: async () => {
        later = (await service.pay(sale)) ?? amount;
      },
      charge: () => this.sale({ referenceCode, amount: later }),
      event: (eventType, charge) =>
        fixtureNotification('recurrence', {
          eventType,
          idRec: idRecOf(sale),
          externalId: referenceCode,
          amount: later,
          ...(charge && { saleToken: charge.uuid, chargeAmount: charge.amount }),
        }),
      async refund(refunded) {
        const refund = { ...(await service.refund(sale, refunded)), amount: refunded };
        return fixtureNotification('refund', { ...about, originalAmount: amount, refund });
      },
      async reversal(end, reversedAmount = amount) {
        const amounts = { originalAmount: amount, reversedAmount };
        const fields = {
          ...(await service.reverse(sale, end, reversedAmount)),
          ...amounts,
          sale: { id, uuid },
        };
        const receipt = end === 'PAID' ? {} : { receipt: null };
        return {
          pending: fixtureNotification('reversal', { ...fields, receipt: null, status: 'PENDING' }),
          ended: fixtureNotification('reversal', { ...fields, ...receipt, status: end }),
        };
      },
    };
  }

  /** No two payouts are alike either. */
  newPayout(): Payout {
    this.#made++;
    const cents = 10_000 + this.#made * 137;
    return { ...newIdentity(), amount: cents / 100, referenceCode: `payout-${this.#made}` };
  }

  /** A payout, or one that failed. For the success of one that failed, pass the same. */
  payout(success: boolean, payout: Payout = this.newPayout()): SandboxNotification {
    return fixtureNotification(success ? 'payout' : 'failedPayout', { ...payout });
  }

  /** A notification of no documented kind. It is clearly made up: the sandbox does not guess undocumented payloads. */
  unrecognized(fields: object = {}, query = ''): SandboxNotification {
    const payload = { event: 'sandbox.made-up', uuid: crypto.randomUUID(), status: 'SANDBOX', ...fields };
    return { ...fixtureNotification('custom', payload), query };
  }
}

/** Of what exists nowhere. */
function newIdentity(): Identity {
  return { id: 1_000_000 + Math.floor(Math.random() * 1_000_000_000), uuid: crypto.randomUUID() };
}

/** Sales that exist nowhere. A listener that confirms payments is right to refuse them. */
export function madeUpSales(): Sales {
  return new Sales({
    async create({ end = '', amount, referenceCode }) {
      const identity = newIdentity();
      return { ...identity, referenceCode: referenceCode ?? `sandbox-${identity.uuid}${end}`, amount };
    },
    pay: async () => undefined,
    refund: async () => newIdentity(),
    reverse: async () => newIdentity(),
  });
}

/**
 * Sales that exist in a running sandbox and are paid there, so that a listener which confirms payments finds them. The
 * notifications are made here, because the script decides when and how often to send them.
 *
 * @param shop - creates the orders, by a POST; without it, the merchant has none for these sales
 * @param hold - makes and hides each journey, so that an interrupted run leaves none behind
 */
export function sandboxSales(sandbox: SandboxClient, shop: URL | undefined, hold: Hold): Sales {
  const own = ownJourneys(sandbox);
  const ofShop = shop === undefined ? own : shopJourneys(sandbox, shop);
  const control = async (path: string, body?: object) => {
    const answer = await sandbox.call('POST', `/sandbox${path}`, body);
    return { id: partOf<number>(answer, 'id'), uuid: partOf<string>(answer, 'uuid') };
  };
  return new Sales({
    create(wish) {
      return hold(async () => {
        const journey = await (wish.referenceCode === undefined ? ofShop : own)(wish);
        // No trace of it stays on the page and in `list`, and the sandbox itself sends nothing about it.
        await sandbox.call('POST', `/sandbox/transactions/${journey.uuid}/hide`);
        return journey;
      });
    },
    async pay({ uuid }) {
      const paid = await sandbox.call('POST', `/sandbox/transactions/${uuid}/pay`);
      return Object(Object(paid).scheduledPayments?.[0]).amount;
    },
    refund: ({ uuid }, amount) => control(`/transactions/${uuid}/refund`, { amount }),
    async reverse({ uuid }, end, amount) {
      const reversal = await control(`/transactions/${uuid}/reverse`, { amount });
      return control(`/reversals/${reversal.uuid}/${end === 'PAID' ? 'complete' : 'cancel'}`);
    },
  });
}

/** Creates journeys directly in the sandbox. The merchant has no orders for them. */
function ownJourneys(sandbox: SandboxClient): Service['create'] {
  let created = 0;
  const prefix = `verify-${Date.now()}-`;
  return async ({ end = '', amount, referenceCode = `${prefix}${++created}${end}` }) => {
    const order = callFixtures.recurringCheckoutRequest({ referenceCode, amount });
    const { method, urlTemplate } = operations.createRecurringCheckout;
    const answer = await sandbox.call(method, urlTemplate, order);
    const { id, uuid } = partOf<Identity>(answer, 'response');
    return { id, uuid, referenceCode, amount };
  };
}

/** Lets the merchant's shop create orders, by a POST to its URL, and finds their journeys in the sandbox. A shop may choose another sum. */
function shopJourneys(sandbox: SandboxClient, shop: URL): Service['create'] {
  let ordered = 0;
  const prefix = `verify-${Date.now()}-`;
  const create = async (wanted: number) => {
    ordered++;
    const before = new Set((await sandbox.transactions()).map(({ uuid }) => uuid));
    const status = await order(shop, { referenceCode: `${prefix}${ordered}`, amount: wanted });
    const journey = (await sandbox.transactions()).findLast(({ uuid }) => !before.has(uuid));
    if (journey === undefined)
      throw failure(
        line`Expected a POST to \`--shop\` to create a journey in the sandbox (${status}). Does the shop talk to that sandbox?`,
      );
    const { uuid, referenceCode, amount } = journey;
    const answer = await sandbox.call('GET', pathOf(operations.getTransaction, uuid));
    return { id: Object(answer).id ?? 0, uuid, referenceCode, amount };
  };
  // One after the other: the order's journey is recognized by being the newest.
  let last: Promise<unknown> = Promise.resolve();
  return ({ amount }) => {
    const next = last.then(() => create(amount));
    last = next.catch(() => undefined);
    return next;
  };
}

/** Orders as a customer of the shop would. No credentials are sent. @returns the HTTP status, or `no answer` */
async function order(shop: URL, wish: OrderWish): Promise<string> {
  try {
    const response = await fetch(shop, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(wish),
      redirect: 'manual',
      signal: AbortSignal.timeout(ORDER_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return `HTTP ${response.status}`;
  } catch {
    return 'no answer';
  }
}

const ORDER_TIMEOUT_MS = 10_000;
