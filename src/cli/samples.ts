import { defaultCredentials } from '../sandbox/credentials';
import type { SandboxNotification } from '../sandbox/model/records';
import { ServiceModel } from '../sandbox/model/service-model';
import type { DocumentedNotification } from '../service/notifications';
import type { PayoutErrorCode } from '../service/notifications/payout';
import { operations } from '../service/operations';
import type { RecurringCheckoutRequest } from '../service/operations/create-recurring-checkout';
import { mergeDeep } from '../shared/objects';
import { unknownWord } from './failure';

/** Identifies one refund, reversal or payout. */
export interface Identity {
  readonly id: number;
  readonly uuid: string;
}

/** Identifies one sale. */
export interface SaleIdentity extends Identity {
  readonly referenceCode: string;
  /** In the currency's main unit. Default: the amount of `sampleOrder`. */
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

/** The order behind every sample, without its reference code. */
export const sampleOrder: Omit<RecurringCheckoutRequest, 'referenceCode'> = {
  currency: 'BRL',
  amount: 59.7,
  shopper: { id: 'sandbox-shopper', name: 'Ana de Souza', email: 'ana@example.com' },
  recurrence: { immediatePayment: true, amount: { recurrenceAmount: 29.9 } },
};

/**
 * Makes notifications to send. The payloads come from the sandbox's model, so that none is written down twice. The model
 * makes only the first sale; further sales are copies with another identity, because each journey draws a QR code.
 */
export class Samples {
  readonly #sent: SandboxNotification[] = [];
  readonly #model = new ServiceModel({
    credentials: defaultCredentials,
    baseUrl: 'http://sandbox.invalid',
    inventions: { saleReversalNotification: true },
    notify: (notification) => this.#sent.push(notification),
  });
  readonly #templates = this.#makeTemplates();
  #lastId = 1000;

  /** A paid sale, and the notifications about it. */
  sale(identity: SaleIdentity = this.#newSale(), end = ''): SampleSale {
    const { id, uuid, amount: saleAmount = sampleOrder.amount } = identity;
    const referenceCode = identity.referenceCode + end;
    const { payment, refund, reversals } = this.#templates;
    return {
      payment: withFields(payment, { saleToken: uuid, referenceCode, amount: saleAmount }),
      refund: (amount, { id, uuid: refundUUID } = this.newIdentity()) =>
        withFields(refund, {
          saleToken: uuid,
          referenceCode,
          originalAmount: saleAmount,
          reversedAmount: amount,
          amountRefunded: amount,
          refund: { id, uuid: refundUUID, amount },
        }),
      reversal: (end, reversal = this.newIdentity()) => {
        const { pending, sale, ended } = reversals[end];
        const fields = {
          ...reversal,
          originalAmount: saleAmount,
          reversedAmount: saleAmount,
          sale: { id, uuid },
        };
        return {
          pending: withFields(pending, fields),
          sale: withFields(sale, { saleToken: uuid, referenceCode, amount: saleAmount }),
          ended: withFields(ended, fields),
        };
      },
    };
  }

  /** A payout. To report a failure and then the success of the same payout, pass its identity to both. */
  payout(fail?: PayoutErrorCode, identity: Identity = this.newIdentity()): SandboxNotification {
    const payout = this.#take('payout', () => this.#model.controls.payOut({ amount: 12.34, fail }));
    return withFields(payout, { ...identity });
  }

  /** A notification of no documented kind. It is clearly made up: the sandbox does not guess undocumented payloads. */
  unrecognized(query = ''): SandboxNotification {
    const payload = { event: 'sandbox.made-up', uuid: crypto.randomUUID(), status: 'SANDBOX' };
    return this.#take('custom', () => this.#model.controls.notify(payload, query));
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

  #makeTemplates() {
    const uuid = this.#createJourney();
    const payment = this.#take('payment', () => this.#model.controls.pay(uuid));
    const refund = this.#take('refund', () => this.#model.controls.refund(uuid, { amount: 10 }));
    return {
      payment,
      refund,
      reversals: { PAID: this.#reverse('PAID'), CANCELLED: this.#reverse('CANCELLED') },
    };
  }

  #reverse(end: ReversalEnd): SampleReversal {
    const uuid = this.#createJourney();
    this.#take('payment', () => this.#model.controls.pay(uuid));
    let reversalUUID = '';
    const pending = this.#take('reversal', () => {
      reversalUUID = this.#model.controls.reverse(uuid).uuid;
    });
    const sale = this.#take('saleStatus', () => {});
    const ended = this.#take('reversal', () =>
      end === 'PAID'
        ? this.#model.controls.completeReversal(reversalUUID)
        : this.#model.controls.cancelReversal(reversalUUID),
    );
    return { pending, sale, ended };
  }

  #createJourney(): string {
    const { method, urlTemplate } = operations.createRecurringCheckout;
    const { status, body } = this.#model.handle({
      method,
      path: urlTemplate,
      headers: {
        'x-api-key': defaultCredentials.apiKey,
        'x-api-token': defaultCredentials.apiToken,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ ...sampleOrder, referenceCode: `sandbox-${crypto.randomUUID()}` }),
    });
    if (status !== 200) throw new Error(`The model refused the sample order with ${status}.`);
    return JSON.parse(String(body)).response.uuid;
  }

  /** Runs `move`, and takes the oldest notification of that kind from those sent. */
  #take(kind: SandboxNotification['kind'], move: () => unknown): SandboxNotification {
    move();
    const index = this.#sent.findIndex((notification) => notification.kind === kind);
    const [notification] = index === -1 ? [] : this.#sent.splice(index, 1);
    if (notification === undefined) throw new Error(`The model sent no notification of kind ${kind}.`);
    return notification;
  }
}

function withFields(notification: SandboxNotification, fields: object): SandboxNotification {
  return { ...notification, payload: Object(mergeDeep(notification.payload, fields)) };
}

/** A kind that `trigger` can send. */
export interface TriggerKind {
  /** The kind as a listener of this library knows it. */
  readonly kind: string;
  readonly make: (samples: Samples) => SandboxNotification;
}

/** The kinds that `trigger` can send, by the kind as a listener of this library knows it. */
const kinds: Record<DocumentedNotification['kind'] | 'unrecognized', Record<string, TriggerKind['make']>> = {
  payment: { payment: (samples) => samples.sale().payment },
  saleStatus: { 'sale-reversal': (samples) => samples.sale().reversal('PAID').sale },
  reversal: { reversal: (samples) => samples.sale().reversal('PAID').pending },
  refund: { refund: (samples) => samples.sale().refund(10) },
  payout: {
    payout: (samples) => samples.payout(),
    'payout-failed': (samples) => samples.payout('PE0001'),
  },
  unrecognized: { unrecognized: (samples) => samples.unrecognized() },
};

const triggers = new Map<string, TriggerKind>(
  Object.entries(kinds).flatMap(([kind, makers]) =>
    Object.entries(makers).map(([name, make]) => [name, { kind, make }] as const),
  ),
);

export const triggerKinds = [...triggers.keys()];

export function triggerKind(typed: string): TriggerKind {
  const found = triggers.get(typed);
  if (found !== undefined) return found;
  throw unknownWord('kind', typed, triggerKinds);
}
