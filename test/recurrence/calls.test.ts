import { ApiError, ConfigurationError, InvalidRequestError, InvalidResponseError } from 'pix-automatic-sdk';
import {
  cancelAuthorization,
  getAuthorization,
  listScheduledPayments,
  type ScheduledPaymentsQuery,
} from 'pix-automatic-sdk/recurrence';
import { describe, expect, it } from 'vitest';
import { clientFor, failureOf } from '../client/support';
import { type Respond, reply, startHttpServer } from '../helpers/http-server';
import { everythingPrintedOf } from '../webhooks/support';

// These calls are of the service's public pages: its document shows none of them.

const idRec = 'RR123456782027011500000000001';
const sale = { id: 7, uuid: 'c-1', situation: 'PAID' };
const authorization = {
  id: 1,
  idRec,
  status: 'APPROVED',
  minimumAmount: 59.7,
  payer: { document: '12345678909', name: 'Maria Exemplo', ispb: '00000000' },
};
const answer = {
  status: 0,
  message: 'success',
  authorization,
  paymentSchedules: [{ id: 2, status: 'PAID', dueDate: '2027-02-15', amount: 59.7, sale }],
};
const serve = async (...responses: Respond[]) => {
  const server = await startHttpServer(...responses);
  return {
    server,
    client: clientFor(server),
    seen: () => server.requests.map(({ method, url }) => `${method} ${url}`),
  };
};
const notThere = { status: 998, message: 'not found' };
const badIds: readonly unknown[] = ['', '.', '..', 7, undefined, null, Promise.resolve(idRec), '\ud800'];

describe('getAuthorization', () => {
  it('gives the recurrence and its charges, as the service says them', async () => {
    const { client, seen } = await serve(reply(200, answer));
    expect(await getAuthorization(client, idRec)).toEqual(answer);
    expect(seen()).toEqual([`GET /v1.1/pix-automatic/authorizations/${idRec}`]);
  });

  it('encodes the id, and asks again after a failure, as every query', async () => {
    const { client, seen } = await serve(
      reply(503),
      reply(200, { authorization: { ...authorization, idRec: 'a/b?c' } }),
    );
    await getAuthorization(client, 'a/b?c');
    expect(seen()).toEqual(Array(2).fill('GET /v1.1/pix-automatic/authorizations/a%2Fb%3Fc'));
  });

  it('leaves out a field of another type', async () => {
    const { client } = await serve(
      reply(200, { ...answer, authorization: { ...authorization, minimumAmount: '1' } }),
    );
    expect((await getAuthorization(client, idRec)).authorization).not.toHaveProperty('minimumAmount');
  });

  it.each<[string, object]>([
    ['about another recurrence', { ...answer, authorization: { ...authorization, idRec: 'RR2' } }],
    ['without the recurrence', { status: 0, paymentSchedules: [] }],
  ])('refuses a response %s, and prints no personal data', async (_, body) => {
    const { client } = await serve(reply(200, body));
    const error = await failureOf(getAuthorization(client, idRec));
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(everythingPrintedOf(error)).not.toMatch(/Maria|12345678909/);
  });

  it('takes a response that spells a uuid otherwise', async () => {
    const uuid = '0B3C1F5E-6B1D-4C5E-9C8E-1D2F3A4B5C6D';
    const { client } = await serve(
      reply(200, { ...answer, authorization: { ...authorization, idRec: uuid } }),
    );
    const read = await getAuthorization(client, uuid.toLowerCase());
    expect(read.authorization.idRec).toBe(uuid);
  });

  it('throws an ApiError for one that is not there, which says whether the service has the call', async () => {
    const { client } = await serve(reply(404, notThere), reply(404, 'no such route'));
    const errors = [
      await failureOf(getAuthorization(client, idRec)),
      await failureOf(getAuthorization(client, idRec)),
    ];
    expect(errors.map((error) => error instanceof ApiError && [error.httpStatus, error.status])).toEqual([
      [404, 998],
      [404, undefined],
    ]);
  });
});

describe('cancelAuthorization', () => {
  it('sends the reason, and gives the confirmation', async () => {
    const { client, server, seen } = await serve(reply(200, { status: 0, message: 'success' }));
    expect(await cancelAuthorization(client, idRec, { reason: 'moved away' })).toEqual({
      status: 0,
      message: 'success',
    });
    expect(seen()).toEqual([`PUT /v1.1/pix-automatic/authorizations/${idRec}/cancel`]);
    expect(JSON.parse(String(server.requests[0]?.body))).toEqual({ reason: 'moved away' });
  });

  it.each([
    [400, { status: 0, errors: [{ field: 'idRec', message: 'cannot be cancelled' }] }],
    [404, notThere],
    [503, ''],
  ])('is sent once, and throws an ApiError for %i', async (status, body) => {
    const { client, seen } = await serve(reply(status, body));
    const error = await failureOf(cancelAuthorization(client, idRec, { reason: 'x' }));
    expect(error).toMatchObject({ code: 'api_error', httpStatus: status });
    expect(seen()).toHaveLength(1);
  });

  it.each(['', {}, { message: 'success' }])('takes %j for no confirmation', async (body) => {
    const { client } = await serve(reply(200, body));
    const error = await failureOf(cancelAuthorization(client, idRec, { reason: 'x' }));
    expect(error).toMatchObject({ code: 'invalid_response', outcome: 'unknown' });
  });

  it.each([undefined, null, {}, { reason: 7 }])(
    'refuses the request %j, and sends nothing',
    async (request) => {
      const { client, seen } = await serve(reply(200, answer));
      const error = await failureOf(cancelAuthorization(client, idRec, request as never));
      expect(error).toBeInstanceOf(InvalidRequestError);
      expect(seen()).toEqual([]);
    },
  );
});

it('both refuse an id that is none, and send nothing', async () => {
  const { client, seen } = await serve(reply(200, answer));
  for (const id of badIds) {
    for (const call of [
      getAuthorization(client, id as string),
      cancelAuthorization(client, id as string, { reason: 'x' }),
    ]) {
      const error = await failureOf(call);
      expect(error).toMatchObject({ code: 'invalid_request', issues: [{ path: ['idRec'] }] });
    }
  }
  expect(seen()).toEqual([]);
});

describe('listScheduledPayments', () => {
  const page = (ids: number[], more: object = {}) =>
    reply(200, { status: 0, results: ids.map((id) => ({ id, status: 'PAID', sale })), ...more });
  const path = '/v1.1/pix-automatic/scheduled-payments';
  const idsOf = async (
    client: Parameters<typeof listScheduledPayments>[0],
    query?: ScheduledPaymentsQuery,
  ) => {
    const ids: unknown[] = [];
    for await (const { id } of listScheduledPayments(client, query)) ids.push(id);
    return ids;
  };

  it.each<[string, Respond[], number[]]>([
    [
      'as many pages as there are',
      [page([1, 2], { totalPages: 2 }), page([3], { totalPages: 2 })],
      [1, 2, 3],
    ],
    ['until an empty page', [page([1]), page([2]), page([])], [1, 2]],
    ['no page again that is equal to the one before', [page([1, 2]), page([1, 2])], [1, 2]],
    ['nothing', [page([], { totalPages: 0 })], []],
  ])('asks for %s', async (_, pages, ids) => {
    const { client, seen } = await serve(...pages);
    expect(await idsOf(client)).toEqual(ids);
    expect(seen()).toEqual(pages.map((_, number) => `GET ${path}?page=${number}`));
  });

  it('asks with the query, and no further than is read', async () => {
    const { client, seen } = await serve(page([1, 2], { totalPages: 9 }));
    const query = { status: 'FAILED', from: '2027-01-01', to: '2027-01-31' };
    for await (const { id } of listScheduledPayments(client, query)) {
      expect(id).toBe(1);
      break;
    }
    expect(seen()).toEqual([
      `GET ${path}?status=FAILED&initialDueDate=2027-01-01&finalDueDate=2027-01-31&page=0`,
    ]);
  });

  it.each<[string, object]>([
    ['no list', { status: 0, totalPages: 1 }],
    ['another thing in place of the list', { status: 0, results: {} }],
    ['more than a thousand', { status: 0, results: Array(1_001).fill({ id: 1 }) }],
  ])('throws for a page with %s: it is not the end of the list', async (_, body) => {
    const { client } = await serve(reply(200, body));
    expect(await failureOf(idsOf(client))).toBeInstanceOf(InvalidResponseError);
  });

  it.each([{ from: '2027-02-30' }, { to: '15/01/2027' }, { from: '' }])('refuses %j', async (query) => {
    const { client, seen } = await serve(page([1]));
    expect(await failureOf(idsOf(client, query))).toBeInstanceOf(InvalidRequestError);
    expect(seen()).toEqual([]);
  });

  it('refuses a misspelt option, and a client that makes no such calls', async () => {
    const { client } = await serve(page([1]));
    const misspelt = await failureOf(idsOf(client, { form: '2027-01-01' } as never));
    expect(misspelt).toBeInstanceOf(ConfigurationError);
    for (const other of [undefined, {}, { getTransaction: async () => ({}) }]) {
      expect(await failureOf(idsOf(other as never))).toBeInstanceOf(ConfigurationError);
    }
  });
});
