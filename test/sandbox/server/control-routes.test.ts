import { describe, expect, it } from 'vitest';
import { controls } from '../../../src/sandbox/controls/controls';
import type { SandboxControls } from '../../../src/sandbox/core';
import { control } from '../../../src/sandbox/server/control-routes';
import { credentials, openListener, openSandbox, order, readJson } from '../helpers';

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

const operation = 'getTransaction';
const anyFault =
  'latency, status, body-status, reset-before-read, reset-after-read, stalled-body, truncated-body, wrong-json, close-after-answer';
const anyOperation = 'createRecurringCheckout or getTransaction or cancelScheduledPayment';

/** Bodies with a value of another type, by control call, and how each is refused. */
const wrongBodies: Readonly<Record<string, readonly (readonly [body: object, message: string])[]>> = {
  'POST /transactions': [
    [{ referenceCode: 7 }, 'referenceCode: expected a string, got a number.'],
    [{ amount: '1' }, 'amount: expected a number, got a string.'],
    [{ authorizeOnly: 'yes' }, 'authorizeOnly: expected a boolean, got a string.'],
  ],
  'POST /scheduled-payments/:id/cancel': [[{ reason: 7 }, 'reason: expected a string, got a number.']],
  'POST /transactions/:id/refund': [
    [{ amount: '1' }, 'amount: expected a number, got a string.'],
    [{ reason: 7 }, 'reason: expected a string, got a number.'],
    [{ receipt: 7 }, 'receipt: expected a string, got a number.'],
    [{ amout: 1 }, 'body: unknown field `amout`, expected one of amount, reason, receipt.'],
  ],
  'POST /transactions/:id/reverse': [
    [{ amount: null }, 'amount: expected a number, got null.'],
    [{ reason: [] }, 'reason: expected a string, got an array.'],
    [{ complete: 1 }, 'complete: expected a boolean, got a number.'],
    [{ cancel: 1 }, 'cancel: expected a boolean, got a number.'],
  ],
  'POST /payouts': [
    [{ amount: true }, 'amount: expected a number, got a boolean.'],
    [{ amount: 1, currency: 7 }, 'currency: expected a string, got a number.'],
    [{ amount: 1, referenceCode: 7 }, 'referenceCode: expected a string, got a number.'],
    [{ amount: 1, bankDetails: 7 }, 'bankDetails: expected an object, got a number.'],
    [{ amount: 1, bankDetails: { bank: 7 } }, 'bankDetails.bank: expected a string, got a number.'],
    [{ amount: 1, bankDetails: { branch: 7 } }, 'bankDetails.branch: expected a string, got a number.'],
    [{ amount: 1, bankDetails: { account: 7 } }, 'bankDetails.account: expected a string, got a number.'],
    [{ amount: 1, fail: 7 }, 'fail: expected PE0001 or PE0002 or PE0003 or PE0004, got a number.'],
    [{ amount: 1, reason: 7 }, 'reason: expected a string, got a number.'],
  ],
  'POST /notifications': [
    [{ payload: [] }, 'payload: expected an object, got an array.'],
    [{ payload: {}, query: 7 }, 'query: expected a string, got a number.'],
  ],
  'PUT /webhook-url': [
    [{ webhookUrl: 7 }, 'webhookUrl: expected a string, got a number.'],
    [{ webhookUrl: { refund: 'http://127.0.0.1' } }, 'webhookUrl: expected a string, got an object.'],
  ],
  'POST /faults': [
    [{ operation: 7, fault: { kind: 'wrong-json' } }, `operation: expected ${anyOperation}, got a number.`],
    [{ operation, fault: 7 }, 'fault: expected an object, got a number.'],
    [{ operation, fault: {} }, `fault.kind: missing, expected ${anyFault}.`],
    [{ operation, fault: { kind: 7 } }, `fault.kind: unknown kind \`7\`, expected ${anyFault}.`],
    [
      { operation, fault: { kind: 'latencyy', ms: 1 } },
      `fault.kind: unknown kind \`latencyy\`, expected ${anyFault}.`,
    ],
    [
      { operation, fault: { kind: 'latency', ms: 1, mss: 1 } },
      'fault: unknown field `mss`, expected one of kind, ms, times.',
    ],
    [
      { operation: 'getTransactions', fault: { kind: 'wrong-json' } },
      `operation: unknown value \`getTransactions\`, expected ${anyOperation}.`,
    ],
    [{ operation, fault: { kind: 'latency', ms: '1' } }, 'fault.ms: expected a number, got a string.'],
    [{ operation, fault: { kind: 'latency', ms: -1 } }, 'fault.ms: expected 0 or more.'],
    [
      { operation, fault: { kind: 'status', status: '500' } },
      'fault.status: expected a number, got a string.',
    ],
    [
      { operation, fault: { kind: 'status', status: 500, body: {} } },
      'fault.body: expected a string, got an object.',
    ],
    [
      { operation, fault: { kind: 'status', status: 500, headers: 7 } },
      'fault.headers: expected an object, got a number.',
    ],
    [
      { operation, fault: { kind: 'status', status: 500, headers: { 'retry-after': 2 } } },
      'fault.headers.retry-after: expected a string, got a number.',
    ],
    [
      { operation, fault: { kind: 'status', status: 500, takesEffect: 'no' } },
      'fault.takesEffect: expected a boolean, got a string.',
    ],
    [
      { operation, fault: { kind: 'body-status', status: 7 } },
      'fault.status: expected -1 or 999, got another number.',
    ],
    [{ operation, fault: { kind: 'close-after-answer', ms: -1 } }, 'fault.ms: expected 0 or more.'],
    [
      { operation, fault: { kind: 'wrong-json', times: '2' } },
      'fault.times: expected a number, got a string.',
    ],
  ],
  'DELETE /faults': [[{ operation: 7 }, `operation: expected ${anyOperation}, got a number.`]],
};

it('a control call in which the sandbox itself fails is answered with 500 and the reason', async () => {
  const broken = {
    get transactions(): never {
      throw new TypeError('no such list');
    },
  } as unknown as SandboxControls;
  const request = { method: 'GET', path: '/sandbox/transactions', headers: {}, body: '' };
  const answer = await control(broken, request, true, (value) => value);
  expect([answer?.status, JSON.parse(String(answer?.body))]).toEqual([
    500,
    { message: expect.stringMatching(/^The sandbox itself failed \(TypeError: no such list\)\./) },
  ]);
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

  it('cancel a transaction, and charge a scheduled payment', async () => {
    const { sandbox, control, create, query } = await openControl();
    const cancelled = await create();
    expect((await control('POST', `/transactions/${cancelled.uuid}/cancel`)).status).toBe(200);
    expect((await query(cancelled.uuid)).situation).toBe('CANCELLED');
    const [payment] = sandbox.pay((await create()).uuid);
    expect((await control('POST', `/scheduled-payments/${payment?.instructionId}/pay`)).body.status).toBe(
      'PAID',
    );
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
    expect((await control('POST', '/payouts', { amount: 5 })).body).toMatchObject({
      success: true,
      status: 'PAID',
    });
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
    expect(listener.received.map(({ url }) => url)).toEqual([
      '/hooks?type=own',
      '/hooks?type=own',
      '/hooks/new',
    ]);
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
    expect(calls).toHaveLength(controls.length);
    for (const { method, path, body, curl } of calls) {
      expect(curl).toContain(`curl -X ${method} ${sandbox.url}${path.replace(':id', 'ID')}`);
      expect(curl).not.toContain(credentials.apiToken);
      const answer = await call(method, path.replace(':id', 'ID'), body);
      expect([200, 404], `${method} ${path}: ${await answer.clone().text()}`).toContain(answer.status);
    }
  });

  it('refuse a body that is no JSON', async () => {
    const { control } = await openControl();
    const refused = { status: 400, body: { message: 'Expected the body to be JSON.' } };
    expect(await control('POST', '/payouts', 'no json')).toEqual(refused);
  });

  it('refuse what is unknown or of another type, and name its field and what is expected there', async () => {
    const { control } = await openControl();
    for (const { method, path } of controls.filter(({ method }) => method !== 'GET')) {
      const endpoint = `${method} ${path.replace('/sandbox', '')}`;
      const refusalOf = async (body: object) =>
        (await control(method, path.replace('/sandbox', ''), body)).body.message;
      const refused = wrongBodies[endpoint] ?? [];
      for (const [body, message] of refused) expect(await refusalOf(body), endpoint).toBe(message);

      const fields = /unknown field `other`, expected one of (.*)\.$/.exec(
        await refusalOf({ other: 1 }),
      )?.[1];
      const tried = new Set(
        refused.flatMap(([body]) => Object.keys(body)).filter((name) => name !== 'amout'),
      );
      expect([...tried].sort(), endpoint).toEqual(fields?.split(', ').sort() ?? []);
    }
  });

  it('refuse what is impossible, with a reason', async () => {
    const { control, create } = await openControl();
    const { uuid } = await create();
    const refusals = [
      await control('POST', '/transactions/nope/pay'),
      await control('POST', `/transactions/${uuid}/refund`, { amount: 1 }),
      await control('POST', `/transactions/${uuid}/reverse`, { amout: 1 }),
      await control('POST', '/nothing'),
    ];
    expect(refusals.map(({ status }) => status)).toEqual([404, 409, 400, 404]);
    for (const { body } of refusals) expect(body.message).toEqual(expect.any(String));
  });
});
