import { setTimeout as sleep } from 'node:timers/promises';
import { accused, type Listener } from './verify-listener';

export const wrongAnswers: readonly Listener[] = [
  ...[201, 202, 204].map(
    (status): Listener => ({
      does: `answers ${status}`,

      merchant: { respond: (response) => response.writeHead(status).end() },
    }),
  ),
  {
    does: 'answers 204 to what it does nothing about',

    merchant: {
      respond: (response, _outcome, { kind }) =>
        response.writeHead(kind === 'payout' || kind === 'payoutFailed' ? 204 : 200).end(),
    },
  },
  {
    does: 'answers slowly',

    limitMs: 150,
    merchant: { work: (kind) => (kind === 'payout' ? sleep(250) : undefined) },
  },
  {
    does: 'never answers',
    limitMs: 50,
    merchant: { work: () => new Promise<void>(() => undefined) },
  },
  ...accused({
    'answers 200, and works after it': {
      async once(key, act, { done, read }) {
        if (done.has(key)) return 'seen';
        done.add(key);
        const next = read();
        setImmediate(() => void next.then(act));
        return 'done';
      },
    },
    'answers 200, and does not await its work': {
      async once(key, act, { done, read }) {
        if (done.has(key)) return 'seen';
        done.add(key);
        void read().then(act);
        return 'done';
      },
    },
  }),
  {
    does: 'answers 200 to everything, and never acts',
    merchant: { bookedAs: () => undefined },
  },
  {
    does: 'looks for another spelling of the status, and so never acts on payments',
    merchant: {
      bookedAs: (kind, payload) => (kind === 'payment' && payload.newStatus !== 'paid' ? undefined : kind),
    },
  },
];
