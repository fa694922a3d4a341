import { describe, expect, it } from 'vitest';
import { controls } from '../../../src/sandbox/controls/controls';
import type { SandboxControls } from '../../../src/sandbox/core';
import { control } from '../../../src/sandbox/server/control-routes';
import { credentials, headers, openListener, openSandbox, order, readJson } from '../helpers';

/** A control call over HTTP, as a script in any language would make it. */
async function openControl() {
  const listener = await openListener();
  const opened = await openSandbox({ webhookUrl: listener.url });
  const control = async (method: string, path: string, body?: unknown) => {
    const answer = await opened.call(method, `/sandbox${path}`, body);
    return { status: answer.status, body: await readJson(answer) };
  };
  return { ...opened, listener, control };
}

const anyOperation = 'createRecurringCheckout or getTransaction or cancelScheduledPayment';

/** The fields of each control call, and what is expected there. */
const fieldsOf: Readonly<Record<string, string>> = {
  'POST /transactions': 'referenceCode: a string, amount: a number, authorizeOnly: a boolean',
  'POST /transactions/:id/charge':
    'fails: AM04 or AC06 or AC01 or AC03 or MD01 or SL02 or AG03 or AB09 or SLCR or AM09 or AM02, ' +
    'retry: a boolean, amount: a number',
  'POST /scheduled-payments/:id/cancel': 'reason: a string',
  'POST /transactions/:id/refund': 'amount: a number, reason: a string, receipt: a string',
  'POST /transactions/:id/reverse':
    'amount: a number, reason: a string, complete: a boolean, cancel: a boolean',
  'POST /payouts':
    'amount: a number, currency: a string, referenceCode: a string, bankDetails: an object, ' +
    'bankDetails.bank: a string, bankDetails.branch: a string, bankDetails.account: a string, ' +
    'fail: PE0001 or PE0002 or PE0003 or PE0004, reason: a string',
  'POST /notifications': 'payload: an object, query: a string',
  'PUT /webhook-url': 'webhookUrl: a string',
  'POST /faults': `operation: ${anyOperation}, fault: an object`,
  'DELETE /faults': `operation: ${anyOperation}, id: a string`,
};

/** A body that is right, except for one field. */
function bodyWith(field: string, value: unknown, needed: object): object {
  const [name = '', inner] = field.split('.');
  return { ...needed, [name]: inner === undefined ? value : { [inner]: value } };
}

it('a control call in which the sandbox itself fails is answered with 500 and the reason', async () => {
  const broken = {
    get transactions(): never {
      throw new TypeError('no such list');
    },
  } as unknown as SandboxControls;
  const request = { method: 'GET', path: '/sandbox/transactions', headers: {}, body: '' };
  const answer = await control(broken, request, true, (value) => value);
  expect(answer?.status).toBe(500);
  expect(answer?.body).toContain('{"message":"The sandbox itself failed (TypeError: no such list).');
});

describe('control calls over HTTP', () => {
  it('pay, refund and reverse a journey', async () => {
    const { sandbox, listener, control, create, query } = await openControl();
    const { uuid } = await create();
    const paid = await control('POST', `/transactions/${uuid}/pay`);
    expect(paid).toEqual({ status: 200, body: { scheduledPayments: sandbox.scheduledPayments(uuid) } });
    expect((await control('GET', `/transactions/${uuid}/scheduled-payments`)).body).toEqual(paid.body);

    const refund = await control('POST', `/transactions/${uuid}/refund`, { amount: 9.7 });
    expect(refund.body).toMatchObject({ amount: 9.7, status: 'PAID' });
    const first = await control('POST', `/transactions/${uuid}/reverse`, { amount: 20, reason: 'x' });
    expect((await control('POST', `/reversals/${first.body.uuid}/complete`)).body.status).toBe('PAID');
    const second = await control('POST', `/transactions/${uuid}/reverse`);
    expect((await control('POST', `/reversals/${second.body.uuid}/cancel`)).body.status).toBe('CANCELLED');
    await sandbox.idle();
    expect(listener.received).toHaveLength(6);
    expect((await query(uuid)).refunds).toMatchObject({ available: 30, quantity: 1 });
  });

  it('cancel a transaction, and charge a recurrence', async () => {
    const { sandbox, control, create, query } = await openControl();
    const cancelled = await create();
    expect((await control('POST', `/transactions/${cancelled.uuid}/cancel`)).status).toBe(200);
    expect((await query(cancelled.uuid)).situation).toBe('CANCELLED');
    const { uuid } = await create();
    sandbox.pay(uuid);
    const charged = await control('POST', `/transactions/${uuid}/charge`);
    expect(charged.body.status).toBe('PAID');
  });

  it('refuse a notification of your own that is nested too deeply to be shown', async () => {
    const { sandbox, listener, control } = await openControl();
    const nested = (levels: number) => `{"payload":{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}}`;
    for (const levels of [101, 8_000, 200_000]) {
      const refused = await control('POST', '/notifications', nested(levels));
      expect(refused).toEqual({ status: 400, body: { message: expect.stringContaining('100 levels') } });
    }
    expect((await control('POST', '/notifications', nested(100))).status).toBe(200);
    await sandbox.idle();
    expect(listener.received).toHaveLength(1);
    expect((await control('GET', '/deliveries')).status).toBe(200);
  });

  it('make payouts, and let them fail', async () => {
    const { control } = await openControl();
    const made = await control('POST', '/payouts', { amount: 5 });
    expect(made.body).toMatchObject({ success: true, status: 'PAID' });
    const failed = await control('POST', '/payouts', { amount: 5, fail: 'PE0002' });
    expect(failed.body).toMatchObject({ success: false, errorCode: 'PE0002', status: 'PENDING' });
    expect((await control('POST', '/payouts', { amount: 5, fail: 'PE0009' })).status).toBe(400);
  });

  it('list and repeat deliveries, and change the listener', async () => {
    const { sandbox, listener, control } = await openControl();
    await control('POST', '/notifications', { payload: { a: 1 }, query: 'type=own' });
    await sandbox.idle();
    const { deliveries } = (await control('GET', '/deliveries')).body;
    expect(deliveries).toMatchObject([{ kind: 'custom', status: 'delivered', payload: { a: 1 } }]);
    const again = await control('POST', `/deliveries/${deliveries[0].id}/redeliver`);
    expect(again.body).toMatchObject({ number: 2, manual: true, httpStatus: 200 });
    expect((await control('PUT', '/webhook-url', { webhookUrl: 'nowhere' })).status).toBe(400);
    await control('PUT', '/webhook-url', { webhookUrl: `${listener.url}/new` });
    await control('POST', '/notifications', { payload: {} });
    await sandbox.idle();
    const urls = listener.received.map(({ url }) => url);
    expect(urls).toEqual(['/hooks?type=own', '/hooks?type=own', '/hooks/new']);
  });

  it('say in the language of the caller why the listener cannot be at a URL', async () => {
    const { call, sandbox, listener } = await openControl();
    const refusal = async (webhookUrl: string, language: string) => {
      const init = { headers: { ...headers, 'accept-language': language } };
      const answer = await call('PUT', '/sandbox/webhook-url', { webhookUrl }, init);
      return `${answer.status} ${((await answer.json()) as { message: string }).message}`;
    };
    expect([
      await refusal('localhost:3000', 'en'),
      await refusal('localhost:3000', 'pt-BR'),
      await refusal('http://ana:secret@127.0.0.1/', 'en'),
      await refusal('http://ana:secret@127.0.0.1/', 'pt-BR'),
    ]).toEqual([
      '400 Expected `webhookUrl` to be an absolute http or https URL.',
      '400 `webhookUrl` precisa ser uma URL absoluta, http ou https.',
      '400 Expected `webhookUrl` without user and password: the sandbox sends its `credentials` by itself.',
      '400 `webhookUrl` não pode ter usuário e senha: o sandbox envia as próprias `credentials`.',
    ]);
    expect(sandbox.webhookUrl).toBe(listener.url);
  });

  it('set faults and take them back', async () => {
    const { call, control } = await openControl();
    const fault = { kind: 'status', status: 502, times: 9 };
    expect((await control('POST', '/faults', { operation: 'getTransaction', fault })).status).toBe(200);
    expect((await call('GET', '/v1.1/transactions/x')).status).toBe(502);
    await control('DELETE', '/faults');
    expect((await call('GET', '/v1.1/transactions/x')).status).toBe(404);
  });

  it('list the journeys with their scheduled payments, the newest last', async () => {
    const { sandbox, control, create } = await openControl();
    const first = await create();
    const second = await create({ ...order, referenceCode: 'order-2' });
    sandbox.pay(second.uuid);
    sandbox.refund(second.uuid, { amount: 9.7 });
    const { transactions } = (await control('GET', '/transactions')).body;
    expect(transactions).toEqual(JSON.parse(JSON.stringify(sandbox.transactions)));
    expect(transactions).toMatchObject([
      { uuid: first.uuid, referenceCode: 'order-1', situation: 'PENDING', amount: 59.7, currency: 'BRL' },
      { uuid: second.uuid, referenceCode: 'order-2', situation: 'PAID', refunded: 9.7 },
    ]);
    expect(transactions[0]).not.toHaveProperty('refunded');
    expect(transactions[0].qrCodeText).toBe(first.instructions.qrCode.plain);
    expect(transactions[1].scheduledPayments).toEqual(sandbox.scheduledPayments(second.uuid));
  });

  it('are all listed by GET /sandbox, with a body and a curl that works', async () => {
    const { call, sandbox } = await openControl();
    const { calls } = await readJson(await call('GET', '/sandbox'));
    expect(calls).toMatchObject(controls.map(({ name, method, path }) => ({ name, method, path })));
    for (const { method, path, body, curl } of calls) {
      expect(curl).toContain(`curl -X ${method} ${sandbox.url}${path.replace(':id', 'ID')}`);
      expect(curl).not.toContain(credentials.apiToken);
      const answer = await call(method, path.replace(':id', 'ID'), body);
      expect([200, 404], `${method} ${path}: ${await answer.clone().text()}`).toContain(answer.status);
    }
  });

  it('refuse a value of another type in each field that they know, with its name and what is expected', async () => {
    const { control } = await openControl();
    const needs = { amount: 1, payload: {}, operation: 'getTransaction', fault: { kind: 'wrong-json' } };
    for (const { method, path } of controls.filter(({ method }) => method !== 'GET')) {
      const endpoint = `${method} ${path.replace('/sandbox', '')}`;
      const refusalOf = async (body: object) =>
        (await control(method, path.replace('/sandbox', ''), body)).body.message;
      const known = /unknown field `other`, expected one of (.*)\.$/.exec(await refusalOf({ other: 1 }))?.[1];
      const fields = (fieldsOf[endpoint] ?? '').split(', ').map((field) => field.split(': '));
      const names = new Set(fields.map(([field = '']) => field.split('.')[0]).filter(Boolean));
      expect([...names].sort(), endpoint).toEqual(known?.split(', ').sort() ?? []);
      const needed = Object.fromEntries(Object.entries(needs).filter(([name]) => names.has(name)));
      for (const [field = '', expected = ''] of known === undefined ? [] : fields) {
        const [wrong, got] = /number|boolean|object/.test(expected) ? ['x', 'a string'] : [7, 'a number'];
        const refusal = await refusalOf(bodyWith(field, wrong, needed));
        expect(refusal, endpoint).toBe(`${field}: expected ${expected}, got ${got}.`);
      }
    }
  });

  it.each([
    ['/transactions/nope/pay', {}, 404, 'No transaction has this UUID'],
    ['/transactions/ID/refund', { amount: 1 }, 409, 'PENDING'],
    [
      '/transactions/ID/refund',
      { amout: 1 },
      400,
      'body: unknown field `amout`, expected one of amount, reason, receipt.',
    ],
    ['/transactions/ID/reverse', { amount: null }, 400, 'amount: expected a number, got null.'],
    ['/transactions/ID/reverse', { reason: [] }, 400, 'reason: expected a string, got an array.'],
    ['/payouts', 'no json', 400, 'Expected the body to be JSON.'],
    ['/nothing', {}, 404, 'no such operation'],
  ])('refuse POST %s with %j by %i, and say why: %s', async (path, body, status, message) => {
    const { control, create } = await openControl();
    const { uuid } = await create();
    const refused = { status, body: { message: expect.stringContaining(message) } };
    expect(await control('POST', path.replace('ID', uuid), body)).toMatchObject(refused);
  });
});
