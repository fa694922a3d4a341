import type { RecurringCheckoutRequest } from '../../schemas/checkout-request';
import type { PayoutErrorCode } from '../../schemas/notifications/payout';
import { defaultCredentials } from '../default-credentials';
import type { SandboxNotification } from '../model/records';
import { ServiceModel } from '../model/service-model';

/** Notifications to send, made by the service's model: no payload is written out a second time. */
export class Samples {
  readonly #sent: SandboxNotification[] = [];
  readonly #model = new ServiceModel({
    credentials: defaultCredentials,
    baseUrl: 'http://sandbox.invalid',
    inventions: { saleReversalNotification: true },
    notify: (notification) => this.#sent.push(notification),
  });

  /** A sale that is paid, with the notification that says so. */
  sale(): SampleSale {
    const uuid = this.#createJourney();
    const payment = this.#take('payment', () => this.#model.pay(uuid));
    return {
      payment,
      refund: (amount) => this.#take('refund', () => this.#model.refund(uuid, { amount })),
      reversal: (end) => {
        let reversalUUID = '';
        const start = () => {
          reversalUUID = this.#model.reverse(uuid).uuid;
        };
        const pending = this.#take('reversal', start);
        const sale = this.#take('saleStatus', () => {});
        const ended = this.#take('reversal', () =>
          end === 'PAID'
            ? this.#model.completeReversal(reversalUUID)
            : this.#model.cancelReversal(reversalUUID),
        );
        return { pending, sale, ended };
      },
    };
  }

  payout(fail?: PayoutErrorCode): SandboxNotification {
    return this.#take('payout', () => this.#model.payOut({ amount: 12.34, fail }));
  }

  /** Of no kind that the document shows; plainly made up, because the sandbox does not guess what the service has. */
  unrecognized(query = ''): SandboxNotification {
    const payload = { event: 'sandbox.made-up', uuid: crypto.randomUUID(), status: 'SANDBOX' };
    return this.#take('custom', () => this.#model.notify(payload, query));
  }

  #createJourney(): string {
    const { status, body } = this.#model.handle({
      method: 'POST',
      path: '/v1.1/checkout/pix-automatic',
      headers: {
        'x-api-key': defaultCredentials.apiKey,
        'x-api-token': defaultCredentials.apiToken,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ ...order, referenceCode: `sandbox-${crypto.randomUUID()}` }),
    });
    if (status !== 200) throw new Error(`The model refused the sample order with ${status}.`);
    return JSON.parse(String(body)).response.uuid;
  }

  /** Makes a move, and takes the notification of that kind that it sent. */
  #take(kind: SandboxNotification['kind'], move: () => unknown): SandboxNotification {
    move();
    const index = this.#sent.findIndex((notification) => notification.kind === kind);
    const [notification] = index === -1 ? [] : this.#sent.splice(index, 1);
    if (notification === undefined) throw new Error(`The model sent no notification of kind ${kind}.`);
    return notification;
  }
}

/** What can be reported of one sale. */
export interface SampleSale {
  readonly payment: SandboxNotification;
  /** A partial refund: each has a UUID of its own, and the `saleToken` of the others. */
  refund(amount: number): SandboxNotification;
  /** All that is sent when it is reversed: the reversal's two notifications share their UUID. */
  reversal(end: 'PAID' | 'CANCELLED'): {
    readonly pending: SandboxNotification;
    readonly sale: SandboxNotification;
    readonly ended: SandboxNotification;
  };
}

const order: Omit<RecurringCheckoutRequest, 'referenceCode'> = {
  currency: 'BRL',
  amount: 59.7,
  shopper: { id: 'sandbox-shopper', name: 'Ana de Souza', email: 'ana@example.com' },
  recurrence: { immediatePayment: true, amount: { recurrenceAmount: 29.9 } },
};
