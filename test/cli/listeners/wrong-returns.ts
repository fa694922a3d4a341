import { amountOf, type Booked, type Merchant, type Parts, type Payload, right } from './merchant';
import { accused, type WrongListener } from './verify-listener';

/** Listeners that lose or double what comes back, or what an order has still to get. */
export const wrongReturns: readonly WrongListener[] = [
  ...accused('refundOvertakes', 'answered 200 and dropped', {
    'answers 200 to a refund whose payment it does not know, and drops it': ({ rows }) => ({
      bookedAs: (kind, payload) =>
        kind === 'refund' && !isPaid(rows, payload) ? undefined : right.bookedAs(kind, payload),
    }),
  }),
  ...accused('refundOvertakes', 'closes the order', {
    'closes an order by a refund that comes before its payment': () => {
      const refunded = new Set<string>();
      return {
        bookedAs(kind, payload) {
          if (kind === 'refund') refunded.add(payload.saleToken);
          if (kind === 'payment' && refunded.has(payload.saleToken)) return undefined;
          return right.bookedAs(kind, payload);
        },
      };
    },
  }),
  ...accused('refundFirst', 'ends the process', {
    'ends its process on a refund whose payment it does not know': ({ rows, stop }) => ({
      work: (kind, payload) => (kind === 'refund' && !isPaid(rows, payload) ? stop() : undefined),
    }),
  }),
  ...accused('secondReversal', 'closed by its first reversal', {
    'closes a sale by its first reversal': () => {
      const closed = new Set<string>();
      return {
        bookedAs(kind, payload) {
          const booked = right.bookedAs(kind, payload);
          if (booked !== 'reversal') return booked;
          if (closed.has(payload.sale.uuid)) return undefined;
          closed.add(payload.sale.uuid);
          return booked;
        },
      };
    },
  }),
  ...accused('secondReversal', 'the UUID of the sale', {
    'takes the UUID of the sale for the key of a reversal': keyed('reversal', ({ sale }) => sale.uuid),
  }),
  ...accused('secondReversal', 'or its amount', {
    'takes sale and amount for the key of a reversal': keyed(
      'reversal',
      ({ sale, status, reversedAmount }) => `${sale.uuid}:${status}:${reversedAmount}`,
    ),
  }),
  ...accused('reversal', 'by its PENDING alone', {
    'knows a reversal by its PENDING alone': () => {
      const begun = new Set<string>();
      return {
        bookedAs(kind, payload) {
          if (kind === 'reversal' && payload.status === 'PENDING') begun.add(payload.uuid);
          return kind === 'reversal' && !begun.has(payload.uuid) ? undefined : right.bookedAs(kind, payload);
        },
      };
    },
  }),
  ...accused('reversal', 'books `originalAmount`', {
    'books the amount of the whole sale as reversed': {
      amountOf: (kind, payload) => (kind === 'reversal' ? payload.originalAmount : amountOf(payload)),
    },
  }),
  ...accused(
    'reversalEnds',
    'booked as two returns',
    {
      'books a reversal at its PENDING, and once more at its PAID': {
        bookedAs: (kind, payload) =>
          kind === 'reversal' && payload.status === 'PENDING' ? 'reversal' : right.bookedAs(kind, payload),
      },
    },
    { reversalCancelled: 'booked at its PENDING stays' },
  ),
  ...accused('reversalCancelled', 'booked at its PENDING stays', {
    'books a reversal at its PENDING, and leaves it there when it is CANCELLED': reversing(
      (_rows, known) => !known,
    ),
  }),
  ...accused(
    'latePending',
    'PENDING is booked once more',
    {
      'books a reversal of a PENDING that comes late': reversing((_rows, known, { status }) => {
        return status === 'PENDING' || (status === 'PAID' && !known);
      }),
    },
    { reversalCancelled: 'booked at its PENDING stays' },
  ),
  ...accused('reversalCancelled', 'CANCELLED is booked', {
    'books a reversal CANCELLED': {
      bookedAs: (kind, payload) =>
        kind === 'reversal' && payload.status === 'CANCELLED' ? 'reversal' : right.bookedAs(kind, payload),
    },
  }),
  ...accused('laterCharge', 'kept by their order', {
    'keeps payments by their order, and so drops the charge of the next month': keyed(
      'payment',
      ({ referenceCode }) => referenceCode,
    ),
  }),
  ...accused('cents', 'text for people', {
    'reads the amounts that it has written for people': {
      amountOf: (_kind, payload) => Number.parseFloat((amountOf(payload) ?? 0).toLocaleString('en')),
    },
  }),
  ...accused('cents', 'too few digits', {
    'has a column for amounts below 10,000': {
      amountOf: (_kind, payload) => Math.min(amountOf(payload) ?? 0, 9_999.99),
    },
  }),
  ...accused(
    'payoutAfterFailed',
    'two payouts share',
    {
      'takes the account of a payout for its key': keyed('payout', ({ bankDetails }) => bankDetails.account),
    },
    { leftOut: 'read without care' },
  ),
  ...accused('first', 'sets another status', {
    'books a payment, and then answers 404': {
      respond: (response, _outcome, { kind }) => response.writeHead(kind === 'payment' ? 404 : 200).end(),
    },
  }),
  ...accused('reversal', 'ends the process', {
    'ends its process on a reversal of a part': ({ stop }) => ({
      work: (_kind, { originalAmount, reversedAmount, sale }) =>
        sale && reversedAmount < originalAmount ? stop() : undefined,
    }),
  }),
];

function isPaid(rows: readonly Booked[], { saleToken }: Payload): boolean {
  return rows.some(({ kind, subject }) => kind === 'payment' && subject === saleToken);
}

function keyed(wanted: string, identityOf: (payload: Payload) => string): Partial<Merchant> {
  return {
    keyOf: (kind, payload) =>
      kind === wanted ? `${kind}:${identityOf(payload)}` : right.keyOf(kind, payload),
  };
}

/** Books a reversal in another way. `known` is whether it has a row. */
function reversing(isBooked: (rows: readonly Booked[], known: boolean, payload: Payload) => boolean): Parts {
  return ({ rows }) => ({
    bookedAs(kind, payload) {
      if (kind !== 'reversal') return right.bookedAs(kind, payload);
      const known = rows.some((row) => row.kind === kind && row.subject === payload.uuid);
      return isBooked(rows, known, payload) ? kind : undefined;
    },
  });
}
