import * as z from 'zod/mini';
import { pathOf } from '../../client/request';
import type { SandboxNotification } from '../../sandbox/model/records';
import { operations } from '../../service/operations';
import { callFixtures } from '../../testing/fixtures/calls';
import { transaction } from '../../testing/fixtures/journey';
import { failure } from '../failure';
import { say } from '../language';
import type { Sale, SaleIdentity, Samples } from '../samples';
import { readAnswer, type SandboxClient } from '../sandbox-client';

/** Makes the sales that the listener is notified of. */
export interface SaleSource {
  /** @param end - the end of the order's identifier, if it is made here */
  sale(end?: string): Promise<Sale>;
  /** A payment notification of a sale that nobody has paid. */
  unpaid(): Promise<SandboxNotification>;
}

const identity = z.looseObject({ id: z.number(), uuid: z.string() });
const checkoutAnswer = z.looseObject({ response: identity });
const transactionAnswer = z.looseObject({ id: z.optional(z.number()) });

/** Creates a journey that is not paid yet, and returns the identity of its sale. */
type CreateJourney = (end?: string) => Promise<SaleIdentity>;

/**
 * Sales that exist in a running sandbox and are paid there, so that a listener which confirms payments finds them. The
 * notifications are made here, because the checks decide when and how often to send them.
 */
export function sandboxSales(sandbox: SandboxClient, shop: URL | undefined, samples: Samples): SaleSource {
  const createJourney = shop === undefined ? ownJourneys(sandbox) : shopJourneys(sandbox, shop);
  const create: CreateJourney = async (end) => {
    const journey = await createJourney(end);
    // No trace of it stays on the page and in `list`, and the sandbox itself sends nothing about it.
    await sandbox.call('POST', `/sandbox/transactions/${journey.uuid}/hide`);
    return journey;
  };
  const control = async (path: string, body?: object) => {
    const { id, uuid } = readAnswer(identity, await sandbox.call('POST', `/sandbox${path}`, body));
    return { id, uuid };
  };
  return {
    unpaid: async () => samples.sale(await create()).payment,
    async sale(end) {
      const journey = await create(end);
      const path = `/transactions/${journey.uuid}`;
      await sandbox.call('POST', `/sandbox${path}/pay`);
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
  return async (end = '') => {
    created++;
    const { amount } = transaction;
    const referenceCode = `${prefix}${created}${end}`;
    const order = callFixtures.recurringCheckoutRequest({ referenceCode, amount });
    const { method, urlTemplate } = operations.createRecurringCheckout;
    const answer = await sandbox.call(method, urlTemplate, order);
    const { id, uuid } = readAnswer(checkoutAnswer, answer).response;
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
      throw failure(
        'Expected a POST to `--shop` to create a journey in the sandbox ({status}). Does the shop talk to that sandbox?',
        { status },
      );
    }
    const { uuid, referenceCode, amount } = journey;
    const answer = await sandbox.call('GET', pathOf(operations.getTransaction, uuid));
    return { id: readAnswer(transactionAnswer, answer).id ?? 0, uuid, referenceCode, amount };
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
    return say('no answer');
  }
}

const ORDER_TIMEOUT_MS = 10_000;
