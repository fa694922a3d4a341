import { setTimeout as sleep } from 'node:timers/promises';
import { accused, named, seen, type WrongListener } from './verify-listener';

const only200 = named('only200', /The service knows no other success/);
const slow = named('slow', /Write the notification to a queue/);
const early = named('worksLater', /Answer after the work/);

export const wrongAnswers: readonly WrongListener[] = [
  ...[201, 202, 204].map(
    (status): WrongListener => ({
      does: `answers ${status}`,
      ...only200,
      merchant: { respond: (response) => response.writeHead(status).end() },
    }),
  ),
  {
    does: 'answers 204 to what it does nothing about',
    ...only200,
    merchant: {
      respond: (response, _outcome, { kind }) =>
        response.writeHead(kind === 'payout' || kind === 'payoutFailed' ? 204 : 200).end(),
    },
  },
  {
    does: 'answers slowly',
    ...slow,
    limitMs: 150,
    merchant: { work: (kind) => (kind === 'payout' ? sleep(250) : undefined) },
  },
  {
    does: 'never answers',
    ...seen(/no answer/),
    limitMs: 50,
    merchant: { work: () => new Promise<void>(() => undefined) },
  },
  ...accused(early, {
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
    ...seen(/accepted and no row came/),
    merchant: { bookedAs: () => undefined },
  },
  {
    does: 'looks for another spelling of the status, and so never acts on payments',
    ...seen(/Does `--effects` read what the listener writes/),
    merchant: {
      bookedAs: (kind, payload) => (kind === 'payment' && payload.newStatus !== 'paid' ? undefined : kind),
    },
  },
];
