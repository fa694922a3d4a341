import { type Merchant, type Payload, right } from './merchant';
import { accused, type WrongListener } from './verify-listener';

export const wrongKinds: readonly WrongListener[] = [
  ...accused('payout', 'payouts are not expected', {
    'refuses payouts': { work: refusing((kind) => kind === 'payout') },
  }),
  ...accused('statuses', 'it is refused', {
    'refuses sales with another status than PAID': { work: refusing((kind) => kind === 'saleStatus') },
  }),
  ...accused('failedPayout', 'ends the process', {
    'ends its process on payouts': ({ stop }) => ({
      work: (kind) => (kind === 'payoutFailed' ? stop() : undefined),
    }),
  }),
  {
    does: 'crashes on the receipt that a payout which failed has not',
    step: 'failedPayout',
    cause: 'such as `receipt`',
    merchant: {
      work(kind, payload) {
        if (kind.startsWith('payout')) payload.receipt.toString();
      },
    },
  },
  {
    does: 'refuses fields that it does not know',
    step: 'nulls',
    cause: 'unknown fields',
    merchant: { work: refusing((_kind, payload) => 'sandboxField' in payload) },
  },
  {
    does: 'refuses objects with fields that it does not know',
    step: 'nulls',
    cause: 'unknown fields',
    merchant: {
      work: refusing((_kind, payload) => payload.shopper && 'sandboxField' in payload.shopper),
    },
  },
  ...accused('leftOut', 'read without care', {
    'crashes on a payment without a shopper': {
      work: (kind, { shopper }) => void (kind === 'payment' && shopper.email),
    },
  }),
  ...accused('nulls', '`undefined` alone', {
    'crashes on a shopper whose e-mail is null': {
      work: (kind, { shopper }) =>
        void (kind === 'payment' && shopper && shopper.email !== undefined && shopper.email.trim()),
    },
  }),
  ...accused('leftOut', 'read without care', {
    'crashes on a payment without a date': {
      work: (kind, { date }) => void (kind === 'payment' && date.slice(0, 10)),
    },
    "reads a refund's `reversedAmount` alone": {
      work: (kind, { reversedAmount }) => void (kind === 'refund' && reversedAmount.toFixed(2)),
    },
  }),
  ...accused('secondRefund', '`amountRefunded` is needed', {
    "reads a refund's `amountRefunded` alone": {
      work: (kind, { amountRefunded }) => void (kind === 'refund' && amountRefunded.toFixed(2)),
    },
  }),
  ...accused('leftOut', 'read without care', {
    'crashes on a refund without bank details': {
      work: (kind, { bankDetails }) => void (kind === 'refund' && bankDetails.bank),
    },
  }),
  ...accused('leftOut', 'nothing is booked without it', {
    'accepts a payment without a currency, and does not act on it': {
      bookedAs: (kind, payload) =>
        kind === 'payment' && !payload.currency ? undefined : right.bookedAs(kind, payload),
    },
  }),
  {
    does: 'crashes on a reversal whose receipt is null',
    step: 'reversalBegins',
    cause: 'null until it is PAID',
    merchant: { work: (kind, { receipt }) => void (kind === 'reversal' && receipt.trim()) },
  },
  ...accused('afterUnknown', 'or a connection', {
    'keeps a connection for each body that it does not know, until it has none': () => {
      let free = 3;
      return {
        async once(key, act, shop) {
          if (free === 0) return 'busy';
          if (key.startsWith('unrecognized')) free -= 1;
          return right.once(key, act, shop);
        },
      };
    },
  }),
  ...accused('unknownKinds', 'what is not known is refused', {
    'refuses kinds that it does not know': { work: refusing((kind) => kind === 'unrecognized') },
  }),
  ...accused('unknownKinds', 'ends the process', {
    'ends its process on kinds that it does not know': ({ stop }) => ({
      work: (kind, payload) =>
        kind === 'unrecognized' && payload.saleToken === undefined ? stop() : undefined,
    }),
  }),
];

/** Throws before anything is counted. */
function refusing(isRefused: (kind: string, payload: Payload) => boolean): Merchant['work'] {
  return (kind, payload) => {
    if (isRefused(kind, payload)) throw new Error('Not supported.');
  };
}
