import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { defineNotification } from 'pix-automatic-sdk/webhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createStore, PostgresStore, type RecordStore, type Store } from '../../src/stores';
import { MemoryRecords } from '../../src/stores/memory-store';
import { notificationRequest } from '../../src/testing';
import { allOf } from '../helpers/all-of';
import { findPostgres, postgresConfig } from '../helpers/postgres';
import { allPlaces, memory, newId, type Place, type PlaceKind, Shop } from '../orders/places';
import { monthly, Subscription } from '../orders/subscription';
import { createBug } from '../webhooks/faults';
import { blockWith } from './markdown';
import { loadBlock } from './run-block';

// What SECURITY.md says of who sends what, of a pair that leaks, and of how long what is stored is kept.

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const own = { apiKey: 'your-api-key', apiToken: 'your-api-token' };
const old = { apiKey: 'leaked-key', apiToken: 'leaked-token' };

/** A body that is taken as it is. */
const anyBody = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } };
const deposit = defineNotification({
  kind: 'deposit',
  match: (body) => body['deposit'] === true,
  schema: anyBody as never,
  subject: (body: { id: string }) => body.id,
});

afterEach(() => vi.unstubAllGlobals());

function testIn(kind: PlaceKind): void {
  describe.skipIf(!kind.isThere)(`SECURITY.md, over ${kind.name}`, () => {
    beforeAll(kind.prepare);
    afterAll(kind.close);

    /** A shop whose listener answers over HTTP, with these pairs. */
    async function listening(
      credentials: readonly (typeof own)[],
      options: Partial<Shop['options']> = {},
      before?: Shop,
      hooks: Shop['hooks'] = {},
    ) {
      const place = before?.place ?? kind.open();
      const s = new Shop(place, hooks, { credentials, ...options } as never, before);
      const server = createServer(s.orders.webhook);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const close = () => new Promise((resolve) => server.close(resolve));
      onTestFinished(() => void close());
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
      const send = async (name: Parameters<typeof notificationRequest>[0], body: object, pair = own) => {
        const made = notificationRequest(name, body as never, pair);
        const sent = { method: 'POST', headers: made.headers, body: await made.text() };
        return (await fetch(url + new URL(made.url).search, sent)).status;
      };
      const refund = (sale: string, amount: number, pair = own, id = newId()) =>
        send(
          'refund',
          {
            saleToken: sale,
            referenceCode: s.key,
            currency: 'BRL',
            reversedAmount: amount,
            amountRefunded: amount,
            status: 'PAID',
            refund: { uuid: id, amount, status: 'PAID' },
          },
          pair,
        );
      const pay = (sale: string, fields: object = {}, pair = own) =>
        send(
          'payment',
          { saleToken: sale, referenceCode: s.key, amount: 59.7, currency: 'BRL', ...fields },
          pair,
        );
      return { s, send, refund, pay, close };
    }

    it('answers 401 to whoever has not the pair, another merchant too, and keeps nothing', async () => {
      const { s, pay } = await listening([own]);
      const sale = await s.uuid();
      s.says(sale);
      for (const pair of [old, { ...own, apiToken: 'another' }]) expect(await pay(sale, {}, pair)).toBe(401);
      expect([await s.lines(), await s.cases()]).toEqual([[], []]);
    });

    it('books no forged payment: it is `not_confirmed`, 500', async () => {
      const { s, pay } = await listening([own]);
      const sale = await s.uuid();
      s.says(sale, { situation: 'PENDING' });
      expect(await pay(sale)).toBe(500);
      expect([await s.lines(), await s.cases()]).toEqual([[], [`not_confirmed ${sale}`]]);
    });

    it('books another journey of the account under a paid order’s reference and sum as a later charge, and no other', async () => {
      const { s, pay } = await listening([own]);
      const sale = await s.uuid();
      const [before, after, otherSum] = [newId(), newId(), newId()];
      s.says(before, { amount: 29.9 });
      expect(await pay(before, { amount: 29.9 })).toBe(200);
      expect(await s.cases()).toEqual([`other_sale ${before}`]);
      s.says(sale);
      await pay(sale);
      for (const [each, amount] of [
        [after, 29.9],
        [otherSum, 30],
      ] as const) {
        s.says(each, { amount });
        expect(await pay(each, { amount })).toBe(200);
      }
      expect(await s.lines()).toEqual([`paid ${sale} 59.7 first`, `paid ${after} 29.9 later`]);
      expect(await s.cases()).toEqual([`other_amount ${otherSum}`, `other_sale ${before}`]);
    });

    it('runs `returned` for a forged refund of a booked sale, up to what is left of it, and a forged payout', async () => {
      const paidOut: unknown[] = [];
      const payout = ({ payload }: { payload: { uuid: string } }) => void paidOut.push(payload.uuid);
      const { s, pay, refund, send } = await listening([own], { on: { payout } } as never);
      const sale = await s.uuid();
      s.says(sale);
      await pay(sale);
      for (const [of, amount] of [
        [sale, 50],
        [sale, 10],
        [newId(), 1],
      ] as const) {
        expect(await refund(of, amount)).toBe(200);
      }
      expect((await s.lines()).slice(1)).toEqual([`returned ${sale} 50 left 9.7`]);
      expect((await s.cases()).map((each) => each.split(' ')[0])).toEqual(['early_return', 'unclear_amount']);
      expect(await send('payout', { uuid: 'p-1', success: true, status: 'PAID' })).toBe(200);
      expect(paidOut).toEqual(['p-1']);
    });

    it('takes the subject of an own kind from its body, whatever that says', async () => {
      const acted: unknown[] = [];
      const on = { deposit: async ({ payload }: { payload: object }) => void acted.push(payload) };
      const { send } = await listening([own], { kinds: [deposit], on } as never);
      const made = { deposit: true, amount: 1_000_000 };
      for (const id of ['d-1', 'd-1', 'whatever']) expect(await send('custom', { ...made, id })).toBe(200);
      expect(acted).toEqual([
        { ...made, id: 'd-1' },
        { ...made, id: 'whatever' },
      ]);
    });

    it('acts on nothing that is replayed, for 400 days, and never by itself on what was changed', async () => {
      const { s, pay } = await listening([own]);
      const sale = await s.uuid();
      s.says(sale);
      const date = '2027-01-15 10:00:00';
      await pay(sale, { date });
      await s.place.later?.(399 * DAY);
      expect([await pay(sale, { date }), await s.cases()]).toEqual([200, []]);
      expect([await pay(sale, { date, amount: 60 }), await s.cases()]).toEqual([
        200,
        [`unexpected_repeat ${sale}`],
      ]);
      await s.orders.maintain();
      await s.orders.webhook.replay();
      expect([(await s.lines()).length, (await s.cases()).length]).toEqual([1, 1]);
    });

    it('reports and keeps one made-up state more than 64, and has a place for the documented ones', async () => {
      const { s, send, pay } = await listening([own]);
      const [id, sale] = [newId(), await s.uuid()];
      const reverse = (status: string) =>
        send('reversal', { uuid: id, currency: 'BRL', reversedAmount: 1, status, sale: { uuid: sale } });
      s.says(sale);
      await pay(sale);
      for (let state = 0; state < 66; state += 1) expect(await reverse(`X-${state}`)).toBe(200);
      expect((await s.cases()).map((each) => each.split(' ')[0])).toEqual([
        'too_many_states',
        'too_many_states',
      ]);
      expect(s.reports).toContain('too_many_states');
      expect([await reverse('PAID'), (await s.lines()).slice(1)]).toEqual([
        200,
        [`returned ${sale} 1 left 58.7`],
      ]);
    });

    it('reports an event of a recurrence that nobody confirms', async () => {
      const s = new Subscription(kind.open());
      await s.open(monthly);
      for (const event of ['authorized', 'charge_failed', 'cancelled'])
        expect(await s.tell(event, { chargeDueDate: '2027-02-15' })).toBe(200);
      expect(await s.lines()).toEqual(['authorized', 'charge_failed and again', 'cancelled']);
    });

    it('looks for the order of a payment of another system with the same account, else it is `foreign` or `no_order`', async () => {
      const seen: unknown[] = [];
      const foreign = ({ payload }: { payload: { saleToken: string } }) => void seen.push(payload.saleToken);
      const { s, pay } = await listening([own], { on: { foreign } } as never);
      const theirs = newId();
      s.says(theirs, { referenceCode: 'theirs' });
      expect(await pay(theirs, { referenceCode: 'theirs' })).toBe(200);
      expect([seen, await s.cases()]).toEqual([[theirs], []]);
      const without = await listening([own]);
      without.s.says(theirs, { referenceCode: 'theirs' });
      expect(await without.pay(theirs, { referenceCode: 'theirs' })).toBe(200);
      expect(await without.s.cases()).toEqual([`no_order ${theirs}`]);
    });

    const keptWith = async (s: Shop, { apiKey, apiToken }: typeof own): Promise<string[]> => {
      vi.stubGlobal('orders', s.orders);
      return (await loadBlock(blockWith('function keptOf', 'SECURITY.md'))).keptOf(apiKey, apiToken);
    };

    it('loses nothing of a rotation: the old pair goes once nothing comes with it, and nothing kept did', async () => {
      const { fix, breaks } = createBug();
      const { breaks: breaksToo, fix: fixToo } = createBug();
      const hooks = { returned: breaks(), paid: breaksToo() };
      const during = await listening([own, old], {}, undefined, hooks);
      const { s } = during;
      const sale = await s.uuid();
      s.says(sale);
      // The service still sends with the old pair.
      expect(await during.pay(sale, {}, old)).toBe(500);
      fixToo();
      expect(await during.pay(sale, {}, old)).toBe(200);
      expect(await during.refund(sale, 10, old, 'r-1')).toBe(500);
      expect(await keptWith(s, old)).toEqual(['refund:r-1:PAID']);
      expect(await keptWith(s, own)).toEqual([]);
      fix();
      await s.place.later?.(2 * HOUR);
      await s.orders.maintain();
      expect(await keptWith(s, old)).toEqual([]);
      // Only then is it taken out.
      const after = await listening([own], {}, s);
      expect(await after.refund(sale, 5, old)).toBe(401);
      expect(await after.refund(sale, 5)).toBe(200);
      expect(await after.s.lines()).toEqual([
        `paid ${sale} 59.7 first`,
        `returned ${sale} 10 left 49.7`,
        `returned ${sale} 5 left 44.7`,
      ]);
      expect(await after.s.cases()).toEqual([]);
    });

    it('leaves what a leaked pair has left to a person, who finds it by step 3, and finds payments without it', async () => {
      const { fix, breaks } = createBug();
      const during = await listening([own, old], { kinds: [deposit], on: { deposit: breaks() } } as never);
      const { s } = during;
      const [sold, sale] = [await s.uuid(), newId()];
      s.says(sold);
      expect(await during.pay(sold)).toBe(200);
      // Forged, and kept.
      s.says(sale, { amount: 29.9 });
      expect(await during.refund(sale, 29.9, old, 'r-forged')).toBe(200);
      expect(await during.send('custom', { deposit: true, id: 'd-forged' }, old)).toBe(500);
      expect(await during.pay('s-forged', {}, old)).toBe(500);
      // The service's own, in the same hour.
      expect(await during.send('custom', { deposit: true, id: 'd-real' })).toBe(500);
      await during.close();
      fix();

      // Steps 1 and 2: the new pair alone.
      const acted: unknown[] = [];
      const on = { deposit: async ({ payload }: { payload: { id: string } }) => void acted.push(payload.id) };
      const after = await listening([own], { kinds: [deposit], on } as never, s);
      expect(await after.pay(sale, { amount: 29.9 }, old)).toBe(401);
      expect(await after.refund(sold, 5, old)).toBe(401);
      // What the service sends with the old pair is lost; a payment of its journey is found.
      const key = `o-${newId()}`;
      const { uuid } = await after.s.orders.open(key, {
        currency: 'BRL',
        amount: 59.7,
        shopper: {},
        recurrence: { immediatePayment: true },
      });
      after.s.says(String(uuid), { referenceCode: key });
      expect(await after.pay(String(uuid), { referenceCode: key }, old)).toBe(401);
      await s.place.later?.(2 * HOUR);
      await after.s.orders.maintain();
      expect((await after.s.orders.find({ key })).state).toBe('paid');
      // Booked, which runs no forged return.
      expect(await after.pay(sale, { amount: 29.9 })).toBe(200);
      await s.place.later?.(2 * HOUR);
      await after.s.orders.maintain();
      const lines = await after.s.lines();
      expect(lines.filter((line) => !line.includes(String(uuid)))).toEqual([
        `paid ${sold} 59.7 first`,
        `paid ${sale} 29.9 later`,
      ]);
      expect(acted).toEqual(['d-real']);
      expect(after.s.reports).toContain('dead_letter_credential');

      // Step 3.
      const forged = await keptWith(after.s, old);
      expect(forged).toEqual(['deposit:d-forged', 'payment:s-forged:PAID', 'refund:r-forged:PAID']);
      const letters = await after.s.orders.webhook.deadLetters.list();
      const [replayed] = letters.filter(({ key: of }) => of === 'deposit:d-forged');
      expect(await after.s.orders.webhook.replay(replayed ? [replayed] : [])).toMatchObject([
        { status: 'done' },
      ]);
      expect(acted.at(-1)).toBe('d-forged');
      expect(await after.s.orders.decide('refund:r-forged:PAID', 'dismiss')).toEqual({ status: 'dismissed' });
      await after.s.orders.webhook.deadLetters.forget('payment:s-forged:PAID');
      expect(await keptWith(after.s, old)).toEqual([]);
      expect(await allOf(after.s.orders.cases())).toEqual([]);
      expect(await after.s.lines()).toEqual(lines);
    });
  });
}

for (const kind of (await allPlaces()).filter(({ name }) => /memory|transactions/.test(name))) testIn(kind);

it('each record is kept as long as the table of SECURITY.md says', async () => {
  const start = Date.parse('2027-01-15T12:00:00Z');
  const records = new MemoryRecords(1_000_000, () => start);
  const days = new Map<string, number>();
  const keys: string[] = [];
  const spied: RecordStore = {
    read: (key) => records.read(key),
    list: (prefix, page) => records.list(prefix, page),
    write(key, change) {
      keys.push(key);
      const [, id = ''] = /\/(?:seen:)?(maintain|[a-z]+)/.exec(key) ?? [];
      const name = /\/seen:/.test(key) ? `seen ${id}` : id;
      days.set(name, Math.max(days.get(name) ?? 0, (change.expiresAt - start) / DAY));
      return records.write(key, change);
    },
  };
  const store = createStore(spied) as unknown as Store<never>;
  const place: Place = { ...memory().open(), store };
  const on = { unrecognized: async () => undefined, deposit: async () => undefined };
  const s = new Subscription(place, {}, { kinds: [deposit], on } as never);
  await s.open(monthly);
  await s.tell('authorized');
  await s.tellPaid(s.charged());
  await s.refund(newId(), newId(), 1);
  await s.deliver('payment', { saleToken: newId(), referenceCode: 'none', amount: 1 });
  for (const body of [{ a: 1 }, { deposit: true, id: '12345678909' }])
    await s.orders.webhook(notificationRequest('custom', body, { apiKey: 'key', apiToken: 'token' }));
  await s.orders.maintain();
  const hour = 1 / 24;
  expect(Object.fromEntries([...days].map(([name, most]) => [name, Math.round(most * 24) / 24]))).toEqual({
    order: 400,
    open: 501,
    reference: 501,
    recurrence: 501,
    uuid: 501,
    letter: 30,
    maintain: 400,
    'seen deposit': 400,
    'seen payment': 400,
    'seen recurrence': 400,
    'seen refund': expect.any(Number),
    'seen unrecognized': hour,
  });
  expect(keys.filter((key) => key.includes('12345678909')).map((key) => key.replace(/.*\//, ''))).toContain(
    'seen:deposit:12345678909',
  );
  // As long as its recurrence is charged, and for 60 days more; its pointers for 101 days more.
  days.clear();
  const nextRecurrenceDate = new Date(start + 500 * DAY).toISOString().slice(0, 10);
  await s.tell('charge_scheduled', { saleToken: newId(), nextRecurrenceDate });
  expect([days.get('order'), days.get('recurrence')].map((most) => Math.floor(Number(most)))).toEqual([
    559, 660,
  ]);
});

const RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const;

it.runIf(await findPostgres()).each([undefined, ...RIGHTS])(
  'the role of the processes needs four rights on the table, and USAGE on its schema; without: %s',
  async (missing) => {
    const id = randomUUID().slice(0, 8);
    const [role, schema] = [`shop_${id}`, `shop_schema_${id}`];
    const owner = new pg.Pool({ ...postgresConfig, max: 1 });
    const pool = new pg.Pool({ ...postgresConfig, max: 4, options: `-c role=${role}` });
    onTestFinished(async () => {
      await pool.end();
      await owner.query(`DROP SCHEMA ${schema} CASCADE; DROP ROLE ${role}`);
      await owner.end();
    });
    await owner.query(
      `CREATE SCHEMA ${schema}; CREATE ROLE ${role}; GRANT USAGE ON SCHEMA ${schema} TO ${role}`,
    );
    await new PostgresStore(owner, { schema, table: 'records' }).createTable();
    const granted = RIGHTS.filter((right) => right !== missing).join(', ');
    await owner.query(`GRANT ${granted} ON ${schema}.records TO ${role}`);
    const store = new PostgresStore(pool, { schema, table: 'records', transactional: true });
    const place = { ...memory().open(), store: store as unknown as Store<never> };
    const write = async (transaction: unknown) =>
      void (await (transaction as pg.PoolClient).query('SELECT 1'));
    const s = new Shop(place, {
      paid: (_, { transaction }) => write(transaction),
      returned: (_, { transaction }) => write(transaction),
    });
    const work = async () => {
      const sale = await s.uuid();
      const answers = [
        await s.pay(sale),
        await s.refund(sale, newId(), 5),
        await s.refund(newId(), newId(), 5),
      ];
      const { errors } = (await s.orders.maintain()) as { errors: readonly unknown[] };
      // An expired record is deleted.
      await owner.query(`UPDATE ${schema}.records SET expires_at = 0 WHERE id LIKE '%maintain%'`);
      const again = (await s.orders.maintain()) as { errors: readonly unknown[] };
      return [...answers, errors.length + again.errors.length];
    };
    const done = await work().catch(() => 'failed');
    if (missing === undefined) expect([done, s.reports]).toEqual([[200, 200, 200, 0], ['early_return']]);
    else expect(done).not.toEqual([200, 200, 200, 0]);
  },
);
