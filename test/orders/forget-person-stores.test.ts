import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStore, type RecordStore, SqliteStore, type Store } from '../../src/stores';
import { MemoryRecords } from '../../src/stores/memory-store';
import type { SqliteDatabase } from '../../src/stores/sqlite-store';
import { stepsOf } from '../../src/stores/steps';
import { findBetterSqlite3 } from '../helpers/better-sqlite3';
import { basic } from '../webhooks/support';
import { allPlaces, memory, newId, type PlaceKind, Shop } from './places';
import { monthly, Subscription } from './subscription';
import { credentials } from './support';

const Database = findBetterSqlite3();
const nodeSqlite = process.getBuiltinModule('node:sqlite');

function sqlite(): PlaceKind {
  const database = (
    Database === undefined ? nodeSqlite && new nodeSqlite.DatabaseSync(':memory:') : new Database(':memory:')
  ) as SqliteDatabase & { close(): void };
  const store = database && new SqliteStore(database);
  return {
    name: 'SQLite',
    isThere: database !== undefined,
    isTransactional: false,
    open: () => ({
      ...memory().open(),
      later: async () => undefined,
      store: store as unknown as Store<never>,
    }),
    prepare: () => store.createTable(),
    close: async () => database?.close(),
  };
}

const person = {
  document: '123.456.789-09',
  email: 'maria@example.com',
  account: '12345-6',
  name: 'Maria Silva',
};
const gone = '[forgotten]';
const deep = (text: string) => `${'['.repeat(20_000)}"${text}"${']'.repeat(20_000)}`;

function testIn(kind: PlaceKind): void {
  describe.skipIf(!kind.isThere)(`a person who is forgotten, over ${kind.name}`, () => {
    beforeAll(kind.prepare);
    afterAll(kind.close);

    it('leaves every case, whatever form it has, and the count says how many', async () => {
      const s = new Shop(kind.open(), {
        paid: (_, { needsPerson }) => needsPerson('ask MARIA SILVA'),
      });
      const sale = await s.uuid();
      await s.pay(sale);
      const send = (body: string) =>
        s.orders.webhook.handle({
          method: 'POST',
          url: '/',
          headers: { authorization: basic(credentials) },
          body,
        });
      // Each as it comes, and as it is kept after that.
      const bodies = [
        ['\ufeff{"n":1,"name":"Maria Silva"}', `\ufeff{"n":1,"name":"${gone}"}`],
        [
          `{"saleToken":"${newId()}","refund":{"uuid":"${newId()}"},"status":"PAID","a":${deep('maria SILVA')}}`,
          deep(gone),
        ],
        ['{"n":2,"email":"MARIA@Example.com"}', `{"n":2,"email":"${gone}"}`],
        ['{"n":3,"account":123456}', `{"n":3,"account":"${gone}"}`],
        ['{"n":4,"reason":"of cpf 12345678909"}', `{"n":4,"reason":"${gone}"}`],
        ['{"n":5,"message":"PE0003 - 12345-6"}', `{"n":5,"message":"${gone}"}`],
        ['{"n":6,"note":"María SÍLVA"}', `{"n":6,"note":"${gone}"}`],
        ['{"n":7,"name":"Mariana Silva"}', '{"n":7,"name":"Mariana Silva"}'],
      ] as const;
      for (const [body] of bodies) expect((await send(body)).status).toBe(200);
      expect(await s.orders.forgetPerson(person)).toEqual({ changed: 8 });
      const kept = (await s.orders.webhook.deadLetters.list()).map(({ body }) => body).join('\n');
      for (const [, left] of bodies) expect(kept).toContain(left);
      expect(
        kept.match(/.{20}(?:maria silva|maría|maria@example|12345678909|(?<!\d)12345-?6(?!\d)).{20}/gi),
      ).toBeNull();
      expect(await s.caseOf('needs_person')).toMatchObject({ note: gone, sale, amount: 59.7 });
      expect(await s.orders.forgetPerson(person)).toEqual({ changed: 0 });
    });
  });
}

for (const kind of [...(await allPlaces()), sqlite()]) testIn(kind);

it('leaves the case of an event of a recurrence, the only record that has anything of a person', async () => {
  const records = new MemoryRecords(1_000_000, () => Date.parse('2027-01-15T12:00:00Z'));
  const written = new Map<string, string>();
  const spied: RecordStore = {
    read: (key) => records.read(key),
    list: (prefix, page) => records.list(prefix, page),
    write(key, change) {
      written.set(key, change.record);
      return records.write(key, change);
    },
  };
  const store = createStore(spied);
  const s = new Subscription({ ...memory().open(), store: store as unknown as Store<never> });
  await s.open(monthly);
  await s.orders.close(s.key);
  const told = {
    payerName: 'MARIA SILVA',
    payerDocument: '12345678909',
    rejectionReason: 'conta 12345-6 de MARIA SILVA bloqueada',
  };
  const charge = { saleToken: s.charged(), chargeAmount: 29.9, chargeDueDate: '2027-02-15' };
  expect(await s.tell('authorized', told)).toBe(200);
  expect(await s.tell('charge_failed', { ...told, ...charge, retryScheduled: true })).toBe(200);
  expect(await s.tellPaid(charge.saleToken, { ...told, ...charge })).toBe(200);
  expect((await s.cases()).map((each) => each.split(' ')[0])).toEqual(['closed', 'closed']);

  const holding = [...written].filter(([, record]) => /maria|12345|bloqueada/i.test(record));
  expect(holding.map(([key]) => key.replace(/[^/]*\/([a-z]+:).*/, '$1'))).toEqual(['letter:', 'letter:']);
  for (const { body, ...rest } of await stepsOf(store).listLetters({ after: undefined, limit: 10 })) {
    expect(body).toMatch(/MARIA SILVA/);
    expect(JSON.stringify(rest)).not.toMatch(/maria|12345|bloqueada/i);
  }
  expect(await s.orders.forgetPerson(person)).toEqual({ changed: 2 });
  expect([...written.values()].join()).not.toMatch(/maria|12345|bloqueada/i);
});
