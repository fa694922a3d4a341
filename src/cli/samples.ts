import type { SandboxNotification } from '../sandbox/model/records';
import { documentedKinds } from '../service/notifications';
import type { PayoutErrorCode } from '../service/notifications/payout';
import { fixtureNotification } from '../testing/notification-request';
import { unknownWord } from './failure';

/** Identifies one refund, reversal or payout. */
export interface Identity {
  readonly id: number;
  readonly uuid: string;
}

/** Identifies one sale. */
export interface SaleIdentity extends Identity {
  readonly referenceCode: string;
  /** In the currency's main unit. Default: that of the fixtures. */
  readonly amount?: number;
}

type ReversalEnd = 'PAID' | 'CANCELLED';

/** The notifications about a sale that is reversed. The two of the reversal share its UUID. */
export interface SampleReversal {
  readonly pending: SandboxNotification;
  readonly sale: SandboxNotification;
  readonly ended: SandboxNotification;
}

/** The notifications about one sale. */
export interface SampleSale {
  readonly payment: SandboxNotification;
  /** A partial refund. Each has its own UUID; all have the `saleToken` of the sale. */
  refund(amount: number, identity?: Identity): SandboxNotification;
  reversal(end: ReversalEnd, identity?: Identity): SampleReversal;
}

/** Makes notifications to send: the fixtures, each with an identity of its own. */
export class Samples {
  #lastId = 1000;

  /** A paid sale, and the notifications about it. */
  sale(identity: SaleIdentity = this.#newSale(), end = ''): SampleSale {
    const { id, uuid, amount: given } = identity;
    const referenceCode = identity.referenceCode + end;
    // Without an amount, that of the fixture stays.
    const amount = given === undefined ? {} : { amount: given };
    const originalAmount = given === undefined ? {} : { originalAmount: given };
    const sale = { saleToken: uuid, referenceCode, ...amount };
    return {
      payment: fixtureNotification('payment', sale),
      refund: (refunded, { id, uuid: refundUUID } = this.newIdentity()) =>
        fixtureNotification('refund', {
          saleToken: uuid,
          referenceCode,
          ...originalAmount,
          refund: { id, uuid: refundUUID, amount: refunded },
        }),
      reversal: (end, reversal = this.newIdentity()) => {
        const fields = {
          ...reversal,
          ...originalAmount,
          ...(given === undefined ? {} : { reversedAmount: given }),
          sale: { id, uuid },
        };
        const without = { ...fields, receipt: null };
        return {
          pending: fixtureNotification('reversal', { ...without, status: 'PENDING' }),
          sale: fixtureNotification('saleStatus', sale),
          ended: fixtureNotification('reversal', { ...(end === 'PAID' ? fields : without), status: end }),
        };
      },
    };
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

  #newSale(): SaleIdentity {
    const identity = this.newIdentity();
    return { ...identity, referenceCode: `sandbox-${identity.uuid}` };
  }
}

/** A kind that `trigger` can send. */
export interface TriggerKind {
  /** The kind as a listener of this library knows it. */
  readonly kind: string;
  readonly make: (samples: Samples) => SandboxNotification;
}

/** What `trigger` sends of the kinds that it does not simply send once. */
const makers: Partial<Record<string, Readonly<Record<string, TriggerKind['make']>>>> = {
  payment: { payment: (samples) => samples.sale().payment },
  saleStatus: { 'sale-reversal': (samples) => samples.sale().reversal('PAID').sale },
  reversal: { reversal: (samples) => samples.sale().reversal('PAID').pending },
  refund: { refund: (samples) => samples.sale().refund(10) },
  payout: {
    payout: (samples) => samples.payout(),
    'payout-failed': (samples) => samples.payout('PE0001'),
  },
};

const triggers = new Map<string, TriggerKind>(
  documentedKinds.flatMap((documented) => {
    const { kind } = documented;
    const made = makers[kind] ?? { [kind]: (samples: Samples) => samples.of(documented) };
    return Object.entries(made).map(([name, make]) => [name, { kind, make }] as const);
  }),
);
triggers.set('unrecognized', { kind: 'unrecognized', make: (samples) => samples.unrecognized() });

export const triggerKinds = [...triggers.keys()];

export function triggerKind(typed: string): TriggerKind {
  const found = triggers.get(typed);
  if (found !== undefined) return found;
  throw unknownWord('kind', typed, triggerKinds);
}
