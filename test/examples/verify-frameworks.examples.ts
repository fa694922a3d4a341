import { describe, expect, it } from 'vitest';
import { findPostgres } from '../helpers/postgres';
import { openDatabase } from './helpers/open-database';
import { type Acted, answering, type Shop, verify } from './helpers/verify-example';
import { type Running, runExample } from './runner/run-example';

/** The example’s own route, which creates an order. */
const route: Shop = async ({ origin }) => `${origin}/subscriptions`;

/** Those that open an order on request: a payment of no order is not booked, so nothing else can be judged. */
const examples: [name: string, acted: Acted, shop: Shop][] = [
  ['quick-start', { payment: /(?<subject>\S+) is paid: BRL (?<amount>[\d.]+)/gm }, route],
  ['quick-start-commonjs', { payment: /(?<subject>\S+) is paid: BRL (?<amount>[\d.]+)/gm }, route],
  ['hono-workers', { payment: /(?<subject>\S+) is paid$/gm }, route],
];

const hasPostgres = await findPostgres();

describe('no step of verify fails for the example', () => {
  it.each(examples)('%s', async (name, acted, shop) => {
    const running = await runExample(name);
    expect(await verify(running, running.program, acted, shop)).toEqual({ failed: [], ended: undefined });
  });

  it.skipIf(!hasPostgres)('nextjs', async () => {
    const { env, query } = await openDatabase();
    const running = await runExample('nextjs', { env });
    await fetch(running.origin); // answered once `instrumentation.ts` has made the tables
    const booked = () =>
      query("SELECT 'payment' AS kind, sale AS subject, amount::float FROM payments WHERE amount > 0");
    const verdict = await verify(running, running.program, { payment: /$^/ }, nextShop, booked);
    expect(verdict).toEqual({ failed: [], ended: undefined });
  });
});

/** Next.js takes the order from a form, sent like a browser without JavaScript. */
function nextShop({ origin }: Running): Promise<string> {
  return answering(async () => {
    const page = await (await fetch(origin)).text();
    const [, action = ''] = /name="(\$ACTION_ID_\w+)"/.exec(page) ?? [];
    const body = new FormData();
    body.set(action, '');
    const init = { method: 'POST', headers: { origin }, body, redirect: 'manual' } as const;
    const order = (await fetch(origin, init)).headers.get('location') ?? '';
    await fetch(`${origin}${order}`); // the page of the subscription opens the order
  });
}
