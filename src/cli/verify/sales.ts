import { pathOf } from '../../client/request';
import type { SandboxNotification } from '../../sandbox/model/records';
import { operations } from '../../service/operations';
import { callFixtures } from '../../testing/fixtures/calls';
import { transaction } from '../../testing/fixtures/journey';
import { failure } from '../failure';
import { say } from '../language';
import type { Identity, Sale, SaleIdentity, Samples } from '../samples';
import { partOf, type SandboxClient } from '../sandbox-client';

/** Makes the sales that the listener is notified of. */
export interface SaleSource {
  sale(order?: OrderWish): Promise<Sale>;
  unpaid(): Promise<UnpaidSale>;
}

/** What an order should be, if it is made here: a shop chooses for itself. */
export interface OrderWish {
  /** The end of its reference code. */
  readonly end?: string;
  /** In the currency's main unit. */
  readonly amount?: number;
}

/** A sale that nobody has paid yet. */
export interface UnpaidSale {
  readonly payment: SandboxNotification;
  /** Pays it at the service, which then confirms the same notification. */
  pay(): Promise<void>;
}

/** Creates a journey that is not paid yet, and returns the identity of its sale. */
type CreateJourney = (order?: OrderWish) => Promise<SaleIdentity>;

/** Sales that exist nowhere. A listener that confirms payments is right to refuse them. */
export function madeUpSales(samples: Samples): SaleSource {
  return {
    sale: async ({ amount } = {}) => samples.madeUpSale(amount),
    unpaid: async () => ({ payment: samples.madeUpSale().payment, pay: async () => undefined }),
  };
}

/**
 * Sales that exist in a running sandbox and are paid there, so that a listener which confirms payments finds them. The
 * notifications are made here, because the checks decide when and how often to send them.
 */
export function sandboxSales(sandbox: SandboxClient, shop: URL | undefined, samples: Samples): SaleSource {
  const createJourney = shop === undefined ? ownJourneys(sandbox) : shopJourneys(sandbox, shop);
  const create: CreateJourney = async (order) => {
    const journey = await createJourney(order);
    // No trace of it stays on the page and in `list`, and the sandbox itself sends nothing about it.
    await sandbox.call('POST', `/sandbox/transactions/${journey.uuid}/hide`);
    return journey;
  };
  const control = async (path: string, body?: object) => {
    const answer = await sandbox.call('POST', `/sandbox${path}`, body);
    return { id: partOf<number>(answer, 'id'), uuid: partOf<string>(answer, 'uuid') };
  };
  const pay = async ({ uuid }: SaleIdentity) => {
    await sandbox.call('POST', `/sandbox/transactions/${uuid}/pay`);
  };
  return {
    async unpaid() {
      const journey = await create();
      return { payment: samples.sale(journey).payment, pay: () => pay(journey) };
    },
    async sale(order) {
      const journey = await create(order);
      const path = `/transactions/${journey.uuid}`;
      await pay(journey);
      return samples.sale(journey, {
        refund: (amount) => control(`${path}/refund`, { amount }),
        async reversal(end) {
          const reversal = await control(`${path}/reverse`);
          return control(`/reversals/${reversal.uuid}/${end === 'PAID' ? 'complete' : 'cancel'}`);
        },
      });
    },
  };
}

/** Creates journeys directly in the sandbox. The merchant has no orders for them. */
function ownJourneys(sandbox: SandboxClient): CreateJourney {
  let created = 0;
  const prefix = `verify-${Date.now()}-`;
  return async ({ end = '', amount = transaction.amount } = {}) => {
    created++;
    const referenceCode = `${prefix}${created}${end}`;
    const order = callFixtures.recurringCheckoutRequest({ referenceCode, amount });
    const { method, urlTemplate } = operations.createRecurringCheckout;
    const answer = await sandbox.call(method, urlTemplate, order);
    const { id, uuid } = partOf<Identity>(answer, 'response');
    return { id, uuid, referenceCode, amount };
  };
}

/** Lets the merchant's shop create orders, by a POST to its URL, and finds their journeys in the sandbox. */
function shopJourneys(sandbox: SandboxClient, shop: URL): CreateJourney {
  let ordered = 0;
  const prefix = `verify-${Date.now()}-`;
  const create = async () => {
    ordered++;
    const known = new Set((await sandbox.transactions()).map(({ uuid }) => uuid));
    const status = await order(shop, `${prefix}${ordered}`);
    const journey = (await sandbox.transactions()).findLast(({ uuid }) => !known.has(uuid));
    if (journey === undefined) {
      throw failure('run.noJourneyOfShop', { status });
    }
    const { uuid, referenceCode, amount } = journey;
    const answer = await sandbox.call('GET', pathOf(operations.getTransaction, uuid));
    return { id: Object(answer).id ?? 0, uuid, referenceCode, amount };
  };
  // One after the other: the order's journey is recognized by being the newest.
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const next = last.then(create);
    last = next.catch(() => undefined);
    return next;
  };
}

/** Orders as a customer of the shop would. No credentials are sent. @returns the HTTP status, or `no answer` */
async function order(shop: URL, referenceCode: string): Promise<string> {
  try {
    const response = await fetch(shop, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ referenceCode }),
      redirect: 'manual',
      signal: AbortSignal.timeout(ORDER_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return `HTTP ${response.status}`;
  } catch {
    return say('run.noAnswer');
  }
}

const ORDER_TIMEOUT_MS = 10_000;
