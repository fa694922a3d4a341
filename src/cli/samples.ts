import type { SandboxNotification } from '../sandbox/model/records';
import type { documentedKinds } from '../service/notifications';
import type { PayoutErrorCode } from '../service/notifications/payout';
import { transaction } from '../testing/fixtures/journey';
import { fixtureNotification } from '../testing/notification-request';

/** Identifies one refund, reversal or payout. */
export interface Identity {
  readonly id: number;
  readonly uuid: string;
}

/** Identifies one sale. */
export interface SaleIdentity extends Identity {
  readonly referenceCode: string;
  /** In the currency's main unit. */
  readonly amount: number;
}

type ReversalEnd = 'PAID' | 'CANCELLED';

/** A paid sale, and the notifications about it. A sale of a sandbox is refunded or reversed when the method is called. */
export interface Sale {
  readonly payment: SandboxNotification;
  /** A partial refund. Each has its own UUID; all have the `saleToken` of the sale. */
  refund(amount: number): Promise<SandboxNotification>;
  /** The two notifications of the reversal share its UUID. */
  reversal(end: ReversalEnd): Promise<Record<'pending' | 'sale' | 'ended', SandboxNotification>>;
}

/** What makes the refunds and reversals of a sale. */
export interface Returns {
  refund(amount: number): Promise<Identity>;
  reversal(end: ReversalEnd): Promise<Identity>;
}

/** Makes notifications to send: the fixtures, each with an identity of its own. */
export class Samples {
  #lastId = 1000;

  /** A paid sale, and the notifications about it. Without an identity and returns of its own, they are invented. */
  sale(identity: SaleIdentity = this.#newSale(transaction.amount), returns: Returns = this.#invented): Sale {
    const { id, uuid, referenceCode, amount } = identity;
    const sale = { saleToken: uuid, referenceCode, amount };
    return {
      payment: fixtureNotification('payment', sale),
      async refund(refunded) {
        const refund = { ...(await returns.refund(refunded)), amount: refunded };
        const fields = { saleToken: uuid, referenceCode, originalAmount: amount, refund };
        return fixtureNotification('refund', fields);
      },
      async reversal(end) {
        const amounts = { originalAmount: amount, reversedAmount: amount };
        const fields = { ...(await returns.reversal(end)), ...amounts, sale: { id, uuid } };
        const receipt = end === 'PAID' ? {} : { receipt: null };
        return {
          pending: fixtureNotification('reversal', { ...fields, receipt: null, status: 'PENDING' }),
          sale: fixtureNotification('saleStatus', sale),
          ended: fixtureNotification('reversal', { ...fields, ...receipt, status: end }),
        };
      },
    };
  }

  /** A sale of this amount that exists nowhere. */
  madeUpSale(amount: number = transaction.amount): Sale {
    return this.sale(this.#newSale(amount));
  }

  /** A payout. To report a failure and then the success of the same payout, pass its identity to both. */
  payout(fail?: PayoutErrorCode, identity: Identity = this.newIdentity()): SandboxNotification {
    return fail === undefined
      ? fixtureNotification('payout', identity)
      : fixtureNotification('failedPayout', { ...identity, error_code: fail });
  }

  /** A notification of any kind: its fixture, with an identity of its own. */
  of({ kind, subject }: (typeof documentedKinds)[number]): SandboxNotification {
    const { payload, ...rest } = fixtureNotification(kind, {});
    const identity = (subject as (payload: object) => string)(payload);
    const text = JSON.stringify(payload).replaceAll(identity, this.newIdentity().uuid);
    return { ...rest, payload: JSON.parse(text) };
  }

  /** A notification of no documented kind. It is clearly made up: the sandbox does not guess undocumented payloads. */
  unrecognized(query = ''): SandboxNotification {
    const payload = { event: 'sandbox.made-up', uuid: crypto.randomUUID(), status: 'SANDBOX' };
    return { ...fixtureNotification('custom', payload), query };
  }

  /** A new identity, for two notifications about the same thing. */
  newIdentity(): Identity {
    this.#lastId++;
    return { id: this.#lastId, uuid: crypto.randomUUID() };
  }

  #newSale(amount: number): SaleIdentity {
    const identity = this.newIdentity();
    return { ...identity, referenceCode: `sandbox-${identity.uuid}`, amount };
  }

  readonly #invented: Returns = {
    refund: async () => this.newIdentity(),
    reversal: async () => this.newIdentity(),
  };
}
