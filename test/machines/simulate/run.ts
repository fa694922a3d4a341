import { parseArgs } from 'node:util';
import { type Plant, plants } from './plants';
import { Random } from './random';
import { after, time } from './virtual-time';
import { DAY, HOUR, type Order, World } from './world';

// A merchant over months: client, journal, listener, reconciling, against the sandbox's model of the service.
//
//   npm run machine -- simulate --seeds 3 --days 90 --seed 1     seeds 1 to 3, then every planted fault
//   npm run machine -- simulate --plant 'no unique index'        one planted fault alone

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '3' },
    days: { type: 'string', default: '90' },
    orders: { type: 'string', default: '2' },
    plant: { type: 'string' },
  },
});
const firstSeed = Number(values.seed);
const days = Number(values.days);
const ordersPerDay = Number(values.orders);
/** How many seeds a planted fault may take. */
const MOST_SEEDS = 12;

/** Runs the months of one seed, then a week without trouble, and compares the books. */
async function simulate(seed: number, plant?: Plant): Promise<World> {
  time.reset();
  const random = new Random(seed);
  const world = new World(random, plant);
  const newOrder = (day: number, index: number) => {
    // Every fourth order's key looks like the second attempt of another order.
    const number = day * ordersPerDay + index;
    const key = index % 4 === 3 ? `order-${number - 1}-2` : `order-${number}`;
    const order: Order = { key, amount: 10 + Math.floor(random.between(0, 90)), isPaid: false };
    world.orders.set(key, order);
    const visits = 2 + Math.floor(random.between(0, 4));
    for (let visit = 0; visit < visits; visit += 1) {
      const at = visit === 0 ? 0 : random.between(0, random.chance(0.5) ? 60_000 : 3 * DAY);
      const clicks = random.chance(0.3) ? 3 : 1;
      for (let click = 0; click < clicks; click += 1)
        after(at + 20 * click, () => void world.merchant.visit(order));
    }
    // A price that changes before anybody was shown the old one.
    if (random.chance(0.1)) {
      after(random.between(0, HOUR), () => {
        if (order.uuid === undefined) order.amount += 1;
      });
    }
  };
  for (let day = 0; day < days; day += 1) {
    for (let index = 0; index < ordersPerDay; index += 1) {
      after(day * DAY + random.between(0, DAY), () => newOrder(day, index));
    }
  }
  const end = days * DAY;
  for (let hour = 0; hour < (days + 12) * 24; hour += 1) {
    after(hour * HOUR + 600_000, () => {
      if (hour % 24 === 4) void world.merchant.daily();
      // A job looks after orders that have no journey yet, or whose journey was closed.
      if (hour % 6 === 0) {
        for (const order of world.orders.values()) if (!order.isPaid) void world.merchant.visit(order);
      }
      if (hour % 24 === 11 && world.isTroubled && random.chance(0.3)) world.payUnshown();
      if (hour % 24 === 17) world.stepClocks();
    });
  }
  await time.runUntil(end);
  world.isTroubled = false;
  await time.runUntil(end + 10 * DAY);
  const judging = world.judge();
  await time.runUntil(end + 11 * DAY);
  await judging;
  return world;
}

async function main(): Promise<void> {
  let failed = false;
  if (values.plant === undefined) {
    for (let seed = firstSeed; seed < firstSeed + Number(values.seeds); seed += 1) {
      const world = await simulate(seed);
      const again = seed === firstSeed ? await simulate(seed) : world;
      const figures = Object.entries(world.counts).map(([what, count]) => `${count} ${what}`);
      console.log(`seed ${seed}: ${world.orders.size} orders in ${days} days; ${figures.sort().join(', ')}`);
      if (JSON.stringify(world.counts) !== JSON.stringify(again.counts)) {
        console.log('  FAILED: the same seed gave another run');
        failed = true;
      }
      for (const violation of world.violations) console.log(`  FAILED: ${violation}`);
      failed ||= world.violations.size > 0;
    }
  }
  const wanted = values.plant === undefined ? (Object.keys(plants) as Plant[]) : [values.plant as Plant];
  for (const plant of wanted) {
    let found: World | undefined;
    let seed = firstSeed;
    for (; seed < firstSeed + MOST_SEEDS && found === undefined; seed += 1) {
      const world = await simulate(seed, plant);
      if (world.violations.size > 0) found = world;
    }
    const how =
      found === undefined
        ? 'FAILED: not found'
        : `found with seed ${seed - 1}: ${[...found.violations].join('; ')}`;
    console.log(`planted: ${plant} (${plants[plant]}): ${how}`);
    failed ||= found === undefined;
  }
  process.exitCode = failed ? 1 : 0;
}

await main();
