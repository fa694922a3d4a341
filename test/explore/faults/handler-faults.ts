import type { Patch } from '../library';
import type { SeededFault } from './fault';

const act = (from: RegExp, to: string): Patch => ({ file: 'webhooks/handler/act.ts', from, to });
const transactional = (from: RegExp, to: string): Patch => ({
  file: 'webhooks/handler/act-in-transaction.ts',
  from,
  to,
});
const GIVE_UP = /if \(performance\.now\(\) \+ pauseMs >= leaseEnd\) return storeFailed\(error\);/;
const LEASES = 'leases';
const TRANSACTIONS = 'transactions';

/** Mistakes in a copy of the handler's source. */
export const handlerFaults: readonly SeededFault[] = [
  {
    name: 'a late claim is kept',
    mode: LEASES,
    patches: [act(/if \(claiming !== undefined\) void releaseWhenLate\(claiming, options\);/, '')],
    hazards: { faults: 1, slow: true },
  },
  {
    name: 'busy is answered as done',
    mode: LEASES,
    patches: [
      act(/if \(claim\.status === 'busy'\) return BUSY;/, "if (claim.status === 'busy') return DONE;"),
    ],
    hazards: { faults: 0 },
  },
  {
    name: 'the subject is released after the callback succeeded',
    mode: LEASES,
    patches: [act(/for \(let pauseMs = FIRST/, 'await release(claim, options);\nfor (let pauseMs = FIRST')],
    hazards: { faults: 0 },
  },
  {
    name: 'a callback that hangs is released at its timeout',
    mode: LEASES,
    patches: [act(/if \(failure\.code === 'callback_failed'\) await release/, 'await release')],
    hazards: { faults: 1, hang: true },
  },
  {
    name: 'a callback that threw is recorded as done',
    mode: LEASES,
    patches: [
      act(
        /await release\(claim, options\);(\s+return failure;)/,
        'await store.complete(claim, task.retentionMs);$1',
      ),
    ],
    hazards: { faults: 1, throw: true },
  },
  {
    name: '200 though the lease was lost before the completion',
    mode: LEASES,
    patches: [act(/return recorded \? DONE : \{ code: 'lease_lost', status: 503 \};/, 'return DONE;')],
    hazards: { faults: 1, stop: true },
  },
  {
    name: '200 though the completion failed',
    mode: LEASES,
    patches: [act(GIVE_UP, 'return DONE;')],
    hazards: { faults: 1, lose: true },
  },
  {
    name: 'a completion that failed is not tried again',
    mode: LEASES,
    patches: [act(GIVE_UP, 'return storeFailed(error);')],
    hazards: { faults: 1, lose: true },
  },
  {
    name: 'a completion that failed is not tried again, and the subject released',
    mode: LEASES,
    patches: [act(GIVE_UP, '{ await release(claim, options); return storeFailed(error); }')],
    hazards: { faults: 1, lose: true },
  },
  {
    name: 'a completion is retried by the wall clock, which may be set',
    mode: LEASES,
    patches: [
      act(/const leaseEnd = performance\.now\(\)/, 'const leaseEnd = Date.now()'),
      act(/if \(performance\.now\(\) \+ pauseMs/, 'if (Date.now() + pauseMs'),
    ],
    hazards: { faults: 2, lose: true, clock: true },
  },
  {
    name: 'the lease is shorter than a callback may take',
    mode: LEASES,
    patches: [
      {
        file: 'webhooks/handler/resolve-options.ts',
        from: /leaseMs: callbackTimeoutMs \+/,
        to: 'leaseMs: callbackTimeoutMs - 2 *',
      },
    ],
    hazards: { faults: 0 },
  },
  {
    name: 'the callback gets no states',
    mode: LEASES,
    patches: [
      { file: 'webhooks/handler/task.ts', from: /identity\.key, handledStates,/, to: 'identity.key, [],' },
    ],
    states: ['PENDING', 'PAID', 'CANCELLED'],
    hazards: { faults: 0 },
  },
  {
    name: 'a callback runs though its transaction was abandoned',
    mode: TRANSACTIONS,
    patches: [transactional(/if \(abandoned\) throw new DeadlineExceeded\([^)]*\);/, '')],
    hazards: { faults: 1, slow: true },
  },
  {
    name: "a callback's error does not reach the transaction",
    mode: TRANSACTIONS,
    patches: [transactional(/await running\?\.ended;\s+throw error;/, '')],
    hazards: { faults: 1, throw: true },
  },
  {
    name: 'a busy transaction is answered as done',
    mode: TRANSACTIONS,
    patches: [transactional(/status === 'busy' \? BUSY : DONE/, 'DONE')],
    hazards: { faults: 0 },
  },
  {
    name: '200 though the transaction failed after its callback',
    mode: TRANSACTIONS,
    patches: [
      transactional(/return failure \?\? \{/, 'if (started.hasFired) return failure ?? DONE;\nreturn {'),
    ],
    hazards: { faults: 1, lose: true },
  },
  {
    name: 'a transaction ends though its callback is still at work',
    mode: TRANSACTIONS,
    patches: [transactional(/await running\?\.ended;/, '')],
    hazards: { faults: 1, hang: true },
  },
];
