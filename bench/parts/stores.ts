import { atLeast, atMost, type BenchContext, type Goal, type PartReport } from '../lib/part';
import { runProgram } from '../lib/programs';
import { median, quantile } from '../lib/statistics';
import { ratio, type Table, times } from '../lib/table';
import type { StoreFigures } from '../programs/stores/measure';

const ROUNDS = 9;

interface Measured {
  readonly stores: Readonly<Record<string, StoreFigures>>;
  /** The statements of the transaction. */
  readonly statements?: readonly string[];
  /** What PostgreSQL says of its own time for a notification, in ms. */
  readonly serverTime?: Readonly<Record<string, number>>;
}

/** Redis, PostgreSQL and SQLite as idempotency stores, beside the same commands sent by the bare driver. */
export async function stores({ seed }: BenchContext): Promise<PartReport> {
  const input = { seed, rounds: ROUNDS };
  const { redis, postgres } = await runProgram<{ redis?: Measured; postgres?: Measured }>('stores', {
    input,
  });
  const sqlite = await runProgram<Measured>('sqlite-store', { node: 24, input });
  const measured = [redis, postgres, sqlite].filter((each) => each !== undefined);
  const figures = measured.flatMap((each) => Object.entries(each.stores));

  const absent = [
    ...(redis === undefined ? ['Redis (REDIS_URL)'] : []),
    ...(postgres === undefined ? ['PostgreSQL (DATABASE_URL)'] : []),
  ];
  return {
    tables: [throughputTable(figures), ...serverTable(postgres?.serverTime)],
    goals: figures.flatMap(([name, each]) => goalsOf(name, each)),
    notes: [
      ...absent.map((server) => `NOT MEASURED: ${server} does not answer.`),
      `A notification is a claim and a completion; 32 at a time, over one connection to Redis and 10 to PostgreSQL. Bare is the driver with the same commands, in ${ROUNDS} interleaved rounds.`,
      ...(postgres?.statements ? [`A transaction is ${postgres.statements.join(', ')}.`] : []),
    ],
  };
}

function throughputTable(figures: readonly (readonly [string, StoreFigures])[]): Table {
  return {
    title: 'Stores beside their bare drivers, notifications/s',
    columns: ['', 'round trips', 'store', 'bare', 'store / bare', 'middle half'],
    rows: figures.map(([name, each]) => {
      const ratios = ratiosOf(each);
      return [
        name,
        each.roundTrips?.toString() ?? '–',
        median(each.store).toFixed(0),
        median(each.bare).toFixed(0),
        ratio(median(ratios)),
        `${ratio(quantile(ratios, 0.25))} – ${ratio(quantile(ratios, 0.75))}`,
      ];
    }),
  };
}

function serverTable(serverTime: Measured['serverTime'] = {}): Table[] {
  const rows = Object.entries(serverTime).map(([name, ms]) => [name, ms.toFixed(2)]);
  const title = "PostgreSQL's own time for a notification, as its log_duration says";
  return rows.length === 0 ? [] : [{ title, columns: ['', 'ms'], rows }];
}

function goalsOf(name: string, figures: StoreFigures): Goal[] {
  const goals = [atLeast(`${name}, of the bare driver`, median(ratiosOf(figures)), 0.8, times)];
  // Read, claim, complete. In a transaction: read, make, begin, lock, savepoint, release, complete, commit.
  const allowed = name.includes('transactional') ? 8 : 3;
  if (figures.roundTrips !== undefined)
    goals.push(atMost(`${name}, round trips a notification`, figures.roundTrips, allowed, String));
  return goals;
}

function ratiosOf({ store, bare }: StoreFigures): number[] {
  return store.map((value, round) => value / (bare[round] ?? Number.NaN));
}
