import { amountOf, type Parts, type Payload, right } from './merchant';
import { accused, type WrongListener } from './verify-listener';

export const wrongMeanings: readonly WrongListener[] = [
  {
    does: 'marks an order paid when its sale is reversed',
    step: 'statuses',
    cause: 'other than `PAID` is booked',
    merchant: paidBy(({ newStatus }) => newStatus === 'REVERSAL'),
  },
  {
    does: 'takes every `newStatus` but REVERSAL for a payment',
    step: 'statuses',
    cause: 'other than `PAID` is booked',
    laterCauses: { lateSale: 'PENDING is booked once more' },
    merchant: paidBy(({ newStatus }, kind) => kind === 'saleStatus' && newStatus !== 'REVERSAL'),
  },
  {
    does: 'takes the kind from the query alone, and what has none for a payment',
    step: 'refundNoQuery',
    cause: 'from the query alone',
    laterCauses: { statuses: 'other than `PAID` is booked', lateSale: 'PENDING is booked once more' },
    merchant: {
      kindOf: (url, payload) => kindOfQuery(url, payload) ?? (payload.event ? 'unrecognized' : 'payment'),
    },
  },
  {
    does: 'books reversals as refunds',
    step: 'reversal',
    cause: 'does not tell a reversal',
    laterCauses: { reversalCancelled: 'CANCELLED is booked' },
    merchant: {
      bookedAs: (kind, payload) => (kind === 'reversal' ? 'refund' : right.bookedAs(kind, payload)),
    },
  },
  {
    does: 'books a payout that failed as a payment',
    step: 'failedPayout',
    cause: 'it is booked',
    merchant: paidBy(({ success }) => success === false),
  },
  {
    does: 'books a payout that failed as paid out',
    step: 'failedPayout',
    cause: 'it is booked',
    merchant: {
      bookedAs: (kind, payload) => (kind === 'payoutFailed' ? 'payout' : right.bookedAs(kind, payload)),
    },
  },
  {
    does: 'takes everything with a `saleToken` for a payment',
    step: 'refund',
    cause: 'not told from a payment',
    laterCauses: { statuses: 'other than `PAID` is booked', lateSale: 'PENDING is booked once more' },
    merchant: paidBy(({ saleToken }) => saleToken !== undefined),
  },
  {
    does: 'books the amount of the whole sale as refunded',
    step: 'refund',
    cause: 'the amount of the whole sale',
    merchant: {
      amountOf: (kind, payload) => (kind === 'refund' ? payload.originalAmount : amountOf(payload)),
    },
  },
  {
    does: 'takes the payment away when a part of it is refunded',
    step: 'refund',
    cause: 'changes its row',
    merchant: ({ rows }) => ({
      work(kind, { saleToken }) {
        const row = rows.findIndex(({ kind: of, subject }) => of === 'payment' && subject === saleToken);
        if (kind === 'refund' && row >= 0) rows.splice(row, 1);
      },
    }),
  },
  {
    does: 'writes what is left of a sale over its payment',
    step: 'refund',
    cause: 'changes its row',
    merchant: ({ rows }) => ({
      work(kind, { saleToken, refund }) {
        const row = rows.findIndex(({ kind: of, subject }) => of === 'payment' && subject === saleToken);
        const payment = rows[row];
        if (kind !== 'refund' || payment === undefined) return;
        rows[row] = { ...payment, amount: (payment.amount ?? 0) - refund.amount };
      },
    }),
  },
  {
    does: 'books whole amounts, as a column of whole numbers does',
    step: 'cents',
    cause: 'of whole numbers',
    merchant: { amountOf: (_kind, payload) => Math.round(amountOf(payload) ?? 0) },
  },
  {
    does: 'cuts amounts off at the cent, and so loses one',
    step: 'cents',
    cause: 'not rounded',
    merchant: { amountOf: (_kind, payload) => Math.trunc((amountOf(payload) ?? 0) * 100) / 100 },
  },
  {
    does: 'books cents in the place of amounts',
    step: 'first',
    cause: 'in cents',
    merchant: { amountOf: (_kind, payload) => (amountOf(payload) ?? 0) * 100 },
  },
  ...accused('unknownKinds', 'one field (`saleToken`', {
    'takes unknown bodies with a `saleToken` for payments': {
      bookedAs: (kind, payload) =>
        kind === 'unrecognized' ? payload.saleToken && 'payment' : right.bookedAs(kind, payload),
    },
  }),
  ...accused('unknownKinds', '`uuid`', {
    'books unknown bodies without flags as payouts, because they have a `uuid`': takenFor(
      'payout',
      ({ event, uuid, saleToken, status }) => event && uuid && saleToken === undefined && status !== 'PAID',
    ),
  }),
  ...accused('unknownKinds', 'a status', {
    'takes unknown bodies with the status PAID for payments': takenFor(
      'payment',
      ({ event, status }) => event && status === 'PAID',
    ),
  }),
  ...accused('unknownKinds', 'a flag of the query', {
    'books an unknown flag in the query as a refund': takenFor(
      'refund',
      (_payload, url) => url.searchParams.get('type') === 'sandbox',
    ),
  }),
  {
    does: 'takes the kind from the query alone, and does nothing about what has none',
    step: 'refundNoQuery',
    cause: 'from the query alone',
    merchant: {
      kindOf: (url, payload) =>
        kindOfQuery(url, payload) ?? (payload.newStatus ? right.kindOf(url, payload) : 'unrecognized'),
    },
  },
];

/** Also counts these as payments. */
function paidBy(isPaid: (payload: Payload, kind: string) => boolean): Parts {
  return {
    bookedAs: (kind, payload) => (isPaid(payload, kind) ? 'payment' : right.bookedAs(kind, payload)),
  };
}

/** Also takes these for notifications of this kind. */
function takenFor(kind: string, isTaken: (payload: Payload, url: URL) => boolean): Parts {
  return { kindOf: (url, payload) => (isTaken(payload, url) ? kind : right.kindOf(url, payload)) };
}

function kindOfQuery(url: URL, { success }: Payload): string | undefined {
  const { searchParams } = url;
  if (searchParams.has('refund')) return 'refund';
  if (searchParams.has('payout')) return success ? 'payout' : 'payoutFailed';
  return searchParams.has('reversing') ? 'reversal' : undefined;
}
