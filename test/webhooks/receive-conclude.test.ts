import { setTimeout as sleep } from 'node:timers/promises';
import { fixtures } from 'pix-automatic-sdk/testing';
import { defineNotification, type WebhookDone } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { createBug, gate, throwing } from './faults';
import { refundPayload, salePayload } from './payloads';
import { authorization, codesOf, createListener, schemaOf, send } from './support';

/** A listener with what its `onDone` was told. */
function createTelling(options: object = {}) {
  const told: WebhookDone[] = [];
  return { ...createListener({ onDone: (done: WebhookDone) => void told.push(done), ...options }), told };
}

const key = 'payment:s-1:PAID';
const done = { kind: 'payment', key, isRepeat: false, origin: 'delivery', durationMs: expect.any(Number) };

describe('onDone', () => {
  it('tells of each delivery that was answered 200 as done, and whether it was done before', async () => {
    const { handler, told, reports } = createTelling();
    for (let delivery = 1; delivery <= 3; delivery += 1) expect(await send(handler)).toBe(200);
    expect(await send(handler, refundPayload())).toBe(200);
    const repeat = { ...done, isRepeat: true };
    expect(told).toEqual([done, repeat, repeat, { ...done, kind: 'refund', key: 'refund:r-1:PAID' }]);
    expect(reports).toEqual([]);
  });

  it('tells of own kinds and of what no kind fits, too', async () => {
    const match = (body: object) => 'chargeId' in body;
    const charge = defineNotification({ kind: 'charge', match, schema: schemaOf(), subject: () => 'c-1' });
    const on = { charge: () => undefined, unrecognized: () => undefined };
    const { handler, told } = createTelling({ kinds: [charge], on });
    await send(handler, { chargeId: 'c-1' });
    await send(handler, { other: 1 });
    const unrecognized = { kind: 'unrecognized', key: expect.stringMatching(/^unrecognized:/) };
    expect(told).toMatchObject([{ kind: 'charge', key: 'charge:c-1' }, unrecognized]);
  });

  it('measures from the arrival of the request to its result', async () => {
    const { wait, open } = gate();
    const { handler, told } = createTelling({ on: { payment: wait } });
    const before = performance.now();
    const answered = send(handler);
    await sleep(50);
    open();
    await answered;
    expect(told[0]?.durationMs).toBeGreaterThan(40);
    expect(told[0]?.durationMs).toBeLessThanOrEqual(performance.now() - before);
  });

  it('does not tell of what failed, of what has no callback, and of what is ignored', async () => {
    const on = { payment: throwing(new Error('bug')), refund: 'ignore' as const };
    const { handler, told } = createTelling({ on });
    const statuses = [await send(handler), await send(handler, refundPayload()), await send(handler, {})];
    expect([statuses, told]).toEqual([[500, 200, 200], []]);
  });

  it('tells of a replay and of a settlement, with where it comes from', async () => {
    const { fix, breaks } = createBug();
    const { handler, settle, told } = createTelling({ deadLetters: true, on: { payment: breaks() } });
    await send(handler);
    fix();
    await handler.replay(await handler.deadLetters.list());
    const transaction = fixtures.transaction({ uuid: 's-1', refunds: undefined });
    await settle({ uuid: 's-1', transaction });
    await settle({ uuid: 's-2', transaction: { ...transaction, uuid: 's-2' } });
    const [replayed, settled] = [
      { ...done, origin: 'replay' },
      { ...done, origin: 'settle' },
    ];
    expect(told).toEqual([replayed, { ...settled, isRepeat: true }, { ...settled, key: 'payment:s-2:PAID' }]);
  });

  it('tells of a late success once it is recorded, so that a count of what is no repeat is right', async () => {
    const { wait, open } = gate();
    const { handler, told } = createTelling({ callbackTimeoutMs: 20, on: { payment: wait } });
    expect([await send(handler), told]).toEqual([500, []]);
    open();
    await expect.poll(() => told).toEqual([done]);
    expect(await send(handler)).toBe(200);
    expect(told).toEqual([done, { ...done, isRepeat: true }]);
  });

  it.each([
    ['throws', throwing(new Error('observer'))],
    ['rejects', async () => throwing(new Error('observer'))()],
  ])('that %s changes nothing', async (_, onDone) => {
    const { handler, acted, reports } = createListener({ onDone });
    expect(await send(handler)).toBe(200);
    expect([acted, reports]).toEqual([[key], []]);
  });
});

it('does not tell of the answer to a body that could not be read', async () => {
  const { handler, told } = createTelling();
  expect([await send(handler, 'no JSON'), told]).toEqual([400, []]);
  expect(await send(handler, salePayload(), { headers: { authorization: 'Basic x' } })).toBe(401);
  expect(told).toEqual([]);
});

describe('a body with U+FFFD, which stands for bytes that are no UTF-8', () => {
  const json = JSON.stringify({
    ...salePayload(),
    shopper: { firstName: 'João', lastName: 'é', email: 'a@b.c' },
  });
  const latin1 = Buffer.from(json, 'latin1');
  const damaged = { code: 'damaged_text', status: 200, kind: 'payment', key };
  const handled = ({ handler }: Pick<ReturnType<typeof createListener>, 'handler'>, body: unknown) =>
    handler
      .handle({ method: 'POST', url: '/', headers: { authorization }, body })
      .then(({ status }) => status);

  it.each([
    ['bytes', latin1],
    ['text that something else has decoded', latin1.toString('utf8')],
  ])(
    'outside its identity, as %s, is acted on and reported with the names of its fields',
    async (_, body) => {
      const { handler, acted, reports } = createListener();
      expect(await handled({ handler }, body)).toBe(200);
      expect(acted).toEqual([key]);
      const issues = ['firstName', 'lastName'].map((name) => ({ path: ['shopper', name] }));
      expect(reports).toMatchObject([{ ...damaged, issues }]);
      expect(reports[0]?.message).toContain('U+FFFD');
      expect(reports[0]?.message).toContain('Fields: shopper.firstName, shopper.lastName.');
      expect(JSON.stringify(reports[0])).not.toContain('Jo');
    },
  );

  it('has the status that it was answered with', async () => {
    const listener = createListener({ on: { payment: throwing(new Error('bug')) } });
    expect(await handled(listener, latin1)).toBe(500);
    expect(listener.reports).toMatchObject([{ code: 'callback_failed' }, { ...damaged, status: 500 }]);
  });

  it('in its identity is refused, and not told twice', async () => {
    const listener = createListener();
    expect(await handled(listener, json.replace('"s-1"', '"s-\uFFFD"'))).toBe(400);
    expect(codesOf(listener.reports)).toEqual(['invalid_notification']);
  });

  it('is not reported where there is none, nor where a kind is ignored', async () => {
    const listener = createListener({ on: { payment: () => undefined, refund: 'ignore' } });
    const refund = JSON.stringify({ ...refundPayload(), reason: '\uFFFD' });
    expect([await handled(listener, json), await handled(listener, refund)]).toEqual([200, 200]);
    expect(listener.reports).toEqual([]);
  });

  it('is looked for in lists and maps, four levels deep, whatever else is below', async () => {
    const deep = { a: { b: { c: { d: '\uFFFD', e: { f: '\uFFFD' } } } }, list: ['x', '\uFFFD'] };
    const listener = createListener();
    expect(await handled(listener, JSON.stringify({ ...salePayload(), ...deep }))).toBe(200);
    const paths = listener.reports[0]?.issues?.map(({ path }) => path.join('.'));
    expect(paths).toEqual(['list.1', 'a.b.c.d']);
    const levels = 100_000;
    const body = `${json.slice(0, -1)},"deep":${'{"a":'.repeat(levels)}"\uFFFD"${'}'.repeat(levels)}}`;
    expect(await handled(createListener(), body)).toBe(200);
  });
});
