import { setTimeout as sleep } from 'node:timers/promises';
import { type Merchant, type Payload, right, type Shop, startMerchant } from './merchant';
import type { WrongListener } from './wrong-listeners';

const once = { fails: ['duplicates'], advice: /Record the idempotency key of what you have acted on/ };
const share = { fails: ['one-sale'], advice: /Deduplicate on kind, identity and status together/ };
const undone = { fails: ['order'], advice: /do not go back to it/ };
const again = { fails: ['retry'], advice: /Record the idempotency key together with the work/ };

export const wrongDuplicates: readonly WrongListener[] = [
  {
    does: 'acts again on duplicates',
    ...once,
    start: () =>
      startMerchant({
        async once(_key, act) {
          await act();
          return 'done';
        },
      }),
  },
  {
    does: 'acts again on duplicates that come at the same time',
    ...once,
    start: () =>
      startMerchant({
        async once(key, act, { done }) {
          if (done.has(key)) return 'seen';
          await sleep(100);
          done.add(key);
          await act();
          return 'done';
        },
      }),
  },
  {
    does: 'deduplicates payments alone',
    ...once,
    start: () => {
      let number = 0;
      return startMerchant({
        keyOf: (kind, payload) => (kind === 'payment' ? right.keyOf(kind, payload) : `${kind}:${number++}`),
      });
    },
  },
  {
    does: 'remembers the last notification alone',
    ...once,
    start: () =>
      startMerchant({
        once(key, act, shop) {
          if (!shop.done.has(key)) shop.done.clear();
          return right.once(key, act, shop);
        },
      }),
  },
  {
    does: 'takes a hash of the time for its key',
    ...once,
    start: () => startMerchant({ keyOf: () => `${performance.now()}` }),
  },
  {
    does: 'takes a hash of the whole body for its key',
    ...once,
    start: () => startMerchant({ keyOf: (_kind, payload) => JSON.stringify(payload) }),
  },
  {
    does: 'takes a hash of the whole body of refunds for their key',
    ...once,
    start: () =>
      startMerchant({
        keyOf: (kind, payload) => (kind === 'refund' ? JSON.stringify(payload) : right.keyOf(kind, payload)),
      }),
  },
  {
    does: 'answers 409 to duplicates',
    ...once,
    start: () =>
      startMerchant({
        respond: (response, outcome) => response.writeHead(outcome === 'seen' ? 409 : 200).end(),
      }),
  },
  {
    does: 'deduplicates on `saleToken`, or else on `uuid`',
    ...share,
    start: () => startMerchant({ keyOf: (_kind, payload) => payload.saleToken ?? payload.uuid ?? '' }),
  },
  {
    does: 'deduplicates on kind and `saleToken`, and so loses the second refund',
    ...share,
    start: () =>
      startMerchant({
        keyOf: (kind, payload) =>
          kind === 'refund' ? `refund:${payload.saleToken}` : right.keyOf(kind, payload),
      }),
  },
  {
    does: 'deduplicates reversals on their `uuid`, and so loses their end',
    ...share,
    start: () =>
      startMerchant({
        keyOf: (kind, payload) => (kind === 'reversal' ? payload.uuid : right.keyOf(kind, payload)),
      }),
  },
  {
    does: 'handles a payout that failed at each delivery again',
    ...once,
    start: forgetting((_kind, { success }) => success === false),
  },
  {
    does: 'handles a sale with REVERSAL at each delivery again',
    ...once,
    start: forgetting((kind) => kind === 'saleStatus'),
  },
  ...['PENDING', 'CANCELLED'].map(
    (status): WrongListener => ({
      does: `handles a reversal ${status} at each delivery again`,
      ...once,
      start: forgetting((kind, payload) => kind === 'reversal' && payload.status === status),
    }),
  ),
  ...['refund', 'payout'].map(
    (slowKind): WrongListener => ({
      does: `acts again on a ${slowKind} that comes several times at once`,
      ...once,
      start: () =>
        startMerchant({
          async once(key, act, shop) {
            if (!key.startsWith(slowKind)) return right.once(key, act, shop);
            if (shop.done.has(key)) return 'seen';
            await sleep(100);
            shop.done.add(key);
            await act();
            return 'done';
          },
        }),
    }),
  ),
  {
    does: 'books every payment twice',
    fails: ['acts'],
    advice: /Act once for one notification/,
    start: () =>
      startMerchant(({ counts }) => ({
        work(kind) {
          if (kind === 'payment') counts['payment'] = (counts['payment'] ?? 0) + 1;
        },
      })),
  },
  {
    does: 'deduplicates refunds on `saleToken` and amount',
    ...share,
    start: () =>
      startMerchant({
        keyOf: (kind, payload) =>
          kind === 'refund'
            ? `refund:${payload.saleToken}:${payload.refund.amount}`
            : right.keyOf(kind, payload),
      }),
  },
  {
    does: 'deduplicates payouts on their `uuid`, and so loses the end of one that failed first',
    ...share,
    start: () =>
      startMerchant({
        keyOf: (kind, payload) => (kind === 'payout' ? payload.uuid : right.keyOf(kind, payload)),
      }),
  },
  {
    does: 'answers 200 to other payments while it is at work on one',
    fails: ['burst'],
    advice: /Answer 200 only to what you have acted on/,
    start: () => {
      let isBusy = false;
      return startMerchant({
        async once(key, act, shop) {
          if (isBusy) return shop.running.has(key) ? 'busy' : 'seen';
          isBusy = true;
          return right
            .once(key, () => sleep(20).then(act), shop)
            .finally(() => {
              isBusy = false;
            });
        },
      });
    },
  },
  {
    does: 'refuses what was overtaken',
    fails: ['order'],
    advice: /Answer 200 to a state that is over already/,
    start: () => {
      const ended = new Set<string>();
      return startMerchant({
        work(kind, { uuid, status }) {
          if (kind !== 'reversal') return;
          if (status === 'PENDING' && ended.has(uuid)) throw new Error('It has ended.');
          if (status !== 'PENDING') ended.add(uuid);
        },
      });
    },
  },
  {
    does: 'reopens a reversal that is over when its PENDING comes late',
    ...undone,
    start: () => startMerchant(undoing('reversal', ({ uuid }) => uuid)),
  },
  {
    does: 'takes back a payment when the PENDING of its sale comes late',
    ...undone,
    start: () => startMerchant(undoing('payment', ({ saleToken }) => saleToken)),
  },
  {
    does: 'records the key before the work, which fails at first',
    ...again,
    start: () => {
      const tried = new Set<string>();
      return startMerchant(({ done }) => ({
        async once(key, act) {
          if (done.has(key)) return 'seen';
          done.add(key);
          if (!tried.has(key)) {
            tried.add(key);
            throw new Error('The database is away.');
          }
          await act();
          return 'done';
        },
      }));
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
      start: () => {
        let number = 0;
        return startMerchant({
          async once(key, act, shop) {
            if (key.startsWith(kind) && !shop.done.has(key) && number++ === successes) {
              shop.done.add(key);
              throw new Error('The database is away.');
            }
            return right.once(key, act, shop);
          },
        });
      },
    }),
  ),
];

/** A listener that forgets that it has handled these notifications. */
function forgetting(isForgotten: (kind: string, payload: Payload) => boolean) {
  return () => {
    let number = 0;
    return startMerchant({
      keyOf: (kind, payload) =>
        isForgotten(kind, payload) ? `${kind}:${number++}` : right.keyOf(kind, payload),
    });
  };
}

/** A listener that keeps the newest status of each thing, and counts those that are over. */
function undoing(counter: 'payment' | 'reversal', idOf: (payload: Payload) => string) {
  return ({ counts }: Shop): Partial<Merchant> => {
    const ended = new Set<string>();
    return {
      countedAs: (kind, payload) =>
        kind === 'reversal' && counter === kind && payload.status === 'PENDING'
          ? undefined
          : right.countedAs(kind, payload),
      work(kind, payload) {
        const status = payload.newStatus ?? payload.status;
        if (kind === counter && status !== 'PENDING') ended.add(idOf(payload));
        if (status === 'PENDING' && ended.delete(idOf(payload))) counts[counter] = (counts[counter] ?? 0) - 1;
      },
    };
  };
}
