import { describe, expect, it } from 'vitest';
import { credentials, headers, openJourney, openPaid, openSandbox, order, readJson } from '../helpers';

const unknownUuid = '00000000-0000-4000-8000-000000000000';

describe('creating a journey', () => {
  it('answers with every field of section 2.2', async () => {
    const { sandbox, call } = await openSandbox();
    const answer = await call('POST', '/v1.1/checkout/pix-automatic', order);
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
    const { amount, ...rest } = order;
    const recurrence = { ...order.recurrence, immediatePayment: false };
    const { journey } = await openJourney({}, { ...rest, recurrence });
    expect(journey.amount).toBe(29.9);
  });

  it.each([
    ['no JSON', '{"currency":'],
    ['an array', '[]'],
    ['no amount for an immediate payment', { ...order, amount: undefined }],
    ['no shopper', { ...order, shopper: undefined }],
    ['an amount as text', { ...order, amount: '59.70' }],
  ])('is refused for %s', async (_name, body) => {
    const { call } = await openSandbox();
    const answer = await call('POST', '/v1.1/checkout/pix-automatic', body);
    expect(answer.status).toBe(400);
    expect(answer.headers.get('x-sandbox-invention')).toBe('invalidBody');
    expect(await answer.json()).toEqual({ status: -1, message: expect.stringContaining('invalid body') });
  });

  it('accepts a repeated referenceCode by default', async () => {
    const accepting = await openSandbox();
    expect((await accepting.create()).uuid).not.toBe((await accepting.create()).uuid);

    const repeatedReferenceCode = { httpStatus: 422, status: 999, message: 'used before' };
    const refusing = await openSandbox({ inventions: { repeatedReferenceCode } });
    await refusing.create();
    const second = await refusing.call('POST', '/v1.1/checkout/pix-automatic', order);
    expect(second.status).toBe(422);
    expect(await second.json()).toEqual({ status: 999, message: 'used before' });
  });
});

describe('querying a transaction', () => {
  it('answers with the fields of section 2.3, and invents no field in the objects that the document leaves open', async () => {
    const { journey, query } = await openJourney();
    expect(await query(journey.uuid)).toEqual({
      status: 0,
      message: 'success',
      id: journey.id,
      uuid: journey.uuid,
      type: 'SALE',
      situation: 'PENDING',
      currency: 'BRL',
      amount: 59.7,
      shipping: 0,
      discounts: 0,
      total: 59.7,
      appliedRate: 0,
      referenceCode: 'order-1',
      creation: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      maxAge: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      shopper: { document: order.shopper.document, email: order.shopper.email, phone: order.shopper.phone },
      refunds: { available: 0, quantity: 0, requested: 0, transactions: [] },
      serviceFee: 0,
      has_return_error: false,
    });
  });

  it('says until when the order is valid', async () => {
    const { uuid, query } = await openJourney();
    const { creation, maxAge } = await query(uuid);
    expect(Date.parse(`${maxAge}Z`) - Date.parse(`${creation}Z`)).toBe(30 * 60_000);
  });

  it('answers 404 for an unknown UUID, or the answer it was configured with', async () => {
    const usual = await openSandbox();
    expect((await usual.call('GET', `/v1.1/transactions/${unknownUuid}`)).status).toBe(404);

    const unknownTransaction = { httpStatus: 200, status: -1, message: 'nothing here' };
    const changed = await openSandbox({ inventions: { unknownTransaction } });
    const answer = await changed.call('GET', `/v1.1/transactions/${unknownUuid}`);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ status: -1, message: 'nothing here' });
  });
});

describe('cancelling a scheduled payment', () => {
  const cancel = (id: string) => `/v1.1/pix-automatic/scheduled-payments/${id}/cancel`;

  it('answers status 0 and success, once', async () => {
    const { sandbox, call, uuid, payments } = await openPaid();
    const [id = ''] = payments;
    const first = await call('PUT', cancel(id), { reason: 'customer left' });
    expect(first.status).toBe(200);
    expect(await first.text()).toBe('{"status":0,"message":"success"}');
    expect(sandbox.scheduledPayments(uuid)[0]).toMatchObject({
      status: 'CANCELLED',
      cancellationReason: 'customer left',
    });

    const second = await call('PUT', cancel(id), { reason: 'again' });
    expect(second.status).toBe(409);
    expect(second.headers.get('x-sandbox-invention')).toBe('cancellationRefused');
  });

  it('can be repeated where the table of inventions says so', async () => {
    const inventions = { repeatedCancellation: 'success' } as const;
    const { sandbox, call, uuid, payments } = await openPaid({ inventions });
    const [id = ''] = payments;
    await call('PUT', cancel(id), { reason: 'first' });
    expect((await call('PUT', cancel(id), { reason: 'second' })).status).toBe(200);
    expect(sandbox.scheduledPayments(uuid)[0]?.cancellationReason).toBe('first');
  });

  it('is refused once the payment was charged', async () => {
    const { sandbox, call, payments } = await openPaid();
    const [id = ''] = payments;
    sandbox.payScheduledPayment(id);
    expect((await call('PUT', cancel(id), { reason: 'too late' })).status).toBe(409);
  });

  it('answers 404 for an unknown instruction id and 400 without a reason', async () => {
    const { call } = await openSandbox();
    expect((await call('PUT', cancel('nope'), { reason: 'x' })).status).toBe(404);
    expect((await call('PUT', cancel('nope'), {})).status).toBe(400);
  });
});

describe('the sandbox’s HTTP server', () => {
  const operations = [
    ['POST', '/v1.1/checkout/pix-automatic', order],
    ['GET', `/v1.1/transactions/${unknownUuid}`, undefined],
    ['PUT', '/v1.1/pix-automatic/scheduled-payments/id/cancel', { reason: 'x' }],
  ] as const;

  it.each(operations)('asks for both credentials at %s %s', async (method, path, body) => {
    const { call } = await openSandbox();
    const wrong = [
      { 'x-api-key': '' },
      { 'x-api-token': '' },
      { 'x-api-key': credentials.apiToken, 'x-api-token': credentials.apiKey },
      { 'x-api-token': `${credentials.apiToken}x` },
    ];
    for (const change of wrong) {
      const answer = await call(method, path, body, { headers: { ...headers, ...change } });
      expect(answer.status).toBe(401);
      expect(await answer.json()).toEqual({ status: -1, message: 'invalid credentials' });
    }
  });

  it.each(operations)('knows no other method at %s %s', async (method, path) => {
    const { call } = await openSandbox();
    const answer = await call('PATCH', path, '{}');
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(method);
  });

  it('accepts only JSON, sent as such and up to a limit', async () => {
    const { call } = await openSandbox({ inventions: { maxBodyBytes: 2_000 } });
    const path = '/v1.1/checkout/pix-automatic';
    const asText = { headers: { ...headers, 'content-type': 'text/plain' } };
    expect((await call('POST', path, order, asText)).status).toBe(415);
    expect((await call('POST', path, { ...order, note: 'x'.repeat(3_000) })).status).toBe(413);
  });

  it('answers 404 beside the exact paths of its operations', async () => {
    const { call } = await openSandbox();
    for (const path of [
      '/elsewhere',
      '/v1.1/transactions',
      '/v1.1/transactions/a/b',
      '/v1/checkout/pix-automatic',
      '/v1.1/transactions/%',
    ]) {
      expect((await call('GET', path)).status).toBe(404);
    }
  });
});
