import { setTimeout as sleep } from 'node:timers/promises';
import { scaled } from '../../helpers/scaled';
import { accused, type WrongListener } from './verify-listener';

export const wrongAnswers: readonly WrongListener[] = [
  {
    does: 'answers 202',
    step: 'status',
    cause: 'answers 201, 202 or 204',
    merchant: { respond: (response) => response.writeHead(202).end() },
  },
  {
    does: 'answers 204 to what it does nothing about',
    step: 'status',
    cause: 'answers 201, 202 or 204',
    merchant: {
      respond: (response, _outcome, { kind }) =>
        response.writeHead(kind === 'payout' || kind === 'payoutFailed' ? 204 : 200).end(),
    },
  },
  {
    does: 'answers slowly',
    step: 'prompt',
    cause: 'before the response',
    limitMs: scaled(150),
    merchant: { work: (kind) => (kind === 'payout' ? sleep(scaled(250)) : undefined) },
  },
  {
    does: 'never answers',
    step: 'first',
    cause: 'waits for what is not there',
    limitMs: 50,
    merchant: { work: () => new Promise<void>(() => undefined) },
  },
  ...accused('workFirst', 'begins after the response', {
    'answers 200, and works after it': {
      async once(key, act, { done, read }) {
        if (done.has(key)) return 'seen';
        done.add(key);
        const next = read();
        setImmediate(() => void next.then(act));
        return 'done';
      },
    },
  }),
  ...accused('workFirst', 'not awaited', {
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
    step: 'first',
    cause: 'it does nothing',
    merchant: { bookedAs: () => undefined },
  },
  {
    does: 'looks for another spelling of the status, and so never acts on payments',
    step: 'first',
    cause: '`newStatus` is spelt otherwise',
    merchant: {
      bookedAs: (kind, payload) => (kind === 'payment' && payload.newStatus !== 'paid' ? undefined : kind),
    },
  },
];
