import { randomInt } from 'node:crypto';
import { Figures, suffer } from './concurrent';
import { READINGS, type Reading } from './readings';
import { type Difference, play, shrink } from './sequences';
import { FAULTS, type Fault } from './shop';
import { generate } from './stage';
import { databases } from './stores';
import { liveYear } from './years';

// npm run machine -- oracle [--part sequences|concurrent|years|spoil] [--seed 1] [--count 20] [--stores memory,redis]
// Fails at any difference that no entry of readings.ts explains.

function option(name: string): string | undefined {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : (process.argv[at + 1] ?? '');
}

const part = option('part') ?? 'sequences';
const seed = Number(option('seed') ?? randomInt(2 ** 30));
const count = option('count') === undefined ? undefined : Number(option('count'));
const stores = option('stores');
console.log(`oracle, ${part}: seed ${seed}`);
const parts = { sequences, concurrent, years, spoil };
const isFine = await parts[part as keyof typeof parts]();
process.exit(isFine ? 0 : 1);

/** Random sequences: what happens at each step is what the design says. */
async function sequences(): Promise<boolean> {
  const found = new Map<string, Difference[]>();
  const readings = new Map<Reading, number>();
  let total = 0;
  for (const database of await databases(stores)) {
    const begun = performance.now();
    let notifications = 0;
    for (let each = seed; each < seed + (count ?? 20); each += 1) {
      const { setup, steps } = generate(each);
      const played = await play(setup, steps, database);
      notifications += played.notifications;
      for (const [about, times] of played.readings) readings.set(about, (readings.get(about) ?? 0) + times);
      const { difference } = played;
      if (difference === undefined) continue;
      const alike = found.get(difference.signature);
      if (alike !== undefined) alike.push(difference);
      else found.set(difference.signature, [await shrink(difference, database)]);
    }
    total += notifications;
    const seconds = Math.round((performance.now() - begun) / 1000);
    console.log(`${database.name}: ${notifications} notifications in ${seconds} s`);
    await database.close();
  }
  for (const [about, times] of readings) console.log(`${about}, ${times} times: ${READINGS[about]}`);
  for (const [signature, [difference, ...more]] of found) {
    const { seed: its, store, step, lines, history, reports } = difference as Difference;
    console.log(`\nDIFFERENCE, ${more.length + 1} times: seed ${its}, step ${step}, over ${store}`);
    console.log([signature, ...lines, ...history, ...reports].map((line) => `  ${line}`).join('\n'));
  }
  const differences = [...found.values()].flat().length;
  console.log(`${total} notifications, ${differences} differences without a reading, ${found.size} kinds`);
  return found.size === 0;
}

/** Processes that die or lose their connection: nothing is silent, doubled in transactions, or stuck in `review`. */
async function concurrent(): Promise<boolean> {
  let isRight = true;
  for (const database of await databases(stores)) {
    const figures = new Figures();
    const enough = count ?? (database.name.startsWith('PostgreSQL') ? 1000 : 300);
    for (let each = seed; figures.answered < enough; each += 1) await suffer(each, database, figures);
    const { found, ...counts } = figures;
    console.log(
      `${database.name}: ${Object.entries(counts)
        .map(([name, times]) => `${times} ${name}`)
        .join(', ')}`,
    );
    for (const line of found) console.log(`  ${line}`);
    isRight &&= found.length === 0;
    await database.close();
  }
  return isRight;
}

/** A year of subscriptions: each month is booked once. */
async function years(): Promise<boolean> {
  let isRight = true;
  for (const database of await databases(stores ?? 'memory')) {
    const { found, ...counts } = await liveYear(seed, count ?? 200, database);
    console.log(
      `${database.name}: ${Object.entries(counts)
        .map(([name, times]) => `${times} ${name}`)
        .join(', ')}`,
    );
    for (const line of found.slice(0, 40)) console.log(`  ${line}`);
    console.log(`${found.length} found`);
    isRight &&= found.length === 0;
    await database.close();
  }
  return isRight;
}

/** Each planted fault must be found. */
async function spoil(): Promise<boolean> {
  let isRight = true;
  for (const fault of Object.keys(FAULTS) as Fault[]) {
    const seen = { sequences: 0, concurrent: 0, years: 0 };
    const [database] = await databases(stores ?? 'memory');
    if (database === undefined) return false;
    for (let each = seed; each < seed + (count ?? 10); each += 1) {
      const { setup, steps } = generate(each);
      if ((await play(setup, steps, database, fault)).difference !== undefined) seen.sequences += 1;
    }
    const figures = new Figures();
    for (let each = seed; each < seed + 3; each += 1) await suffer(each, database, figures, fault);
    seen.concurrent = figures.found.length;
    // `maintain` finds again what is dropped in a year, save a refund: so many subscriptions that some are.
    seen.years = (await liveYear(seed, 30, database, fault)).found.length;
    await database.close();
    const isFound = Object.values(seen).every((found) => found > 0);
    console.log(`${isFound ? 'found' : 'NOT FOUND'}: ${fault} (${FAULTS[fault]}): ${JSON.stringify(seen)}`);
    isRight &&= isFound;
  }
  return isRight;
}
