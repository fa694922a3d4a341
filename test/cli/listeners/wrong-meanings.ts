import { type Parts, type Payload, right } from './merchant';
import { accused, reports, type WrongListener } from './verify-listener';

const meaning = reports('right-kind', /Mark an order paid only when/);

const unknown = reports('unknown-kinds', /Book nothing for a body/);

export const wrongMeanings: readonly WrongListener[] = [
  ...accused(meaning, {
    'marks an order paid when its sale is reversed': paidBy(({ newStatus }) => newStatus === 'REVERSAL'),
    'takes every `newStatus` but REVERSAL for a payment': paidBy(
      ({ newStatus }, kind) => kind === 'saleStatus' && newStatus !== 'REVERSAL',
    ),
    'takes the kind from the query alone, and what has none for a payment': {
      kindOf: (url, payload) => kindOfQuery(url) ?? (payload.event ? 'unrecognized' : 'payment'),
    },
    'books reversals as refunds': {
      bookedAs: (kind) => (kind === 'reversal' ? 'refund' : right.bookedAs(kind, {})),
    },
    'books a payout that failed as a payment': paidBy(({ success }) => success === false),
    'books a payout that failed as paid out': ({ counts }) => {
      counts['payoutFailed'] = 0;
      return {};
    },
  }),
  {
    does: 'takes everything with a `saleToken` for a payment',
    ...meaning,
    fails: ['right-kind', 'unknown-kinds'],
    merchant: paidBy(({ saleToken }) => saleToken !== undefined),
  },
  ...accused(unknown, {
    'takes unknown bodies with a `saleToken` for payments': {
      bookedAs: (kind, payload) => (kind === 'unrecognized' ? payload.saleToken && 'payment' : kind),
    },
    'books unknown bodies without flags as payouts, because they have a `uuid`': takenFor(
      'payout',
      ({ event, uuid, saleToken }) => event && uuid && saleToken === undefined,
    ),
    'takes unknown bodies with the status PAID for payments': takenFor(
      'payment',
      ({ event, status }) => event && status === 'PAID',
    ),
    'books an unknown flag in the query as a refund': takenFor(
      'refund',
      (_payload, url) => url.searchParams.get('type') === 'sandbox',
    ),
  }),
  {
    does: 'takes the kind from the query alone, and does nothing about what has none',
    ...reports('right-kind', /Look at the query and at the body/),
    merchant: {
      kindOf: (url, payload) =>
        kindOfQuery(url) ?? (payload.newStatus ? right.kindOf(url, payload) : 'unrecognized'),
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

function kindOfQuery(url: URL): string | undefined {
  return (
    ['refund', 'payout'].find((flag) => url.searchParams.has(flag)) ??
    (url.searchParams.has('reversing') ? 'reversal' : undefined)
  );
}
