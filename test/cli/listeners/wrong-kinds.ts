import { right, startMerchant } from './merchant';
import type { WrongListener } from './wrong-listeners';

const everyKind = { fails: ['kinds'], advice: /Answer 200 to every kind/ };
const fields = { fails: ['missing-fields'], advice: /Read fields with care/ };

export const wrongKinds: readonly WrongListener[] = [
  {
    does: 'refuses payouts',
    ...everyKind,
    start: () => startMerchant({ work: refusing((kind) => kind === 'payout'), countedAs: noPayouts }),
  },
  {
    does: 'refuses sales with another status than PAID',
    ...everyKind,
    start: () => startMerchant({ work: refusing((kind) => kind === 'saleStatus'), countedAs: noSaleStatus }),
  },
  {
    does: 'crashes on the receipt that a payout which failed has not',
    fails: ['kinds', 'missing-fields'],
    advice: /A payout that failed has no receipt/,
    start: () =>
      startMerchant({
        work(kind, payload) {
          if (kind === 'payout') payload.receipt.toString();
        },
      }),
  },
  {
    does: 'ends its process on payouts',
    ...everyKind,
    fails: ['kinds'],
    start: () =>
      startMerchant(({ stop }) => ({
        work: (kind, payload) => (kind === 'payout' && payload.success === false ? stop() : undefined),
      })),
  },
  {
    does: 'refuses fields that it does not know',
    fails: ['unknown-fields'],
    advice: /leave the others alone/,
    start: () => startMerchant({ work: refusing((_kind, payload) => 'sandboxText' in payload) }),
  },
  {
    does: 'refuses objects with fields that it does not know',
    fails: ['unknown-fields'],
    advice: /additionalProperties/,
    start: () =>
      startMerchant({
        work: refusing((_kind, payload) => payload.shopper && 'sandboxText' in payload.shopper),
      }),
  },
  {
    does: 'crashes on a payment without a shopper',
    ...fields,
    start: () => startMerchant({ work: (kind, { shopper }) => void (kind === 'payment' && shopper.email) }),
  },
  {
    does: 'crashes on a shopper whose e-mail is null',
    ...fields,
    start: () =>
      startMerchant({
        work: (kind, { shopper }) =>
          void (kind === 'payment' && shopper && shopper.email !== undefined && shopper.email.trim()),
      }),
  },
  {
    does: 'crashes on a payment without a date',
    ...fields,
    start: () => startMerchant({ work: (kind, { date }) => void (kind === 'payment' && date.slice(0, 10)) }),
  },
  {
    does: "reads a refund's `reversedAmount` alone",
    ...fields,
    start: () =>
      startMerchant({
        work: (kind, { reversedAmount }) => void (kind === 'refund' && reversedAmount.toFixed(2)),
      }),
  },
  {
    does: "reads a refund's `amountRefunded` alone",
    ...fields,
    start: () =>
      startMerchant({
        work: (kind, { amountRefunded }) => void (kind === 'refund' && amountRefunded.toFixed(2)),
      }),
  },
  {
    does: 'crashes on a reversal whose receipt is null',
    fails: ['kinds', 'missing-fields'],
    advice: /Answer 200 to every kind/,
    start: () => startMerchant({ work: (kind, { receipt }) => void (kind === 'reversal' && receipt.trim()) }),
  },
  {
    does: 'crashes on a refund without bank details',
    ...fields,
    start: () =>
      startMerchant({ work: (kind, { bankDetails }) => void (kind === 'refund' && bankDetails.bank) }),
  },
  {
    does: 'accepts a payment without a currency, and does not act on it',
    ...fields,
    start: () =>
      startMerchant({
        countedAs: (kind, payload) =>
          kind === 'payment' && !payload.currency ? undefined : right.countedAs(kind, payload),
      }),
  },
  {
    does: 'refuses kinds that it does not know',
    fails: ['unknown-kinds'],
    advice: /Answer 200 to a JSON object of no known kind/,
    start: () => startMerchant({ work: refusing((kind) => kind === 'unrecognized') }),
  },
  {
    does: 'ends its process on kinds that it does not know',
    fails: ['unknown-kinds'],
    advice: /Answer 200 to a JSON object of no known kind/,
    start: () =>
      startMerchant(({ stop }) => ({
        work: (kind, payload) =>
          kind === 'unrecognized' && payload.saleToken === undefined ? stop() : undefined,
      })),
  },
];

type Work = (kind: string, payload: Parameters<typeof right.work>[1]) => void;

function refusing(isRefused: (kind: string, payload: Parameters<typeof right.work>[1]) => boolean): Work {
  return (kind, payload) => {
    if (isRefused(kind, payload)) throw new Error('Not supported.');
  };
}

/** A refused notification is not counted. */
function noPayouts(kind: string): string | undefined {
  return kind === 'payout' || kind === 'unrecognized' ? undefined : kind;
}

function noSaleStatus(kind: string): string | undefined {
  return kind === 'saleStatus' || kind === 'unrecognized' ? undefined : kind;
}
