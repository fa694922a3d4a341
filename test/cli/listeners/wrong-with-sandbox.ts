import { buffer } from 'node:stream/consumers';
import type { PaymentsClient } from 'pix-automatic-sdk';
import { type Merchant, type Outcome, type Parts, type Payload, right } from './merchant';
import { accused, type WrongListener } from './verify-listener';

/** Listeners that ask the service about a payment, and do the wrong thing with its response. */
const listeners: readonly Omit<WrongListener, 'asksService'>[] = [
  {
    does: 'confirms payments, and records the key of one that it could not confirm',
    step: 'unasked',
    cause: 'recorded before the service is asked',
    merchant: ({ client }) => ({
      ...confirming(client),
      async once(key, act, { done }) {
        if (done.has(key)) return 'seen';
        done.add(key);
        await act();
        return 'done';
      },
    }),
  },
  {
    does: 'confirms payments, and answers 200 for good to one that it could not confirm',
    step: 'rightAmount',
    cause: 'or a state',
    merchant: ({ client }) => {
      const unconfirmed = new Set<string>();
      return {
        async work(kind, payload) {
          if (kind === 'payment' && !(await isConfirmed(client, payload))) unconfirmed.add(payload.saleToken);
        },
        bookedAs: (kind, payload) =>
          kind === 'payment' && unconfirmed.has(payload.saleToken)
            ? undefined
            : right.bookedAs(kind, payload),
      };
    },
  },
  {
    does: 'confirms payments, answers 200 to one that nobody has paid yet, and never takes it again',
    step: 'rightAmount',
    cause: 'its key',
    merchant: ({ client }) => ({
      async once(key, act, shop) {
        if (shop.done.has(key)) return 'seen';
        try {
          return await right.once(key, act, shop);
        } catch (error) {
          if (!(error instanceof Error && error.message === 'Not confirmed.')) throw error;
          shop.done.add(key);
          return 'done';
        }
      },
      ...confirming(client),
    }),
  },
  ...accused('unasked', 'caught and answered 200', {
    'answers 200 when it cannot ask the service about a payment': ({ client }) => ({
      ...confirming(client),
      async once(key, act, shop) {
        // The mistake: an error of the confirmation is caught, and the notification answered like any other.
        return right.once(key, act, shop).catch((): Outcome => 'seen');
      },
    }),
  }),
  ...accused('unasked', 'counts as a yes', {
    'asks the service, and acts all the same when it cannot be asked': ({ client }) => ({
      async work(kind, payload) {
        // The mistake: an error of the query counts as a yes.
        const isRight = kind !== 'payment' || (await isConfirmed(client, payload).catch(() => true));
        if (!isRight) throw new Error('Not confirmed.');
      },
    }),
  }),
  {
    does: 'reads the body as latin1, and so confirms another reference code',
    step: 'reference',
    cause: 'another encoding than UTF-8',
    merchant: ({ client }) => ({
      ...confirming(client),
      read: async (request) => (await buffer(request)).toString('latin1'),
    }),
  },
  {
    does: 'decodes each piece of the body by itself, and so confirms another reference code',
    step: 'cutLetter',
    cause: 'decoded by itself',
    merchant: ({ client }) => ({
      ...confirming(client),
      async read(request) {
        let body = '';
        for await (const chunk of request) body += String(chunk);
        return body;
      },
    }),
  },
  {
    does: 'asks the service for the sale, and does not compare its amount',
    step: 'wrongAmount',
    cause: 'the amount is not compared',
    merchant: ({ client }) => ({
      async work(kind, { saleToken }) {
        if (kind !== 'payment') return;
        const { situation } = await client.getTransaction(saleToken);
        if (situation !== 'PAID') throw new Error('Not paid.');
      },
    }),
  },
  {
    does: 'asks the service for the sale, and does not look whether it is paid',
    step: 'unpaid',
    cause: 'the `situation` of the sale',
    merchant: ({ client }) => ({
      async work(kind, { saleToken, amount }) {
        if (kind !== 'payment') return;
        const transaction = await client.getTransaction(saleToken);
        if (transaction.amount !== amount) throw new Error('Another amount.');
      },
    }),
  },
];

/** Listeners that refuse a payment of which money went back, and lose its refund. */
const refunding: readonly Omit<WrongListener, 'asksService'>[] = [
  ...accused('refundOvertakes', 'because money went back', {
    'drops a refund that comes first, and refuses its payment because money went back': refusingRefunded(
      () => undefined,
    ),
    'refuses a refund until its payment is there, which it refuses because money went back': refusingRefunded(
      () => {
        throw new Error('There is no such payment.');
      },
    ),
  }),
];

/** Listeners that ask, and lose what comes after a refusal. */
const locking: readonly Omit<WrongListener, 'asksService'>[] = [
  {
    does: 'knows no order of these sales',
    step: 'first',
    cause: 'refuses a sale',
    merchant: {
      work(kind) {
        if (kind === 'payment') throw new Error('There is no such order.');
      },
    },
  },
  {
    does: 'keeps a connection for each payment that it refuses, until it has none for another sale',
    step: 'afterRefused',
    cause: 'a connection',
    merchant: ({ client }) => {
      const refused = new Set<string>();
      return {
        async work(kind, payload) {
          if (kind !== 'payment') return;
          if (refused.size > 2 && !refused.has(payload.saleToken)) throw new Error('No connection is free.');
          if (await isConfirmed(client, payload).catch(() => false)) return;
          refused.add(payload.saleToken);
          throw new Error('Not confirmed.');
        },
      };
    },
  },
  {
    does: 'takes a lock, and does not give it back when a payment is not confirmed',
    step: 'paidSince',
    cause: 'a lock',
    merchant: ({ client }) => {
      let isLocked = false;
      let refused = 0;
      return {
        async once(key, act, shop) {
          if (shop.done.has(key)) return 'seen';
          if (isLocked && refused > 2) return 'busy';
          isLocked = true;
          try {
            return await right.once(key, act, shop);
          } catch (error) {
            refused++;
            throw error;
          }
        },
        ...confirming(client),
      };
    },
  },
];

export const wrongWithSandbox: readonly WrongListener[] = [...listeners, ...refunding, ...locking].map(
  (listener) => {
    return { ...listener, asksService: true };
  },
);

/** The part of a listener that confirms payments as it should. */
function confirming(client: PaymentsClient): Pick<Merchant, 'work'> {
  return {
    async work(kind, payload) {
      if (kind === 'payment' && !(await isConfirmed(client, payload))) throw new Error('Not confirmed.');
    },
  };
}

/** @param meet - what is done about a refund of a payment that is not there */
function refusingRefunded(meet: () => undefined): Parts {
  return ({ client, rows }) => ({
    async work(kind, payload) {
      if (kind !== 'payment') return;
      const { refunds } = await client.getTransaction(payload.saleToken);
      const isWhole = (refunds?.transactions ?? []).length === 0;
      if (!isWhole || !(await isConfirmed(client, payload))) throw new Error('Not confirmed.');
    },
    bookedAs(kind, payload) {
      const isKnown = rows.some((row) => row.kind === 'payment' && row.subject === payload.saleToken);
      return kind === 'refund' && !isKnown ? meet() : right.bookedAs(kind, payload);
    },
  });
}

async function isConfirmed(
  client: PaymentsClient,
  { saleToken, amount, referenceCode }: Payload,
): Promise<boolean> {
  const transaction = await client.getTransaction(saleToken);
  return (
    transaction.situation === 'PAID' &&
    transaction.amount === amount &&
    (referenceCode === undefined || transaction.referenceCode === referenceCode)
  );
}
