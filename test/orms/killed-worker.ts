import { setTimeout as sleep } from 'node:timers/promises';
import { withSteps } from '../helpers/store-of';
import { randomFrom } from '../machines/random';
import { type Dialect, openAccess } from './orms';

// One of several processes that are delivered the same notifications, each in an order of its own. The parent kills it
// when it likes; a message says what this process is about to do, so that the kill hits each step.

const [dialect, name = '', url = '', seed, worker = '', ...subjects] = process.argv.slice(2) as [
  Dialect,
  ...string[],
];
const random = randomFrom(Number(seed));
const orm = await openAccess(dialect, name, url);
const store = withSteps(orm.store);

const left = [...subjects].sort((a, b) => random(worker, a) - random(worker, b));
await Promise.all([deliverNext(), deliverNext(), deliverNext()]);
await orm.close();
process.exit(0);

async function deliverNext(): Promise<void> {
  for (let subject = left.shift(); subject !== undefined; subject = left.shift()) {
    const request = { subject, state: 'PAID', retentionMs: 3_600_000, timeoutMs: 10_000 };
    const transacted = store.transact(request, async (tx) => {
      await orm.insert(tx, request.subject);
      await sleep(10 * random(worker, subject as string, 'callback'));
      process.send?.({ returning: subject });
    });
    // Its connection was cut, or it was stopped for too long: the service would deliver again.
    const { status } = await transacted.catch(() => ({ status: 'busy' }));
    if (status === 'busy') {
      left.push(subject);
      await sleep(5);
      continue;
    }
    process.send?.({ acknowledged: subject });
  }
}
