import { setTimeout as sleep } from 'node:timers/promises';
import { right } from './merchant';
import { accused, reports, type WrongListener } from './verify-listener';

const only200 = reports('status-200', /The service knows no other success/);
const slow = reports('prompt', /Write the notification to a queue/);
const early = reports('work-first', /Answer 200 only after the work/);

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
      respond: (response, _outcome, { kind }) => response.writeHead(kind === 'payout' ? 204 : 200).end(),
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
    ...slow,
    limitMs: 50,
    merchant: { work: () => new Promise<void>(() => undefined) },
  },
  ...accused(early, {
    'answers 200, and works after it': {
      async once(key, act, { done, counted }) {
        if (done.has(key)) return 'seen';
        done.add(key);
        const next = counted();
        setImmediate(() => void next.then(act));
        return 'done';
      },
    },
    'answers 200, and does not await its work': {
      async once(key, act, { done, counted }) {
        if (done.has(key)) return 'seen';
        done.add(key);
        void counted().then(act);
        return 'done';
      },
    },
  }),
  {
    does: 'answers 200 to everything, and never acts',
    ...reports('acts', /Act before you answer 200/),
    merchant: { bookedAs: () => undefined },
  },
  {
    does: 'looks for another spelling of the status, and so never acts on payments',
    ...reports('acts', /`newStatus` of a sale is `PAID`/),
    merchant: {
      bookedAs: (kind, payload) =>
        (payload.newStatus === 'paid' ? kind : right.bookedAs(kind, payload)) && kind !== 'payment'
          ? kind
          : undefined,
    },
  },
];
