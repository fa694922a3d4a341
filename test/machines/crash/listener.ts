// A merchant's listener, in a process that gets killed. See `fleet.ts`.
import { AsyncLocalStorage } from 'node:async_hooks';
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../../../src/stores';
import { type StoreSteps, stepsOf } from '../../../src/stores/steps';
import { createWebhookHandler } from '../../../src/webhooks';
import { credentials } from '../../helpers/deliver';
import { storeOf } from '../../helpers/store-of';
import {
  CALLBACK_TIMEOUT_MS,
  type CRASH_POINTS,
  isTransactional,
  LEASE_MS,
  type ListenerConfig,
  type LogLine,
  now,
  STORE_TIMEOUT_MS,
  tablesOf,
} from './config';
import { openStore, type Transaction } from './stores';

const config = JSON.parse(process.env['CRASH_CONFIG'] ?? '{}') as ListenerConfig;
const log = (line: LogLine) => appendFileSync(config.logFile, `${JSON.stringify(line)}\n`);

/** What the schedule wants of the delivery that is being handled. */
interface Plan {
  readonly crashAt: string | undefined;
  readonly workMs: number;
  claimAsked: number;
  run: number;
}
const plans = new AsyncLocalStorage<Plan>();
const planned = () => plans.getStore() as Plan;

function pass(point: (typeof CRASH_POINTS)[number]): void {
  if (planned().crashAt !== point) return;
  log({ type: 'killed', at: now() });
  process.kill(process.pid, 'SIGKILL');
  // The signal may take a moment, and the process must do nothing more until then.
  for (;;);
}

/** The store with leases at the test's scale, and with the points at which the process can kill itself. */
function instrumented(store: StoreSteps<Transaction>): Store<Transaction> {
  const { transact } = store;
  const begin = () => {
    pass('before claim');
    planned().claimAsked = now();
  };
  return storeOf<Transaction>({
    async claim(subject, state, { withinMs }) {
      begin();
      const claim = await store.claim(subject, state, { leaseMs: LEASE_MS, withinMs });
      if (claim.status === 'claimed') pass('after claim');
      return claim;
    },
    async complete(claim, limits) {
      pass('after callback');
      const isRecorded = await store.complete(claim, limits);
      log({ type: isRecorded ? 'recorded' : 'not recorded', run: planned().run, at: now() });
      pass('after completion');
      return isRecorded;
    },
    release: (claim) => store.release(claim),
    ...(transact && {
      async transact(request, work) {
        begin();
        const result = await transact(request, async (...given) => {
          pass('after claim');
          const value = await work(...given);
          pass('after callback');
          return value;
        });
        if (result.status === 'completed') pass('after completion');
        return result;
      },
    }),
  });
}

let runs = 0;

const handler = createWebhookHandler<readonly [], Transaction>({
  credentials,
  store: instrumented(stepsOf(await openStore(config))),
  callbackTimeoutMs: CALLBACK_TIMEOUT_MS,
  storeTimeoutMs: STORE_TIMEOUT_MS,
  on: { payment: act, saleStatus: act },
  onReport: () => undefined,
});

async function act(
  { key }: { readonly key: string },
  { fence, transaction }: { readonly fence: number; readonly transaction: Transaction },
): Promise<void> {
  const plan = planned();
  runs += 1;
  plan.run = runs;
  const { run, claimAsked } = plan;
  log({ type: 'begin', run, key, fence, claimAsked, at: now() });
  await sleep(plan.workMs / 2);
  if (isTransactional(config.store)) {
    const value = config.store.startsWith('mysql') ? '?' : '$1';
    await transaction.query(`INSERT INTO ${tablesOf(config.run).effects} VALUES (${value})`, [key]);
  }
  pass('in callback');
  await sleep(plan.workMs / 2);
  log({ type: 'end', run, at: now() });
}

const server = createServer((request, response) => {
  const { 'x-crash-at': crashAt, 'x-work-ms': workMs } = request.headers;
  const plan: Plan = { crashAt: crashAt?.toString(), workMs: Number(workMs), claimAsked: 0, run: 0 };
  plans.run(plan, () => handler(request, response));
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
// Ends with the test, so that a test that breaks off leaves no listeners behind.
process.on('disconnect', () => process.exit());
