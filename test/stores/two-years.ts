import { expect } from 'vitest';
import { createIdempotencyStore, type RecordStore } from '../../src/stores/record-store';
import { lease, retain } from './limits';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const DAYS = 730;

/** What two years came to. */
interface TwoYears {
  notifications: number;
  deliveries: number;
  /** Effects that were repeated although no process died between the effect and its record. */
  doubled: number;
  /** Effects that were repeated after a process died there: at least once promises no less. */
  repeatedAfterCrash: number;
  /** Answered 200 although the effect never happened. */
  falselyAcknowledged: number;
  /** Never acted on in any of six deliveries. */
  lost: number;
}

/**
 * A merchant's listener through two years: three notifications a day on average, each sent up to six times a minute
 * apart, now and then by two senders at once and again days later, while processes die and replies are lost. The clock
 * of the records is moved on by an offset, so that every database can take part.
 */
async function simulateTwoYears(records: RecordStore, random: () => number): Promise<TwoYears> {
  let offset = 0;
  let faulty = false;
  const moved: RecordStore = {
    async read(subject) {
      if (faulty && random() < 0.02) throw new Error('simulated: not sent');
      const { now, ...rest } = await records.read(subject);
      return { ...rest, now: now + offset };
    },
    async write(subject, change) {
      if (faulty && random() < 0.02) throw new Error('simulated: not sent');
      const { before, expiresAt } = change;
      const written = await records.write(subject, {
        ...change,
        before: Math.min(before, before - offset + (before === Number.MAX_SAFE_INTEGER ? offset : 0)),
        expiresAt: expiresAt - offset,
      });
      if (faulty && random() < 0.02) throw new Error('simulated: reply lost');
      return written;
    },
    deleteExpired: (limit) => records.deleteExpired?.(limit) ?? Promise.resolve(0),
  };
  // Two processes, each with a store of its own.
  const stores = [createIdempotencyStore(moved), createIdempotencyStore(moved)];
  const result: TwoYears = {
    notifications: 0,
    deliveries: 0,
    doubled: 0,
    repeatedAfterCrash: 0,
    falselyAcknowledged: 0,
    lost: 0,
  };
  const acted = new Map<string, { times: number; crashed: boolean }>();

  /** One delivery to one process; whether it was answered 200. */
  async function deliver(process: number, subject: string, state: string): Promise<boolean> {
    result.deliveries += 1;
    const store = stores[process % 2] as (typeof stores)[0];
    const key = `${subject}:${state}`;
    try {
      const claim = await store.claim(subject, state, lease(40_000));
      if (claim.status !== 'claimed') {
        if (claim.status === 'done' && !acted.has(key)) result.falselyAcknowledged += 1;
        return claim.status === 'done';
      }
      const dies = random();
      if (faulty && dies < 0.01) return false;
      if (faulty && dies < 0.04) {
        await store.release(claim);
        return false;
      }
      const before = acted.get(key);
      if (before !== undefined) result[before.crashed ? 'repeatedAfterCrash' : 'doubled'] += 1;
      const crashed = faulty && dies > 0.99;
      acted.set(key, { times: (before?.times ?? 0) + 1, crashed });
      if (crashed) return false;
      // As the handler does, once more if the store failed.
      const complete = () => store.complete(claim, retain(30 * DAY_MS));
      const recorded = await complete()
        .catch(complete)
        .catch(() => undefined);
      if (recorded === undefined) acted.set(key, { times: 1, crashed: true });
      return recorded === true;
    } catch {
      return false;
    }
  }

  const recent: { subject: string; state: string; day: number }[] = [];
  for (let day = 0; day < DAYS; day += 1) {
    faulty = random() < 0.3;
    for (let index = 0; index < 3; index += 1) {
      const subject = random() < 0.5 ? `payment:${day}-${index}` : `reversal:${Math.floor(day / 3)}`;
      const state = subject.startsWith('payment') ? 'PAID' : (['PENDING', 'PAID', 'CANCELLED'][index] ?? '');
      if (acted.has(`${subject}:${state}`)) continue;
      result.notifications += 1;
      for (let attempt = 0; attempt < 6; attempt += 1) {
        const senders = random() < 0.1 ? [0, 1] : [Math.floor(random() * 2)];
        const answers = await Promise.all(senders.map((process) => deliver(process, subject, state)));
        offset += MINUTE_MS;
        if (answers.includes(true)) break;
      }
      if (!acted.has(`${subject}:${state}`)) result.lost += 1;
      else recent.push({ subject, state, day });
    }
    // A repeat of something of the last 29 days.
    const again = recent[Math.floor(random() * recent.length)];
    if (again !== undefined) await deliver(day, again.subject, again.state);
    while ((recent[0]?.day ?? day) < day - 28) recent.shift();
    if (day % 30 === 0) await stores[0]?.deleteExpired();
    offset += DAY_MS - 10 * MINUTE_MS;
  }
  return result;
}

/** mulberry32: the same draws for the same seed. */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Simulates two years, prints what came of them, and checks what must never happen. */
export async function expectNothingDoubled(seed: number, records: RecordStore): Promise<void> {
  const result = await simulateTwoYears(records, randomFrom(seed));
  console.log(JSON.stringify(result));
  expect(result).toMatchObject({ doubled: 0, falselyAcknowledged: 0, lost: 0 });
  expect(result.notifications).toBeGreaterThan(1_500);
}
