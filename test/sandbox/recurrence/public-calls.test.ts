import { PaymentsClient } from 'pix-automatic-sdk';
import { cancelAuthorization, getAuthorization, listScheduledPayments } from 'pix-automatic-sdk/recurrence';
import { startSandbox } from 'pix-automatic-sdk/sandbox';
import { fakeClock, mockService } from 'pix-automatic-sdk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { credentials, headers, order } from '../helpers';
import { answerFields } from './facts';

const AUTHORIZATIONS = '/v1.1/pix-automatic/authorizations';
const LIST = '/v1.1/pix-automatic/scheduled-payments';

async function overHttp() {
  const service = await startSandbox({ credentials });
  onTestFinished(() => service.close());
  return { service, send: fetch };
}

async function overMsw() {
  const service = mockService({ credentials, clock: fakeClock(), deliverTo: async () => new Response() });
  onTestFinished(() => service.close());
  return { service, send: service.fetch };
}

/** The fields of an answer, as paths: of a list, those of all its entries. */
function pathsOf(value: unknown, at: readonly string[] = []): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => pathsOf(each, at));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    [...at, name].join('.'),
    ...pathsOf(inner, [...at, name]),
  ]);
}

describe.each([
  ['the HTTP server', overHttp],
  ['the msw handlers', overMsw],
])('the calls of the public pages, over %s', (_name, open) => {
  async function openPaid() {
    const { service, send } = await open();
    const call = async (method: string, path: string, body?: object, changed: object = {}) => {
      const init = { method, headers: { ...headers, ...changed }, body: JSON.stringify(body) ?? null };
      const answer = await send(service.url + path, init);
      return { status: answer.status, body: JSON.parse(await answer.text()) };
    };
    const client = new PaymentsClient({ baseUrl: service.url, ...credentials, fetch: send });
    const { response } = await client.createRecurringCheckout(order);
    service.pay(response.uuid);
    const idRec = service.transactions[0]?.recurrence.idRec ?? '';
    return { service, call, client, uuid: response.uuid, idRec };
  }

  it('tell of a recurrence and its charges, field by field', async () => {
    const { service, call, uuid, idRec } = await openPaid();
    const { saleUUID } = service.charge(uuid);
    const { status, body } = await call('GET', `${AUTHORIZATIONS}/${idRec}`);
    expect(status).toBe(200);
    expect([...new Set(pathsOf(body))].sort()).toEqual(
      [...new Set(answerFields(`GET ${AUTHORIZATIONS}/{idRec}`))].sort(),
    );
    expect(body).toMatchObject({
      status: 0,
      message: 'success',
      authorization: { idRec, status: 'APPROVED', finalDate: '2031-12-31', contract: { id: 'plan-1' } },
    });
    expect(body.paymentSchedules).toMatchObject([
      { status: 'PAID', dueDate: '2031-01-31', amount: 29.9, sale: { uuid: saleUUID, situation: 'PAID' } },
      { status: 'SCHEDULED', dueDate: '2031-02-28' },
      { status: 'SCHEDULED', dueDate: '2031-03-31' },
    ]);
  });

  it('cancel a recurrence once, which the payer has accepted', async () => {
    const { service, call, client, idRec } = await openPaid();
    const path = `${AUTHORIZATIONS}/${idRec}/cancel`;
    const wrong = await call('PUT', path, {});
    expect(wrong).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'reason', message: expect.any(String) }] },
    });
    expect(await cancelAuthorization(client, idRec, { reason: 'moved' })).toEqual({
      status: 0,
      message: 'success',
    });
    expect(service.transactions[0]?.recurrence.status).toBe('CANCELLED');
    expect((await getAuthorization(client, idRec)).authorization.status).toBe('CANCELLED');
    await expect(cancelAuthorization(client, idRec, { reason: 'moved' })).rejects.toMatchObject({
      httpStatus: 400,
    });
    const sent = service.deliveries.map(({ payload }) => Object(payload)['eventType']);
    expect(sent.filter((event) => event === 'RECURRENCE_CANCELLED')).toHaveLength(1);
    expect(pathsOf(await call('GET', `${AUTHORIZATIONS}/${idRec}`)).length).toBeGreaterThan(0);
  });

  it('list scheduled payments, field by field, with the instruction id that cancels one', async () => {
    const { service, call, client, uuid } = await openPaid();
    service.charge(uuid);
    service.charge(uuid, { fails: 'AM04' });
    const { body } = await call('GET', LIST);
    expect([...new Set(pathsOf(body))].sort()).toEqual([...new Set(answerFields(`GET ${LIST}`))].sort());
    expect(body.results).toMatchObject([
      { status: 'PAID', endToEnd: expect.stringMatching(/^E\d{31}$/) },
      { status: 'FAILED', rejectionCode: 'AM04', rejectionReason: expect.any(String) },
      { status: 'SCHEDULED' },
    ]);
    const [scheduled] = (await call('GET', `${LIST}?status=SCHEDULED`)).body.results;
    await client.cancelScheduledPayment(scheduled.instructionId, { reason: 'moved' });
    expect(service.scheduledPayments(uuid)[2]).toMatchObject({
      status: 'CANCELLED',
      cancellationReason: 'moved',
    });
  });

  it('list page by page, by day and status, in either order', async () => {
    const { service, call, client } = await openPaid();
    for (let number = 2; number <= 9; number++) {
      const { response } = await client.createRecurringCheckout({
        ...order,
        referenceCode: `order-${number}`,
      });
      service.pay(response.uuid);
    }
    const first = (await call('GET', LIST)).body;
    expect(first).toMatchObject({ totalElements: 27, totalPages: 2, resultSize: 20 });
    expect((await call('GET', `${LIST}?page=1`)).body).toMatchObject({ resultSize: 7 });
    expect((await call('GET', `${LIST}?page=2`)).body).toMatchObject({ resultSize: 0, results: [] });
    const all: unknown[] = [];
    for await (const { instructionId } of listScheduledPayments(client)) all.push(instructionId);
    expect(new Set(all).size).toBe(27);
    const days = async (query: string): Promise<string[]> =>
      (await call('GET', `${LIST}?${query}`)).body.results.map(({ dueDate }: { dueDate: string }) => dueDate);
    expect(new Set(await days('initialDueDate=2031-02-01&finalDueDate=2031-02-28'))).toEqual(
      new Set(['2031-02-28']),
    );
    expect(await days('order=DESC&maxPageResults=1')).toEqual(['2031-03-31']);
    expect(await days('sortBy=id&maxPageResults=4')).toEqual([
      '2031-01-31',
      '2031-02-28',
      '2031-03-31',
      '2031-01-31',
    ]);
    expect(await days('status=PAID')).toEqual([]);
    const { uuid = '' } = service.transactions[0] ?? {};
    service.hideTransaction(uuid);
    expect((await call('GET', LIST)).body).toMatchObject({ totalElements: 24 });
  });

  it.each([
    'status=paid',
    'initialDueDate=2031-02-30',
    'finalDueDate=x',
    'page=-1',
    'maxPageResults=0',
    'maxPageResults=101',
    'sortBy=sale',
    'order=up',
  ])('refuse the query %s, with its field', async (query) => {
    const { call } = await openPaid();
    const { status, body } = await call('GET', `${LIST}?${query}`);
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      { field: query.split('=')[0], message: expect.stringContaining('expected') },
    ]);
  });

  it('answer 403 to a wrong pair, 404 with the status 998 about no recurrence, and refuse other methods', async () => {
    const { call, idRec } = await openPaid();
    const paths = [`GET ${AUTHORIZATIONS}/${idRec}`, `PUT ${AUTHORIZATIONS}/${idRec}/cancel`, `GET ${LIST}`];
    for (const each of paths) {
      const [method = '', path = ''] = each.split(' ');
      const wrong = await call(method, path, method === 'GET' ? undefined : { reason: 'x' }, {
        'x-api-token': 'other',
      });
      expect(wrong.status, each).toBe(403);
      expect((await call('DELETE', path)).status, each).toBe(405);
    }
    for (const [method, path, body] of [
      ['GET', `${AUTHORIZATIONS}/nope`, undefined],
      ['PUT', `${AUTHORIZATIONS}/nope/cancel`, { reason: 'x' }],
    ] as const) {
      expect(await call(method, path, body)).toMatchObject({ status: 404, body: { status: 998 } });
    }
    const plain = { 'content-type': 'text/plain' };
    expect((await call('PUT', `${AUTHORIZATIONS}/${idRec}/cancel`, { reason: 'x' }, plain)).status).toBe(415);
  });
});
