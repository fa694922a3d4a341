import { setTimeout as sleep } from 'node:timers/promises';
import { type Merchant, type Parts, type Payload, right, type Shop } from './merchant';
import { accused, reports, type WrongListener } from './verify-listener';

const once = reports('duplicates', /Record the idempotency key of what you have acted on/);
const share = reports('one-sale', /Deduplicate on kind, identity and status together/);
const undone = reports('order', /do not go back to it/);
const again = reports('retry', /Record the idempotency key together with the work/);

export const wrongDuplicates: readonly WrongListener[] = [
  ...accused(once, {
    'acts again on duplicates': {
      async once(_key, act) {
        await act();
        return 'done';
      },
    },
    'acts again on duplicates that come at the same time': withoutClaim(''),
    'acts again on a refund that comes several times at once': withoutClaim('refund'),
    'acts again on a payout that comes several times at once': withoutClaim('payout'),
    'deduplicates payments alone': () => {
      let number = 0;
      return {
        keyOf: (kind, payload) => (kind === 'payment' ? right.keyOf(kind, payload) : `${kind}:${number++}`),
      };
    },
    'remembers the last notification alone': {
      once(key, act, shop) {
        if (!shop.done.has(key)) shop.done.clear();
        return right.once(key, act, shop);
      },
    },
    'takes a hash of the time for its key': { keyOf: () => `${performance.now()}` },
    'takes a hash of the whole body for its key': { keyOf: (_kind, payload) => JSON.stringify(payload) },
    'takes a hash of the whole body of refunds for their key': keyed('refund', (payload) =>
      JSON.stringify(payload),
    ),
    'answers 409 to duplicates': {
      respond: (response, outcome) => response.writeHead(outcome === 'seen' ? 409 : 200).end(),
    },
    'handles a payout that failed at each delivery again': forgetting(
      (_kind, { success }) => success === false,
    ),
    'handles a sale with REVERSAL at each delivery again': forgetting((kind) => kind === 'saleStatus'),
    'handles a reversal PENDING at each delivery again': forgetting(
      (kind, { status }) => kind === 'reversal' && status === 'PENDING',
    ),
    'handles a reversal CANCELLED at each delivery again': forgetting(
      (kind, { status }) => kind === 'reversal' && status === 'CANCELLED',
    ),
  }),
  ...accused(share, {
    'deduplicates on `saleToken`, or else on `uuid`': {
      keyOf: (_kind, payload) => payload.saleToken ?? payload.uuid ?? '',
    },
    'deduplicates on kind and `saleToken`, and so loses the second refund': keyed(
      'refund',
      ({ saleToken }) => `refund:${saleToken}`,
    ),
    'deduplicates reversals on their `uuid`, and so loses their end': keyed('reversal', ({ uuid }) => uuid),
    'deduplicates refunds on `saleToken` and amount': keyed(
      'refund',
      ({ saleToken, refund }) => `refund:${saleToken}:${refund.amount}`,
    ),
    'deduplicates payouts on their `uuid`, and so loses the end of one that failed first': keyed(
      'payout',
      ({ uuid }) => uuid,
    ),
  }),
  {
    does: 'books every payment twice',
    ...reports('acts', /Act once for one notification/),
    merchant: ({ counts }) => ({
      work(kind) {
        if (kind === 'payment') counts['payment'] = (counts['payment'] ?? 0) + 1;
      },
    }),
  },
  {
    does: 'answers 200 to other payments while it is at work on one',
    ...reports('burst', /Answer 200 only to what you have acted on/),
    merchant: () => {
      let isBusy = false;
      return {
        async once(key, act, shop) {
          if (isBusy) return shop.running.has(key) ? 'busy' : 'seen';
          isBusy = true;
          return right
            .once(key, () => sleep(20).then(act), shop)
            .finally(() => {
              isBusy = false;
            });
        },
      };
    },
  },
  {
    does: 'refuses what was overtaken',
    ...reports('order', /Answer 200 to a state that is over already/),
    merchant: () => {
      const ended = new Set<string>();
      return {
        work(kind, { uuid, status }) {
          if (kind !== 'reversal') return;
          if (status === 'PENDING' && ended.has(uuid)) throw new Error('It has ended.');
          if (status !== 'PENDING') ended.add(uuid);
        },
      };
    },
  },
  ...accused(undone, {
    'reopens a reversal that is over when its PENDING comes late': undoing('reversal', ({ uuid }) => uuid),
    'takes back a payment when the PENDING of its sale comes late': undoing(
      'payment',
      ({ saleToken }) => saleToken,
    ),
  }),
  {
    does: 'records the key before the work, which fails at first',
    ...again,
    merchant: {
      async once(key, _act, { done }) {
        if (done.has(key)) return 'seen';
        done.add(key);
        throw new Error('The database is away.');
      },
    },
  },
  ...(
    [
      ['refunds', 'refund', 2],
      ['sales with REVERSAL', 'saleStatus', 0],
    ] as const
  ).map(
    ([what, kind, successes]): WrongListener => ({
      does: `records the key of ${what} before the work, which fails once`,
      ...again,
      merchant: () => {
        let number = 0;
        return {
          async once(key, act, shop) {
            if (key.startsWith(kind) && !shop.done.has(key) && number++ === successes) {
              shop.done.add(key);
              throw new Error('The database is away.');
            }
            return right.once(key, act, shop);
          },
        };
      },
    }),
  ),
];

/** Looks up the key of such a notification, but does not claim it before the work. */
function withoutClaim(kind: string): Parts {
  return {
    async once(key, act, shop) {
      if (!key.startsWith(kind)) return right.once(key, act, shop);
      if (shop.done.has(key)) return 'seen';
      await sleep(100);
      shop.done.add(key);
      await act();
      return 'done';
    },
  };
}

/** Has another key for this kind. */
function keyed(own: string, keyOf: (payload: Payload) => string): Parts {
  return { keyOf: (kind, payload) => (kind === own ? keyOf(payload) : right.keyOf(kind, payload)) };
}

/** A listener that forgets that it has handled these notifications. */
function forgetting(isForgotten: (kind: string, payload: Payload) => boolean): Parts {
  return () => {
    let number = 0;
    return {
      keyOf: (kind, payload) =>
        isForgotten(kind, payload) ? `${kind}:${number++}` : right.keyOf(kind, payload),
    };
  };
}

/** A listener that keeps the newest status of each thing, and counts those that are over. */
function undoing(counter: 'payment' | 'reversal', idOf: (payload: Payload) => string) {
  return ({ counts }: Shop): Partial<Merchant> => {
    const ended = new Set<string>();
    return {
      bookedAs: (kind, payload) =>
        kind === 'reversal' && counter === kind && payload.status === 'PENDING'
          ? undefined
          : right.bookedAs(kind, payload),
      work(kind, payload) {
        const status = payload.newStatus ?? payload.status;
        if (kind === counter && status !== 'PENDING') ended.add(idOf(payload));
        if (status === 'PENDING' && ended.delete(idOf(payload))) counts[counter] = (counts[counter] ?? 0) - 1;
      },
    };
  };
}
