import { setTimeout as sleep } from 'node:timers/promises';
import {
  amountOf,
  type Booked,
  type Merchant,
  type Parts,
  type Payload,
  right,
  type Shop,
  subjectOf,
} from './merchant';
import { accused, type WrongListener } from './verify-listener';

export const wrongDuplicates: readonly WrongListener[] = [
  ...accused('again', 'no key is recorded', {
    'acts again on duplicates': {
      async once(_key, act) {
        await act();
        return 'done';
      },
    },
  }),
  ...accused('again', 'holds the time', {
    'takes a hash of the time for its key': { keyOf: () => `${performance.now()}` },
  }),
  ...accused('fiveAtOnce', 'looked up and then written', {
    'acts again on duplicates that come at the same time': withoutClaim(''),
  }),
  ...accused('refundAtOnce', 'looked up and then written', {
    'acts again on a refund that comes several times at once': withoutClaim('refund'),
  }),
  ...accused('payoutAtOnce', 'looked up and then written', {
    'acts again on a payout that comes several times at once': withoutClaim('payout'),
  }),
  ...accused('allAgain', 'no key is recorded for that kind', {
    'deduplicates payments alone': () => {
      let number = 0;
      return {
        keyOf: (kind, payload) => (kind === 'payment' ? right.keyOf(kind, payload) : `${kind}:${number++}`),
      };
    },
    'books a payout at each delivery again': forgetting((kind) => kind === 'payout'),
    'books a reversal PAID at each delivery again': forgetting(
      (kind, { status }) => kind === 'reversal' && status === 'PAID',
    ),
  }),
  ...accused('allAgain', 'only the latest keys', {
    'remembers the last notification alone': {
      once(key, act, shop) {
        if (!shop.done.has(key)) shop.done.clear();
        return right.once(key, act, shop);
      },
    },
    'remembers the last three notifications': {
      once(key, act, shop) {
        if (!shop.done.has(key) && shop.done.size === 3) shop.done.delete([...shop.done][0] ?? '');
        return right.once(key, act, shop);
      },
    },
  }),
  ...accused('reordered', 'the whole body', {
    'takes a hash of the whole body for its key': { keyOf: (_kind, payload) => JSON.stringify(payload) },
    'takes a hash of the whole body of refunds for their key': keyed('refund', (payload) =>
      JSON.stringify(payload),
    ),
  }),
  {
    does: 'answers 409 to duplicates',
    step: 'again',
    cause: 'what is recorded is refused',
    merchant: { respond: (response, outcome) => response.writeHead(outcome === 'seen' ? 409 : 200).end() },
  },
  {
    does: 'deduplicates on `saleToken`, or else on `uuid`, and so takes a refund for its payment',
    step: 'refund',
    cause: 'the key is the `saleToken`',
    merchant: { keyOf: (_kind, payload) => payload.saleToken ?? payload.uuid ?? '' },
  },
  ...accused('secondRefund', 'made from `saleToken`', {
    'deduplicates on kind and `saleToken`, and so loses the second refund': keyed(
      'refund',
      ({ saleToken }) => `refund:${saleToken}`,
    ),
  }),
  ...accused('secondRefund', 'or amount', {
    'deduplicates refunds on `saleToken` and amount': keyed(
      'refund',
      ({ saleToken, refund }) => `refund:${saleToken}:${refund.amount}`,
    ),
  }),
  {
    does: 'deduplicates reversals on their `uuid`, and so loses their end',
    step: 'reversalEnds',
    cause: 'the `uuid` alone',
    merchant: keyed('reversal', ({ uuid }) => uuid),
  },
  {
    does: 'deduplicates payouts on their `uuid`, and so loses the end of one that failed first',
    step: 'payoutAfterFailed',
    cause: 'the `uuid` alone',
    merchant: {
      keyOf: (kind, payload) => (kind.startsWith('payout') ? payload.uuid : right.keyOf(kind, payload)),
    },
  },
  ...accused('alike', 'amount, date or shopper', {
    'takes day, amount and shopper for the key of a payment': keyed(
      'payment',
      ({ date, amount, shopper }) => `${date}:${amount}:${shopper?.email}`,
    ),
    'takes the second and the amount for the key of a payment': keyed(
      'payment',
      ({ date, amount }) => `${date}:${amount}`,
    ),
  }),
  {
    does: 'books every payment twice',
    step: 'first',
    cause: 'booked twice',
    merchant: ({ rows }) => ({
      work(kind, payload) {
        if (kind === 'payment') rows.push({ kind, subject: payload.saleToken, amount: payload.amount });
      },
    }),
  },
  {
    does: 'answers 200 to other payments while it is at work on one',
    step: 'threeAtOnce',
    cause: 'while it is busy',
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
    step: 'latePending',
    cause: 'it is refused',
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
  ...accused('latePending', 'over that of before', {
    'reopens a reversal that is over when its PENDING comes late': undoing('reversal'),
  }),
  ...accused('lateSale', 'over that of before', {
    'takes back a payment when the PENDING of its sale comes late': undoing('payment'),
  }),
  {
    does: 'records the key before the work, which fails at first',
    step: 'first',
    cause: 'after its key was recorded',
    merchant: {
      async once(key, _act, { done }) {
        if (done.has(key)) return 'seen';
        done.add(key);
        throw new Error('The database is away.');
      },
    },
  },
  {
    does: 'records the key some time after its answer',
    step: 'again',
    cause: 'recorded after the response',
    merchant: {
      async once(key, act, { done }) {
        if (done.has(key)) return 'seen';
        await act();
        setTimeout(() => done.add(key), 400);
        return 'done';
      },
    },
  },
  ...accused('again', 'the memory of one process', {
    'runs as two processes, each with keys of its own': processes(2, true),
    'runs as four processes, each with keys of its own': processes(4, true),
  }),
  ...accused('first', 'several processes listen', {
    'runs as two processes, each with keys and rows of its own': processes(2, false),
  }),
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

/** A listener that takes back what it has booked when PENDING comes. */
function undoing(kind: 'payment' | 'reversal') {
  return ({ rows }: Shop): Partial<Merchant> => ({
    work(_kind, payload) {
      if ((payload.newStatus ?? payload.status) !== 'PENDING') return;
      const row = rows.findIndex((one) => one.kind === kind && one.subject === subjectOf(payload));
      if (row >= 0) rows.splice(row, 1);
    },
  });
}

/** Requests go to one process after the other, as in a cluster of Node. */
function processes(number: number, sharesRows: boolean): Parts {
  return (shop) => {
    const own = Array.from({ length: number }, () => ({
      ...shop,
      done: new Set<string>(),
      rows: [] as Booked[],
    }));
    let turn = 0;
    const next = () => own[turn++ % number] ?? shop;
    return {
      bookedAs: sharesRows ? right.bookedAs : () => undefined,
      keyOf: (kind, payload) => `${right.keyOf(kind, payload)} ${JSON.stringify(payload)}`,
      async once(keyAndPayload, act) {
        const [key = '', payload = ''] = keyAndPayload.split(/ (.*)/s);
        const process = next();
        const parsed = JSON.parse(payload);
        const book = async () => {
          await act();
          const kind = right.bookedAs(right.kindOf(new URL('http://shop.invalid'), parsed), parsed);
          if (!sharesRows && kind !== undefined)
            process.rows.push({ kind, subject: subjectOf(parsed), amount: amountOf(parsed) });
        };
        return right.once(key, book, process);
      },
      effects: ({ rows }) => (sharesRows ? rows : next().rows),
    };
  };
}
