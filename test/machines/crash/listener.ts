// A merchant’s listener, in a process that gets killed. See `fleet.ts`.
import { AsyncLocalStorage } from 'node:async_hooks';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../../../src/stores';
import { type StoreSteps, stepsOf } from '../../../src/stores/steps';
import {
  createWebhookHandler,
  type ReceivedNotification,
  toNodeListener,
  type WebhookContext,
} from '../../../src/webhooks';
import { credentials } from '../../helpers/deliver';
import { storeOf } from '../../helpers/store-of';
import { isTransactional, type ListenerConfig, tablesOf } from './config';
import { type CrashPoint, LogWriter, now } from './log';
import { isOvertaken } from './notifications';
import { openStore, type Transaction } from './stores';

const config = JSON.parse(process.env['CRASH_CONFIG'] ?? '{}') as ListenerConfig;
const log = new LogWriter(config.logFile);
const tables = tablesOf(config.run);
const { leaseMs, callbackTimeoutMs, storeTimeoutMs } = config.timing;

/** The schedule’s plan for the delivery that is being handled. */
interface Plan {
  readonly crashAt: string | undefined;
  readonly workMs: number;
  claimAsked: number;
  run: number;
}
const plans = new AsyncLocalStorage<Plan>();

function pass(point: CrashPoint, plan: Plan): void {
  if (plan.crashAt !== point) return;
  log.write({ type: 'killed', point, at: now() });
  process.kill(process.pid, 'SIGKILL');
  // The signal may take a moment, and the process must do nothing more until then.
  for (;;);
}

function planOfThis(): Plan {
  const plan = plans.getStore();
  if (plan === undefined) throw new Error('not within a delivery');
  return plan;
}

/** The store with leases at the test’s scale, and with the points at which the process can kill itself. */
function instrumented(opened: Store<Transaction>): Store<Transaction> {
  const store = stepsOf(opened);
  const { transact } = store;
  const steps: Partial<StoreSteps<Transaction>> = {
    async claim(subject, state, { withinMs }) {
      const plan = planOfThis();
      pass('before claim', plan);
      plan.claimAsked = now();
      const claim = await store.claim(subject, state, { leaseMs, withinMs });
      if (claim.status === 'claimed') pass('after claim', plan);
      return claim;
    },
    async complete(claim, limits) {
      const plan = planOfThis();
      pass('after callback', plan);
      const completed = await store.complete(claim, limits);
      log.write({ type: 'recorded', run: plan.run, recorded: completed, at: now() });
      pass('after completion', plan);
      return completed;
    },
    release: (claim) => store.release(claim),
  };
  if (transact === undefined) return storeOf(steps);
  return storeOf({
    ...steps,
    async transact(request, work) {
      const plan = planOfThis();
      pass('before claim', plan);
      plan.claimAsked = now();
      const result = await transact(request, async (...given) => {
        pass('after claim', plan);
        await work(...given);
        pass('after callback', plan);
      });
      if (result.status === 'completed') pass('after completion', plan);
      return result;
    },
  });
}

let runs = 0;

async function act(
  { key }: ReceivedNotification,
  { fence, handledStates, transaction }: WebhookContext<Transaction>,
): Promise<void> {
  const plan = planOfThis();
  const [kind, id, ...states] = key.split(':');
  const subject = `${kind}:${id}`;
  const state = states.join(':');
  runs += 1;
  const run = runs;
  plan.run = run;
  const { claimAsked } = plan;
  log.write({ type: 'begin', run, subject, state, fence, handledStates, claimAsked, at: now() });

  await sleep(plan.workMs / 2);
  if (isTransactional(config.store)) {
    const [values, orUpdate] = config.store.startsWith('mysql')
      ? ['VALUES (?, ?)', 'ON DUPLICATE KEY UPDATE state = VALUES(state)']
      : ['VALUES ($1, $2)', 'ON CONFLICT (subject) DO UPDATE SET state = excluded.state'];
    await transaction.query(`INSERT INTO ${tables.effects} ${values}`, [subject, state]);
    if (!isOvertaken(state, handledStates)) {
      await transaction.query(`INSERT INTO ${tables.states} ${values} ${orUpdate}`, [subject, state]);
    }
  }
  if (config.asksPool) await askPool();
  pass('in callback', plan);
  await sleep(plan.workMs / 2);

  log.write({ type: 'end', run, at: now() });
}

const { store: opened, askPool } = await openStore(config);
const store = instrumented(opened);
const handler = createWebhookHandler({
  credentials,
  store,
  callbackTimeoutMs,
  storeTimeoutMs,
  on: { payment: act, saleStatus: act, reversal: act, refund: act, payout: act },
  onReport: (report) =>
    log.write({
      type: 'report',
      code: report.code,
      key: 'key' in report ? report.key : undefined,
      at: now(),
    }),
});
const listener = toNodeListener(handler);

const server = createServer((request, response) => {
  const crashAt = request.headers['x-crash-at']?.toString();
  const plan: Plan = { crashAt, workMs: Number(request.headers['x-work-ms']), claimAsked: 0, run: 0 };
  plans.run(plan, () => listener(request, response));
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
// Ends with the test, so that a test that breaks off leaves no listeners behind.
process.on('disconnect', () => process.exit());
