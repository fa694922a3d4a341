import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../src/errors';
import type { Person } from '../../src/orders';
import { allOf } from '../helpers/all-of';
import { basic } from '../webhooks/support';
import { credentials, paid, setUp } from './support';

/** Orders with a case for each body, as it is sent. */
async function withCases(bodies: readonly string[]) {
  const parts = setUp([], {
    credentials,
    onReport: () => undefined,
    on: { paid: async () => undefined, returned: 'ignore' },
  });
  const { orders } = parts;
  for (const body of bodies) {
    const { status } = await orders.webhook.handle({
      method: 'POST',
      url: '/webhooks',
      headers: { authorization: basic(credentials) },
      body,
    });
    expect(status).toBe(200);
  }
  const bodiesNow = async () => (await orders.webhook.deadLetters.list()).map(({ body }) => body).sort();
  return { ...parts, bodiesNow };
}

async function without(body: string, person: Person): Promise<string> {
  const { orders, bodiesNow } = await withCases([body]);
  const { changed } = await orders.forgetPerson(person);
  const [written = ''] = await bodiesNow();
  expect(changed).toBe(written === body ? 0 : 1);
  return written;
}

const forgotten = '[forgotten]';

describe('forgetPerson takes a person out of a body', () => {
  it.each<[string, string, Person]>([
    ['an e-mail address in another case', '"email": "MARIA@Example.com"', { email: 'maria@example.com' }],
    ['a document without its punctuation', '"number": "12345678909"', { document: '123.456.789-09' }],
    ['a document with its punctuation', '"number": "123.456.789-09"', { document: '12345678909' }],
    ['an account as a number', '"account": 123456', { account: '12345-6' }],
    ['an account as a number, which has no zeros before it', '"account": 123456', { account: '0012345-6' }],
    ['a name without its accents', '"name": "JOSE  DA CONCEICAO"', { name: 'José da Conceição' }],
    ['a name with its accents', '"name": "José da Conceição"', { name: 'Jose da Conceicao' }],
    ['a reason', '"reason": "asked for by Maria Silva."', { name: 'Maria Silva' }],
    ['a message', '"message": "PE0003 - account 12345-6 of MARIA SILVA"', { account: '123456' }],
    ['a note', '"note": "cpf:12345678909"', { document: '123.456.789-09' }],
    ['a text with escapes', '"name": "\\u004daria \\"Mia\\" Silva"', { name: 'Maria "Mia" Silva' }],
    ['a text in a list', '"names": ["Maria Silva"]', { name: 'maria silva' }],
  ])('%s', async (_, field, person) => {
    const written = JSON.parse(await without(`{"yourEvent": "x", ${field}, "other": "stays"}`, person));
    const { yourEvent, other, ...rest } = written;
    expect([yourEvent, other]).toEqual(['x', 'stays']);
    expect(Object.values(rest).flat()).toEqual([forgotten]);
  });

  it.each<[string, string, Person]>([
    ['another name that holds it', '{"a":"Mariana Silva"}', { name: 'Maria' }],
    ['a longer number', '{"a":"9123456","b":1234567,"c":0.123456}', { account: '123456' }],
    ['the name of a field', '{"maria silva":1}', { name: 'Maria Silva' }],
    ['a sum of money', '{"a":1,"amount":123456,"totalAmount":"123456"}', { account: '123456' }],
    ['an identity', '{"a":1,"saleToken2":"x","uuid":"maria@x.com"}', { email: 'maria@x.com' }],
    ['white space, and the form of what stays', '{ "a" : 1.50 ,\n "b" : "\\u00e9" }', { name: 'Maria' }],
  ])('but not %s', async (_, body, person) => {
    expect(await without(body, person)).toBe(body);
  });

  it('of a body with a byte order mark, or nested 20,000 deep', async () => {
    const refund = '"saleToken":"s","refund":{"uuid":"r"},"status":"PAID"';
    const deep = `{${refund},"a":${'['.repeat(20_000)}"Maria Silva"${']'.repeat(20_000)}}`;
    expect(await without(deep, { name: 'maria silva' })).toBe(deep.replace('Maria Silva', forgotten));
    const { orders, bodiesNow } = await withCases(['\ufeff{"name":"Maria Silva"}']);
    expect(await bodiesNow()).toEqual(['\ufeff{"name":"Maria Silva"}']);
    expect(await orders.forgetPerson({ name: 'maria silva' })).toEqual({ changed: 1 });
    expect(await bodiesNow()).toEqual([`\ufeff{"name":"${forgotten}"}`]);
  });

  it('by each of the four at once, in every case, page by page, and counts what it has changed', async () => {
    const bodies = Array.from(
      { length: 45 },
      (_, i) => `{"n":${i},"name":"${i % 3 === 0 ? 'Ana Lima' : 'Rui'}"}`,
    );
    const { orders, bodiesNow } = await withCases([...bodies, '{"cpf":"12345678909"}']);
    const person = { name: 'ANA LIMA', document: '123.456.789-09', email: 'a@b.com', account: '777' };
    expect(await orders.forgetPerson(person)).toEqual({ changed: 16 });
    expect((await bodiesNow()).join()).not.toMatch(/Ana|123456/);
    expect((await bodiesNow()).filter((body) => body.includes('Rui'))).toHaveLength(30);
    expect(await orders.forgetPerson(person)).toEqual({ changed: 0 });
  });
});

it('forgetPerson takes a person out of the note of `needsPerson`, and the case can still be decided', async () => {
  const booked: string[] = [];
  let isAsked = true;
  const parts = setUp([], {
    credentials,
    onReport: () => undefined,
    on: {
      async paid({ sale }, { needsPerson }) {
        if (isAsked) needsPerson('Is this Maria Silva’s?');
        booked.push(sale);
      },
      returned: 'ignore',
    },
  });
  const { orders, client } = parts;
  const { uuid = '' } = await parts.open();
  client.transactions.set(uuid, paid(uuid));
  const shopper = { name: 'Maria Silva', email: 'maria@example.com' };
  const body = {
    saleToken: uuid,
    newStatus: 'PAID',
    amount: 59.7,
    currency: 'BRL',
    referenceCode: 'order-1',
    shopper,
  };
  const headers = { authorization: basic(credentials) };
  await orders.webhook.handle({ method: 'POST', url: '/', headers, body: JSON.stringify(body) });
  const [before] = await allOf(orders.cases());
  expect(await orders.forgetPerson({ name: 'maria silva', email: 'Maria@example.com' })).toEqual({
    changed: 1,
  });
  const [after] = await allOf(orders.cases());
  expect(JSON.stringify(after)).not.toMatch(/maria/i);
  expect(after).toMatchObject({
    id: before?.id,
    reason: 'needs_person',
    note: forgotten,
    sale: uuid,
    amount: 59.7,
  });
  expect([after?.firstFailedAt, after?.attempts]).toEqual([before?.firstFailedAt, before?.attempts]);
  isAsked = false;
  await orders.decide(String(after?.id), 'book');
  expect(booked).toEqual([uuid]);
});

it.each([
  {},
  { name: '' },
  { name: 'Li' },
  { name: undefined },
  { account: 123456 },
  { cpf: '12345678909' },
  { name: '...', email: 'a@b.com' },
])('forgetPerson refuses %j, of which too little is said, and changes nothing', async (person) => {
  const { orders, bodiesNow } = await withCases(['{"a":"Li"}']);
  await expect(orders.forgetPerson(person as Person)).rejects.toBeInstanceOf(ConfigurationError);
  expect(await bodiesNow()).toEqual(['{"a":"Li"}']);
});
