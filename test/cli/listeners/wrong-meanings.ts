import { right, startMerchant } from './merchant';
import type { WrongListener } from './wrong-listeners';

const meaning = { fails: ['right-kind'], advice: /Mark an order paid only when/ };

const unknown = { fails: ['unknown-kinds'], advice: /Book nothing for a body/ };

export const wrongMeanings: readonly WrongListener[] = [
  {
    does: 'marks an order paid when its sale is reversed',
    ...meaning,
    start: () =>
      startMerchant({
        countedAs: (kind, payload) =>
          payload.newStatus === 'REVERSAL' ? 'payment' : right.countedAs(kind, payload),
      }),
  },
  {
    does: 'takes everything with a `saleToken` for a payment',
    ...meaning,
    fails: ['right-kind', 'unknown-kinds'],
    start: () =>
      startMerchant({
        countedAs: (kind, payload) => (payload.saleToken ? 'payment' : right.countedAs(kind, payload)),
      }),
  },
  {
    does: 'takes every `newStatus` but REVERSAL for a payment',
    ...meaning,
    start: () =>
      startMerchant({
        countedAs: (kind, payload) =>
          kind === 'saleStatus' && payload.newStatus !== 'REVERSAL'
            ? 'payment'
            : right.countedAs(kind, payload),
      }),
  },
  {
    does: 'takes unknown bodies with a `saleToken` for payments',
    ...unknown,
    start: () =>
      startMerchant({
        countedAs: (kind, payload) => (kind === 'unrecognized' ? payload.saleToken && 'payment' : kind),
      }),
  },
  {
    does: 'books unknown bodies without flags as payouts, because they have a `uuid`',
    ...unknown,
    start: () =>
      startMerchant({
        kindOf: (url, payload) =>
          payload.event && payload.uuid && payload.saleToken === undefined
            ? 'payout'
            : right.kindOf(url, payload),
      }),
  },
  {
    does: 'takes unknown bodies with the status PAID for payments',
    ...unknown,
    start: () =>
      startMerchant({
        kindOf: (url, payload) =>
          payload.event && payload.status === 'PAID' ? 'payment' : right.kindOf(url, payload),
      }),
  },
  {
    does: 'books an unknown flag in the query as a refund',
    ...unknown,
    start: () =>
      startMerchant({
        kindOf: (url, payload) =>
          url.searchParams.get('type') === 'sandbox' ? 'refund' : right.kindOf(url, payload),
      }),
  },
  {
    does: 'takes the kind from the query alone, and what has none for a payment',
    ...meaning,
    start: () =>
      startMerchant({
        kindOf: (url, payload) => kindOfQuery(url) ?? (payload.event ? 'unrecognized' : 'payment'),
      }),
  },
  {
    does: 'takes the kind from the query alone, and does nothing about what has none',
    fails: ['right-kind'],
    advice: /Look at the query and at the body/,
    start: () =>
      startMerchant({
        kindOf: (url, payload) =>
          kindOfQuery(url) ?? (payload.newStatus ? right.kindOf(url, payload) : 'unrecognized'),
      }),
  },
  {
    does: 'books reversals as refunds',
    ...meaning,
    start: () =>
      startMerchant({ countedAs: (kind) => (kind === 'reversal' ? 'refund' : right.countedAs(kind, {})) }),
  },
  {
    does: 'books a payout that failed as a payment',
    ...meaning,
    start: () =>
      startMerchant({
        countedAs: (kind, payload) =>
          payload.success === false ? 'payment' : right.countedAs(kind, payload),
      }),
  },
  {
    does: 'books a payout that failed as paid out',
    ...meaning,
    start: () =>
      startMerchant(({ counts }) => {
        counts['payoutFailed'] = 0;
        return {};
      }),
  },
];

function kindOfQuery(url: URL): string | undefined {
  return (
    ['refund', 'payout'].find((flag) => url.searchParams.has(flag)) ??
    (url.searchParams.has('reversing') ? 'reversal' : undefined)
  );
}
