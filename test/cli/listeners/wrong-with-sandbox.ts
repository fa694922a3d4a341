import { buffer } from 'node:stream/consumers';
import { PaymentsClient } from 'pix-automatic-sdk';
import { type Outcome, type Payload, pair, right, startMerchant } from './merchant';
import type { WrongListener } from './wrong-listeners';

/** Listeners that ask the service about a payment, and do the wrong thing with its response. */
export const wrongWithSandbox: readonly WrongListener[] = [
  {
    does: 'confirms payments, and records the key of one that it could not confirm',
    fails: ['retry'],
    advice: /Record the idempotency key together with the work/,
    asksService: true,
    start: (service) => {
      const isConfirmed = confirmer(service);
      return startMerchant({
        async once(key, act, { done }) {
          if (done.has(key)) return 'seen';
          done.add(key);
          await act();
          return 'done';
        },
        async work(kind, payload) {
          if (kind === 'payment' && !(await isConfirmed(payload))) throw new Error('Not confirmed.');
        },
      });
    },
  },
  {
    does: 'confirms payments, and answers 200 for good to one that it could not confirm',
    fails: ['retry'],
    advice: /give the claim back when the work fails/,
    asksService: true,
    start: (service) => {
      const isConfirmed = confirmer(service);
      const unconfirmed = new Set<string>();
      return startMerchant({
        async work(kind, payload) {
          if (kind === 'payment' && !(await isConfirmed(payload))) unconfirmed.add(payload.saleToken);
        },
        countedAs: (kind, payload) =>
          kind === 'unrecognized' || unconfirmed.has(payload.saleToken) ? undefined : kind,
      });
    },
  },
  {
    does: 'confirms every notification as if it were a payment, and so refuses refunds',
    fails: ['kinds'],
    advice: /Answer 200 to every kind/,
    asksService: true,
    start: (service) => {
      const isConfirmed = confirmer(service);
      return startMerchant({
        async work(kind, payload) {
          if (kind === 'unrecognized') return;
          if (kind !== 'payment' || !(await isConfirmed(payload))) throw new Error('Not confirmed.');
        },
        countedAs: (kind) => (kind === 'payment' ? kind : undefined),
      });
    },
  },
  {
    does: 'answers 200 when it cannot ask the service about a payment',
    fails: ['confirms'],
    advice: /Answer 500 or 503 when the service cannot be asked/,
    asksService: true,
    start: (service) => {
      const isConfirmed = confirmer(service);
      return startMerchant({
        async once(key, act, shop) {
          // The mistake: an error of the confirmation is caught, and the notification answered like any other.
          return right.once(key, act, shop).catch((): Outcome => 'seen');
        },
        async work(kind, payload) {
          if (kind === 'payment' && !(await isConfirmed(payload))) throw new Error('Not confirmed.');
        },
      });
    },
  },
  {
    does: 'asks the service, and acts all the same when it cannot be asked',
    fails: ['confirms'],
    advice: /Answer 500 or 503 when the service cannot be asked/,
    asksService: true,
    start: (service) => {
      const isConfirmed = confirmer(service);
      return startMerchant({
        async work(kind, payload) {
          // The mistake: an error of the query counts as a yes.
          const isRight = kind !== 'payment' || (await isConfirmed(payload).catch(() => true));
          if (!isRight) throw new Error('Not confirmed.');
        },
      });
    },
  },
  ...(['latin1', 'ascii'] as const).map(
    (encoding): WrongListener => ({
      does: `reads the body as ${encoding}, and so confirms another reference code`,
      fails: ['bodies'],
      advice: /UTF-8/,
      asksService: true,
      start: (service) => {
        const isConfirmed = confirmer(service);
        return startMerchant({
          read: async (request) => (await buffer(request)).toString(encoding),
          async work(kind, payload) {
            if (kind === 'payment' && !(await isConfirmed(payload))) throw new Error('Not confirmed.');
          },
        });
      },
    }),
  ),
  {
    does: 'decodes each piece of the body by itself, and so confirms another reference code',
    fails: ['bodies'],
    advice: /whole body/,
    asksService: true,
    start: (service) => {
      const isConfirmed = confirmer(service);
      return startMerchant({
        async read(request) {
          let body = '';
          for await (const chunk of request) body += String(chunk);
          return body;
        },
        async work(kind, payload) {
          if (kind === 'payment' && !(await isConfirmed(payload))) throw new Error('Not confirmed.');
        },
      });
    },
  },
  {
    does: 'asks the service for the sale, and does not compare its amount',
    fails: ['confirms'],
    advice: /Confirm with `confirmPayment` before you act/,
    asksService: true,
    start: (service) => {
      const client = new PaymentsClient({ baseUrl: service, ...pair, maxRetries: 0 });
      return startMerchant({
        async work(kind, { saleToken }) {
          if (kind !== 'payment') return;
          const { situation } = await client.getTransaction(saleToken);
          if (situation !== 'PAID') throw new Error('Not paid.');
        },
      });
    },
  },
  {
    does: 'asks the service for the sale, and does not look whether it is paid',
    fails: ['confirms'],
    advice: /compares situation, amount/,
    asksService: true,
    start: (service) => {
      const client = new PaymentsClient({ baseUrl: service, ...pair, maxRetries: 0 });
      return startMerchant({
        async work(kind, { saleToken, amount }) {
          if (kind !== 'payment') return;
          const transaction = await client.getTransaction(saleToken);
          if (transaction.amount !== amount) throw new Error('Another amount.');
        },
      });
    },
  },
];

function confirmer(baseUrl: string): (payload: Payload) => Promise<boolean> {
  const client = new PaymentsClient({ baseUrl, ...pair, maxRetries: 0 });
  return async ({ saleToken, amount, referenceCode }) => {
    const transaction = await client.getTransaction(saleToken);
    return (
      transaction.situation === 'PAID' &&
      transaction.amount === amount &&
      (referenceCode === undefined || transaction.referenceCode === referenceCode)
    );
  };
}
