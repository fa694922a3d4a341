import { describe, expect, it } from 'vitest';
import type { Order } from '../../../src/orders/attempt';
import { MemoryRecords } from '../../../src/stores/memory-store';
import type { KeyPrefix } from '../../../src/stores/steps';
import { findPostgres } from '../../helpers/postgres';
import { seedRandomTests } from '../../helpers/random-seed';
import { randomFrom } from '../random';
import { inPostgres, losing, sharing } from '../two-years/grounds';
import type { Ground } from '../two-years/two-years';
import { Figures, live, Service } from './life';
import { type MortalPlace, mortalPlaces } from './mortal-shop';

// Orders that live at random, over each database. `npm run machine -- orders` lives ten times as many of them.

const places = await mortalPlaces();
const hasPostgres = await findPostgres();
const seed = seedRandomTests();
const random = randomFrom(seed);
const timeout = 1_800_000;
/** How many notifications are to be answered at least, over each database. */
const ANSWERED = 50 * Number(process.env['ORDERS_SIZE'] ?? 1);
/** Each so many orders have a database of their own, so that `maintain` has little to look through. */
const ORDERS_A_GROUND = 10;

async function liveAll({ name, use }: MortalPlace, answered: number): Promise<void> {
  const figures = new Figures();
  const startedAt = performance.now();
  let id = 0;
  try {
    while (figures.answered < answered) {
      await use(async (ground) => {
        const service = new Service();
        for (let order = 0; order < ORDERS_A_GROUND && figures.answered < answered; order += 1) {
          id += 1;
          await live(ground, service, random, id, figures);
        }
      });
    }
  } finally {
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    console.log(`TEST_SEED=${seed} orders at random, ${name}, ${seconds} s: ${JSON.stringify(figures)}`);
  }
  expect(figures.silent, 'paid or refunded, and neither booked nor a case').toBe(0);
  expect(figures.mostBytes).toBeLessThan(40_000);
}

describe.concurrent('Orders that live at random book each payment once or leave a case, and show one QR code', () => {
  for (const place of places) {
    const isExact = place.name.includes('transactions');
    it.skipIf(!place.isThere)(`over ${place.name}`, { timeout }, () =>
      liveAll(place, isExact ? 3 * ANSWERED : ANSWERED),
    );
  }
});

/** Lives so many orders, or as many as it takes to find a mistake. */
async function liveSome(ground: Ground, orders = 200): Promise<number> {
  const [figures, service] = [new Figures(), new Service()];
  for (let id = 1; id <= orders && figures.silent === 0; id += 1)
    await live(ground, service, random, id, figures);
  return figures.silent;
}

const inMemory = () => new MemoryRecords(1_000_000, Date.now);

describe.concurrent('Orders that live at random find a shop that', () => {
  it('loses the record of what is paid', { timeout }, async () => {
    const isPaid = (prefix: KeyPrefix, order: object) =>
      prefix === 'order:' && ((order as Partial<Order>).payments ?? []).length > 0;
    await expect(liveSome(sharing(inMemory(), losing(isPaid)))).rejects.toThrow('order');
  });

  it('loses the pointers for reconcile', { timeout }, async () => {
    const isPointer = (prefix: KeyPrefix) => prefix === 'open:';
    // Money that nobody knows of, or, where `paid` had run before its process died, a line that no order has.
    const found = await liveSome(sharing(inMemory(), losing(isPointer))).catch((error: unknown) => error);
    if (typeof found === 'number') expect(found).toBeGreaterThan(0);
    else expect(String(found)).toMatch(/order \d+, .* to deeply equal/);
  });

  it('loses the cases of an order', { timeout }, async () => {
    const isCase = (prefix: KeyPrefix, order: object) =>
      prefix === 'order:' && ((order as Partial<Order>).attempts ?? []).some(({ review }) => review);
    await expect(liveSome(sharing(inMemory(), losing(isCase)))).rejects.toThrow('order');
  });

  it.skipIf(!hasPostgres)('writes outside the transaction', { timeout }, async (context) => {
    const { ground, pool, effects } = await inPostgres('transactional', context);
    const spoiled: Ground = {
      ...ground,
      open: (outside, offset) => ({
        ...ground.open(outside, offset),
        write: (_, line) => outside(() => pool.query(`INSERT INTO ${effects} VALUES ($1)`, [line])),
      }),
    };
    await expect(liveSome(spoiled)).rejects.toThrow('order');
  });
});
