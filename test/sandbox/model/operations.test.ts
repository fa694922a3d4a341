import type { SandboxOptions } from 'pix-automatic-sdk/sandbox';
import { describe, expect, it } from 'vitest';
import { credentials, headers, openJourney, openPaid, openSandbox, order, readJson } from '../helpers';

const checkout = '/v1.1/checkout/pix-automatic';
const transaction = '/v1.1/transactions/00000000-0000-4000-8000-000000000000';
const cancel = (id = 'nope') => `/v1.1/pix-automatic/scheduled-payments/${id}/cancel`;
const reason = { reason: 'customer left' };
const dateTime = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);

/** An answer in one line: its status, the row of the table of inventions, the `allow` header, and its body. */
async function trace(answering: Promise<Response>) {
  const answer = await answering;
  const shown = ['x-sandbox-invention', 'allow'].map((name) => answer.headers.get(name));
  const { status, message } = await readJson(answer);
  return [answer.status, ...shown, status, message].filter((part) => part !== null).join(' ');
}

describe('creating a journey', () => {
  it('answers with every field of section 2.2', async () => {
    const { sandbox, call } = await openSandbox();
    const answer = await call('POST', checkout, order);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('x-sandbox-invention')).toBeNull();

    const body = await readJson(answer);
    const { uuid } = body.response;
    expect(body).toEqual({
      status: 0,
      message: 'success',
      response: {
        id: expect.any(Number),
        referenceCode: 'order-1',
        amount: 59.7,
        saleCode: expect.any(String),
        uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        shopper: order.shopper,
        instructions: {
          chosen: 'PIX_RECURRENCE',
          name: expect.any(String),
          label: expect.any(String),
          qrCode: {
            url: `${sandbox.url}/sandbox/qr-codes/${uuid}.png`,
            base64: expect.stringMatching(/^iVBORw0KGgo/),
            plain: expect.stringMatching(/^000201/),
          },
          steps: { qrCode: expect.arrayContaining([expect.any(String)]) },
        },
      },
    });
  });

  it('takes the first recurrence as the amount of a journey without an immediate charge', async () => {
    const recurrence = { ...order.recurrence, immediatePayment: false };
    const { journey } = await openJourney({}, { ...order, amount: undefined, recurrence });
    expect(journey.amount).toBe(29.9);
  });
});

describe('querying a transaction', () => {
  it('answers with the fields of section 2.3, and invents no field in the objects that the document leaves open', async () => {
    const { journey, query } = await openJourney();
    const { id, uuid } = journey;
    const { document, email, phone } = order.shopper;
    const success = { status: 0, message: 'success' };
    const sale = { id, uuid, type: 'SALE', situation: 'PENDING', currency: 'BRL', referenceCode: 'order-1' };
    const amounts = { amount: 59.7, shipping: 0, discounts: 0, total: 59.7, appliedRate: 0, serviceFee: 0 };
    expect(await query(uuid)).toEqual({
      ...success,
      ...sale,
      ...amounts,
      creation: dateTime,
      maxAge: dateTime,
      shopper: { document, email, phone },
      refunds: { available: 0, quantity: 0, requested: 0, transactions: [] },
      has_return_error: false,
    });
  });

  it('says until when the order is valid', async () => {
    const { uuid, query } = await openJourney();
    const { creation, maxAge } = await query(uuid);
    expect(Date.parse(`${maxAge}Z`) - Date.parse(`${creation}Z`)).toBe(30 * 60_000);
  });
});

describe('cancelling a scheduled payment', () => {
  it('answers status 0 and success, once, and keeps the reason', async () => {
    const { sandbox, call, uuid, payments } = await openPaid();
    expect(await trace(call('PUT', cancel(payments[0]), reason))).toBe('200 0 success');
    const [cancelled] = sandbox.scheduledPayments(uuid);
    expect(cancelled).toMatchObject({ status: 'CANCELLED', cancellationReason: reason.reason });
    expect(await trace(call('PUT', cancel(payments[0]), { reason: 'again' }))).toBe(
      '409 cancellationRefused -1 scheduled payment cannot be cancelled: it is CANCELLED',
    );
  });

  it('can be repeated where the table of inventions says so, and keeps the first reason', async () => {
    const { sandbox, call, uuid, payments } = await openPaid({
      inventions: { repeatedCancellation: 'success' },
    });
    await call('PUT', cancel(payments[0]), reason);
    expect(await trace(call('PUT', cancel(payments[0]), { reason: 'second' }))).toBe('200 0 success');
    expect(sandbox.scheduledPayments(uuid)[0]?.cancellationReason).toBe(reason.reason);
  });

  it('is refused once the payment was charged', async () => {
    const { sandbox, call, uuid, payments } = await openPaid();
    sandbox.charge(uuid);
    expect(await trace(call('PUT', cancel(payments[0]), reason))).toContain('409 cancellationRefused -1');
  });
});

describe('the operations', () => {
  const operations = [
    ['POST', checkout, order],
    ['GET', transaction, undefined],
    ['PUT', cancel(), reason],
  ] as const;

  it.each(operations)('ask for both credentials at %s %s', async (method, path, body) => {
    const { call } = await openSandbox();
    for (const change of [
      { 'x-api-key': '' },
      { 'x-api-token': '' },
      { 'x-api-key': credentials.apiToken, 'x-api-token': credentials.apiKey },
      { 'x-api-token': `${credentials.apiToken}x` },
    ]) {
      const answer = call(method, path, body, { headers: { ...headers, ...change } });
      expect(await trace(answer)).toBe('401 wrongCredentials -1 invalid credentials');
    }
  });

  it.each<[method: string, path: string, body: unknown, expected: string]>([
    ...operations.map(([method, path]): [string, string, string, string] => {
      return ['PATCH', path, '{}', `405 wrongMethod ${method} -1 method not allowed`];
    }),
    ['GET', '/elsewhere', undefined, '404 unknownPath -1 no such operation'],
    ['GET', '/v1.1/transactions', undefined, '404 unknownPath -1 no such operation'],
    ['GET', '/v1.1/transactions/a/b', undefined, '404 unknownPath -1 no such operation'],
    ['GET', '/v1/checkout/pix-automatic', undefined, '404 unknownPath -1 no such operation'],
    ['GET', transaction, undefined, '404 unknownTransaction -1 transaction not found'],
    ['PUT', cancel(), reason, '404 unknownScheduledPayment -1 scheduled payment not found'],
    ['PUT', cancel(), {}, '400 invalidBody -1 invalid body: reason'],
    ['POST', checkout, '{"currency":', '400 invalidBody -1 invalid body: not JSON'],
    ['POST', checkout, '[]', '400 invalidBody -1 invalid body: body'],
    ['POST', checkout, { ...order, amount: undefined }, '400 invalidBody -1 invalid body: amount'],
    ['POST', checkout, { ...order, shopper: undefined }, '400 invalidBody -1 invalid body: shopper'],
    ['POST', checkout, { ...order, amount: '59.70' }, '400 invalidBody -1 invalid body: amount'],
  ])('answer %s %s %j with %s', async (method, path, body, expected) => {
    const { call } = await openSandbox();
    expect(await trace(call(method, path, body))).toContain(expected);
  });

  it('accept a repeated referenceCode by default', async () => {
    const { create } = await openSandbox();
    expect((await create()).uuid).not.toBe((await create()).uuid);
  });

  const changed: SandboxOptions['inventions'] = {
    unknownTransaction: { httpStatus: 200, status: -1, message: 'nothing here' },
    repeatedReferenceCode: { httpStatus: 422, status: 999, message: 'used before' },
  };

  it('answer as the table of inventions was changed', async () => {
    const { call, create } = await openSandbox({ inventions: changed });
    expect(await trace(call('GET', transaction))).toBe('200 unknownTransaction -1 nothing here');
    await create();
    expect(await trace(call('POST', checkout, order))).toBe('422 repeatedReferenceCode 999 used before');
  });
});
