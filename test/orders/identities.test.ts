import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Store } from '../../src/stores';
import { recordToText } from '../../src/stores/record';
import { stepsOf } from '../../src/stores/steps';
import { notificationRequest } from '../../src/testing';
import { defineNotification, type WebhookReport } from '../../src/webhooks';
import { defaultReport } from '../../src/webhooks/report-log';
import { allOf } from '../helpers/all-of';
import { allPlaces, type PlaceKind, Shop } from './places';
import { credentials, FakeClient, paid } from './support';

const MEBI = 1024 * 1024;

/** A schema that takes any body. */
const anyBody = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } };

function testIn(kind: PlaceKind): void {
  describe.skipIf(!kind.isThere)(`one identity, over ${kind.name}`, () => {
    beforeAll(kind.prepare);
    afterAll(kind.close);

    /** A shop whose journey has such a uuid, of which the service says that it is paid in either spelling. */
    function spelled(uuid: string, ...more: [Shop['hooks']?, Shop['options']?]) {
      const client = new FakeClient([{ uuid }]);
      const key = `o-${randomUUID()}`;
      const shop = new Shop(kind.open(), more[0], more[1], { key, client });
      const says = (fields: object = {}) => {
        for (const each of [uuid, uuid.toLowerCase(), uuid.toUpperCase()]) {
          client.transactions.set(each, paid(uuid, { referenceCode: key, ...fields }));
        }
      };
      const pay = (saleToken: string) =>
        shop.deliver('payment', { saleToken, referenceCode: key, amount: 59.7, currency: 'BRL' });
      return { shop, client, says, pay };
    }

    it.each(['toLowerCase', 'toUpperCase'] as const)(
      'is booked once in both spellings: %s',
      async (change) => {
        const uuid = randomUUID()[change]();
        const other = uuid === uuid.toLowerCase() ? uuid.toUpperCase() : uuid.toLowerCase();
        const { shop, client, says, pay } = spelled(uuid);
        expect(await shop.uuid()).toBe(uuid);
        says();
        const asked = vi.spyOn(client, 'getTransaction');
        expect([await pay(other), await pay(uuid), await pay(other)]).toEqual([200, 200, 200]);
        // It is sent as it was received, and shown as the order knows it.
        expect(asked.mock.calls.map(([sent]) => sent)).toEqual([other]);
        const lines = [`paid ${uuid} 59.7 first`];
        expect([await shop.lines(), await shop.cases(), shop.reports]).toEqual([lines, [], []]);
        for (const each of [uuid, other]) {
          expect(await shop.orders.find({ uuid: each })).toMatchObject({
            key: shop.key,
            state: 'paid',
            attempts: [{ uuid }],
            payments: [{ sale: uuid, attempt: 1 }],
          });
        }
        // A refund in two spellings, of a sale in two spellings.
        const refund = randomUUID();
        expect([
          await shop.refund(other, refund, 10),
          await shop.refund(uuid, refund.toUpperCase(), 10),
        ]).toEqual([200, 200]);
        const reversal = randomUUID();
        await shop.reverse(other, reversal.toUpperCase(), 5, 'PENDING');
        await shop.reverse(uuid, reversal, 5, 'PAID');
        await shop.reverse(other, reversal.toUpperCase(), 5, 'PAID');
        lines.push(`returned ${uuid} 10 left 49.7`, `returned ${uuid} 5 left 44.7`);
        expect([await shop.lines(), await shop.cases()]).toEqual([lines, []]);
        expect((await shop.orders.find({ key: shop.key })).returns).toHaveLength(2);
        expect(await shop.orders.reconcile()).toMatchObject({ paid: 0 });
        expect(await shop.lines()).toEqual(lines);
      },
    );

    it.each([
      ['toUpperCase', 'toLowerCase'],
      ['toLowerCase', 'toUpperCase'],
    ] as const)('counts a refund once that its confirmation spells otherwise: %s', async (said, told) => {
      const uuid = randomUUID();
      const { shop, says, pay } = spelled(uuid);
      await shop.open();
      const refund = randomUUID();
      const transactions = [{ uuid: refund[said](), total: 9.7, status: 'PAID' }];
      says({ refunds: { quantity: 1, requested: 1, transactions } });
      await pay(uuid);
      await shop.refund(uuid, refund[told](), 9.7);
      expect(await shop.lines()).toEqual([`paid ${uuid} 59.7 first`, `returned ${uuid} 9.7 left 50`]);
    });

    it('runs a return that came first in another spelling, and settles what a delivery has booked once', async () => {
      const uuid = randomUUID();
      const { shop, says, pay } = spelled(uuid);
      await shop.open();
      says();
      await shop.refund(uuid.toUpperCase(), randomUUID(), 10);
      expect(await shop.cases()).toHaveLength(1);
      await pay(uuid);
      expect(await shop.lines()).toEqual([`paid ${uuid} 59.7 first`, `returned ${uuid} 10 left 49.7`]);
      // A later charge that nobody knew when its return came.
      const later = randomUUID().toUpperCase();
      await shop.reverse(later, randomUUID(), 9.9, 'PAID');
      shop.client.transactions.set(
        later.toLowerCase(),
        paid(later, { referenceCode: shop.key, amount: 29.9 }),
      );
      const charge = { referenceCode: shop.key, amount: 29.9, currency: 'BRL' };
      expect(await shop.deliver('payment', { saleToken: later.toLowerCase(), ...charge })).toBe(200);
      expect((await shop.lines()).slice(2)).toEqual([
        `paid ${later.toLowerCase()} 29.9 later`,
        `returned ${later.toLowerCase()} 9.9 left 20`,
      ]);
      // The same, of an order that its return names.
      const last = randomUUID();
      await shop.refund(last.toUpperCase(), randomUUID(), 9.9);
      shop.client.transactions.set(last, paid(last, { referenceCode: shop.key, amount: 29.9 }));
      expect(await shop.deliver('payment', { saleToken: last, ...charge })).toBe(200);
      expect((await shop.lines()).at(-1)).toBe(`returned ${last} 9.9 left 20`);
    });

    it('is decided in either spelling', async () => {
      const uuid = randomUUID().toUpperCase();
      const { shop, says, pay } = spelled(uuid);
      await shop.open();
      await shop.orders.close(shop.key);
      says();
      expect([await pay(uuid), await pay(uuid.toLowerCase())]).toEqual([200, 200]);
      const [found, ...others] = await allOf(shop.orders.cases());
      expect([found?.reason, found?.attempts, others]).toEqual(['closed', 2, []]);
      expect(await shop.state()).toBe('review');
      expect(await shop.orders.decide(`payment:${uuid}:PAID`, 'book')).toMatchObject({ status: 'booked' });
      expect([await shop.lines(), await shop.cases(), await shop.state()]).toEqual([
        [`paid ${uuid} 59.7 first`],
        [],
        'paid',
      ]);
    });

    it('is asked about as it was received, though its letter is over, or a person has dismissed it', async () => {
      const uuid = randomUUID().toUpperCase();
      const { shop, client } = spelled(uuid);
      const asked = vi.spyOn(client, 'getTransaction');
      // The service knows each by the spelling that it has given it.
      await shop.open();
      await shop.orders.close(shop.key);
      await shop.pay(uuid);
      const ofOrder = randomUUID().toUpperCase();
      await shop.pay(ofOrder, { amount: 12 });
      const ofNobody = randomUUID().toUpperCase();
      await shop.pay(ofNobody, { referenceCode: 'nobody' });
      const idOf = (sale: string) => `payment:${sale.toLowerCase()}:PAID`;
      expect((await allOf(shop.orders.cases())).map(({ id }) => id).sort()).toEqual(
        [uuid, ofOrder, ofNobody].map(idOf).sort(),
      );
      await stepsOf(shop.place.store as Store).forgetLetter(idOf(uuid));
      await shop.orders.decide(idOf(ofOrder), 'dismiss');
      await shop.orders.decide(idOf(ofNobody), 'dismiss');
      asked.mockClear();
      expect(await shop.orders.decide(idOf(uuid), 'book')).toMatchObject({ status: 'booked' });
      expect(await shop.orders.decide(idOf(ofOrder), 'book')).toMatchObject({ status: 'booked' });
      // Nothing of it is remembered but that it was dismissed.
      const named = `payment:${ofNobody}:PAID`;
      expect(await shop.orders.decide(named, 'book', { order: shop.key })).toMatchObject({
        was: 'dismissed',
      });
      expect(new Set(asked.mock.calls.map(([sent]) => sent))).toEqual(new Set([uuid, ofOrder, ofNobody]));
      expect(await shop.lines()).toEqual([
        `paid ${uuid} 59.7 first`,
        `paid ${ofOrder} 12 later`,
        `paid ${ofNobody} 59.7 later`,
      ]);
    });

    it('tells apart what is no uuid', async () => {
      const s = new Shop(kind.open());
      await s.pay(await s.uuid());
      const two = `s-${randomUUID()}`;
      for (const each of [two, two.toUpperCase(), ` ${two}`]) await s.pay(each, { amount: 29.9 });
      expect(await s.lines()).toHaveLength(4);
    });

    it('has 512 characters at most, wherever it comes from', async () => {
      const long = 'x'.repeat(MEBI / 2);
      const charge = defineNotification({
        kind: 'charge',
        match: (body) => body['charge'] === true,
        schema: anyBody as never,
        subject: (body: { id: string }) => body.id,
        order: (body: { sale: string; of?: string }) => ({ uuid: body.sale, referenceCode: body.of }),
      });
      const options = {
        kinds: [charge],
        asPayment: ({ sale }: { sale?: string }) => (sale === undefined ? undefined : { saleToken: sale }),
        on: { charge: () => Promise.reject(new Error('no')) },
      };
      const s = new Shop(kind.open(), {}, options as never);
      const sale = await s.uuid();
      const custom = async (body: object) =>
        (await s.orders.webhook(notificationRequest('custom', body, credentials))).status;
      expect(await custom({ sale: long })).toBe(400);
      expect(await custom({ sale: 'damaged \uFFFD' })).toBe(400);
      expect(await custom({ charge: true, id: long, sale })).toBe(400);
      expect(await custom({ charge: true, id: 'one', sale: long, of: s.key })).toBe(500);
      await s.reverse(long, 'v-1', 1, 'PAID');
      const body = { saleToken: sale, referenceCode: long, amount: 59.7, currency: 'BRL' };
      s.says(sale, {});
      expect(await s.deliver('payment', body)).toBe(500);
      await expect(s.orders.decide('x', 'book', { order: long })).rejects.toMatchObject({
        issues: [{ path: ['orderKey'] }],
      });
      // Nobody is asked, and what is told of a closed journey has a long reference.
      const { shop: trusting } = spelled(randomUUID(), {}, { confirm: false });
      const closed = await trusting.uuid();
      await trusting.orders.close(trusting.key);
      expect(await trusting.deliver('payment', { ...body, saleToken: closed })).toBe(200);
      for (const each of [s, trusting]) {
        const letters = await stepsOf(each.place.store).listLetters({ after: undefined, limit: 100 });
        expect(letters.length).toBeGreaterThan(0);
        for (const { body: _, ...letter } of letters) {
          expect(JSON.stringify(letter).length).toBeLessThan(1_000);
        }
      }
      expect(await s.pay(sale)).toBe(200);
      expect(await s.lines()).toEqual([`paid ${sale} 59.7 first`]);
    });

    it('is cut in the lines of the log', async () => {
      const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
      const s = new Shop(kind.open(), {}, { onReport: undefined });
      const id = '\u00e9'.repeat(512);
      expect(await s.reverse(id, id, 1, id)).toBe(200);
      const lines = log.mock.calls.map(([line]) => String(line));
      log.mockRestore();
      expect(lines.length).toBeGreaterThan(0);
      for (const line of lines) expect(line.length).toBeLessThan(1_000);
    });

    it('keeps nothing of a body that a parser has made, if its JSON text is too large', async () => {
      const s = new Shop(kind.open());
      const send = (numbers: number) =>
        s.orders.webhook.handle({
          method: 'POST',
          url: '/',
          headers: { authorization: `Basic ${btoa('key:token')}` },
          // In five bytes each as they came, and 22 as they would be kept.
          body: JSON.parse(`{"id":${numbers},"sums":[${'1e20,'.repeat(numbers)}0]}`),
        });
      expect([(await send(200_000)).status, await s.cases()]).toEqual([413, []]);
      expect([(await send(40_000)).status, (await s.cases()).length]).toEqual([200, 1]);
    });

    it('keeps each letter within 4 MiB, whatever its body is made of', async () => {
      const s = new Shop(kind.open());
      const steps = stepsOf(s.place.store);
      for (const filler of ['\u007f', 'é', '"', '\\', '\u2028', '😀', '\u0000']) {
        const unit = Buffer.byteLength(JSON.stringify(filler)) - 2;
        const raw = { id: randomUUID(), text: filler.repeat(Math.floor((MEBI - 100) / unit)) };
        const body = JSON.stringify(raw);
        expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MEBI);
        const sent = new Request('https://merchant.example/', {
          method: 'POST',
          body,
          headers: { authorization: `Basic ${btoa('key:token')}` },
        });
        expect((await s.orders.webhook(sent)).status).toBe(200);
        const [letter] = (await steps.listLetters({ after: undefined, limit: 1 })) as { key: string }[];
        const found = await allOf(s.orders.cases());
        expect(found.map((each) => each.body)).toEqual([body]);
        expect(recordToText({ letter }, randomUUID()).length).toBeLessThan(4 * MEBI);
        await s.orders.decide(String(letter?.key), 'dismiss');
      }
    });
  });
}

describe('a line of the log', () => {
  it('has a key of 300 characters at most', () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const report = {
      code: 'unhandled',
      status: 200,
      kind: 'own',
      key: `own:${'x'.repeat(5_000)}`,
      message: '',
    };
    defaultReport()(report as WebhookReport);
    expect(String(log.mock.calls[0]).length).toBeLessThan(400);
    log.mockRestore();
  });
});

for (const kind of (await allPlaces()).filter(({ name }) => /memory|transactions/.test(name))) testIn(kind);
