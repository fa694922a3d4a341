import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionError, PaymentsClient, type PaymentsClientOptions, reconcile } from 'pix-automatic-sdk';
import { createOrders } from 'pix-automatic-sdk/orders';
import { SandboxError } from 'pix-automatic-sdk/sandbox';
import { fixtures } from 'pix-automatic-sdk/testing';
import { MemoryStore } from 'pix-automatic-sdk/webhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FaultKind, faultKinds } from '../../src/sandbox/faults';
import type { SandboxLogEntry } from '../../src/sandbox/log';
import { failureOf, withoutBackOff } from '../client/support';
import { credentials, headers, openJourney, openPaid, openSandbox, order as request } from './helpers';

const order = fixtures.recurringCheckoutRequest();

beforeEach(withoutBackOff);
afterEach(() => vi.restoreAllMocks());

/** A sandbox, the real client, and the status of each call in the sandbox's log. */
async function open() {
  const logged: unknown[] = [];
  const log = (entry: SandboxLogEntry) => void (entry.type === 'request' && logged.push(entry.status));
  const { sandbox } = await openSandbox({ log });
  const clientWith = (options: { timeoutMs?: number } = {}) =>
    new PaymentsClient({ baseUrl: sandbox.url, ...sandbox.credentials, ...options });
  /** A call is logged when its connection is done. */
  const statuses = async (count: number) => {
    await expect.poll(() => logged).toHaveLength(count);
    return logged;
  };
  return { sandbox, clientWith, client: clientWith(), statuses };
}

// test/client has all that the client does about a failure; here is that each fault is one for it.
describe('a fault of a call that creates a journey is sent once, and the client reports', () => {
  const slow = { timeoutMs: 500 };

  it.each<[report: string, fault: FaultKind, options?: object]>([
    ['ApiError refused, logged as 422, 0 journeys', { kind: 'status', status: 422 }],
    ['ApiError unknown, logged as 504, 0 journeys', { kind: 'status', status: 504 }],
    ['ApiError unknown, logged as 504, 1 journeys', { kind: 'status', status: 504, takesEffect: true }],
    // If it were followed, 404 would come.
    [
      'ApiError unknown, logged as 302, 0 journeys',
      { kind: 'status', status: 302, headers: { location: '/' } },
    ],
    ['ApiError unknown, logged as 200, 1 journeys', { kind: 'body-status', status: 999 }],
    ['InvalidResponseError unknown, logged as 200, 1 journeys', { kind: 'wrong-json' }],
    ['ConnectionError unknown, logged as undefined, 0 journeys', { kind: 'reset-before-read' }],
    ['ConnectionError unknown, logged as undefined, 1 journeys', { kind: 'reset-after-read' }],
    [
      'ConnectionError unknown, logged as undefined, 0 journeys',
      { kind: 'reset-after-read', takesEffect: false },
    ],
    ['ConnectionError unknown, logged as 200, 1 journeys', { kind: 'truncated-body' }],
    ['TimeoutError unknown, logged as 200, 1 journeys', { kind: 'stalled-body' }, slow],
    ['TimeoutError unknown, logged as undefined, 1 journeys', { kind: 'latency', ms: 20_000 }, slow],
  ])('%s, after %j', async (report, fault, options) => {
    const { sandbox, clientWith, statuses } = await open();
    sandbox.fault('createRecurringCheckout', { ...fault, times: 3 });
    const { name, outcome } = await failureOf(clientWith(options).createRecurringCheckout(order));
    const [status] = await statuses(1);
    const journeys = `${sandbox.transactions.length} journeys`;
    expect(`${name} ${outcome}, logged as ${status}, ${journeys}`).toBe(report);
  });
});

it('a query is sent again after faults, and goes through', async () => {
  const { sandbox, client, statuses } = await open();
  const { uuid } = sandbox.createTestJourney();
  sandbox.fault('getTransaction', { kind: 'reset-after-read' });
  sandbox.fault('getTransaction', { kind: 'status', status: 503 });
  expect(await client.getTransaction(uuid)).toMatchObject({ situation: 'PENDING' });
  expect(await statuses(3)).toEqual([undefined, 503, 200]);
});

describe.each([401, 403] as const)('a fault that refuses the pair with %d', (status) => {
  const calls = {
    POST: (client: PaymentsClient) => client.createRecurringCheckout(order),
    GET: (client: PaymentsClient, uuid: string) => client.getTransaction(uuid),
    PUT: (client: PaymentsClient, _: string, id: string) =>
      client.cancelScheduledPayment(id, { reason: 'moved house' }),
  };
  const operations = {
    POST: 'createRecurringCheckout',
    GET: 'getTransaction',
    PUT: 'cancelScheduledPayment',
  } as const;
  const methods = ['POST', 'GET', 'PUT'] as const;
  const revoked = { apiKey: 'revoked-api-key', apiToken: 'revoked-api-token' };

  /** A sandbox with a paid journey, and how a call ends: `403 403: api_error 403: refused after 1`. */
  async function openFor(method: 'POST' | 'GET' | 'PUT', options: Partial<PaymentsClientOptions> = {}) {
    const logged: unknown[] = [];
    const log = (entry: SandboxLogEntry) => void (entry.type === 'request' && logged.push(entry.status));
    const { sandbox, uuid, payments } = await openPaid({ log });
    const client = new PaymentsClient({ baseUrl: sandbox.url, ...sandbox.credentials, ...options });
    const end = async (requests: number) => {
      logged.length = 0;
      const ended = await calls[method](client, uuid, payments.at(-1) ?? '').then(
        () => 'answer',
        ({ code, httpStatus, outcome, attempts }) => `${code} ${httpStatus}: ${outcome} after ${attempts}`,
      );
      await expect.poll(() => logged).toHaveLength(requests);
      return `${logged.join(' ')}: ${ended}`;
    };
    return { sandbox, client, end };
  }

  it.each(methods)('is one attempt of a %s, and refused', async (method) => {
    const { sandbox, end } = await openFor(method);
    sandbox.fault(operations[method], { kind: 'status', status, times: 4 });
    const refusal = `${status}: api_error ${status}: refused after 1`;
    expect(await end(1)).toBe(refusal);
    expect(await end(1)).toBe(refusal);
  });

  it.each(methods)(
    'has a %s sent again with the previous pair, which begins from then on',
    async (method) => {
      const { sandbox, end } = await openFor(method, { ...revoked, previous: credentials });
      sandbox.fault(operations[method], { kind: 'wrong-pair', status, times: 9 });
      expect(await end(2)).toBe(`${status} 200: answer`);
      expect(await end(1)).toBe(method === 'PUT' ? '409: api_error 409: refused after 1' : '200: answer');
    },
  );

  it.each(methods)('is refused for a %s by both pairs', async (method) => {
    const { sandbox, end } = await openFor(method, { previous: revoked });
    sandbox.fault(operations[method], { kind: 'status', status, times: 9 });
    expect(await end(2)).toBe(`${status} ${status}: api_error ${status}: refused after 2`);
  });

  it('ends a reconciliation at the first 401 or the third 403, and maintain with it', async () => {
    const { sandbox, client } = await openFor('GET');
    const uuids = [1, 2, 3, 4, 5].map(() => sandbox.createTestJourney().uuid);
    sandbox.fault('getTransaction', { kind: 'status', status, times: 100 });
    const results: string[] = [];
    const reconciling = async () => {
      for await (const { uuid } of reconcile(client, uuids, { concurrency: 1 })) results.push(uuid);
    };
    await expect(reconciling()).rejects.toMatchObject({ httpStatus: status });
    expect(results).toEqual(status === 401 ? [] : uuids.slice(0, 2));
    const left = () => sandbox.pendingFaults[0]?.left;
    expect(left()).toBe(100 - (status === 401 ? 1 : 3));

    const reports: string[] = [];
    const onReport = ({ code }: { readonly code: string }) => void reports.push(code);
    const orders = createOrders({
      client,
      store: new MemoryStore(),
      on: { paid: async () => undefined, returned: 'ignore' },
      onReport,
    });
    const { referenceCode: _, ...journey } = order;
    for (const key of ['o-1', 'o-2', 'o-3', 'o-4', 'o-5']) await orders.open(key, journey);
    const before = left() as number;
    expect(await orders.maintain()).toMatchObject({
      errors: [{ httpStatus: status }],
      reconciled: { paid: 0, isComplete: false },
    });
    expect(reports).toContain('reconcile_ended');
    // Four are asked at a time, so one more may be on its way.
    expect(before - (left() as number)).toBeLessThanOrEqual(status === 401 ? 4 : 6);
  });
});

describe('what only orders can keep from the payer', () => {
  it('429 after the effect: the client takes it for a refusal and sends again, so there are two journeys', async () => {
    const { sandbox, client } = await open();
    sandbox.fault('createRecurringCheckout', { kind: 'status', status: 429, takesEffect: true });
    const { response } = await client.createRecurringCheckout(order);
    expect(sandbox.transactions.map(({ uuid }) => uuid === response.uuid)).toEqual([false, true]);
  });

  it('a connection that closes while the next call is sent over it: the call goes through, or its outcome is unknown', async () => {
    const { sandbox, client } = await open();
    const { uuid } = sandbox.createTestJourney();
    let created = 0;
    for (let ms = 0; ms < 10; ms += 0.5) {
      sandbox.fault('getTransaction', { kind: 'close-after-answer', ms });
      expect(await client.getTransaction(uuid)).toMatchObject({ situation: 'PENDING' });
      await sleep(ms);
      const failure = await client.createRecurringCheckout(order).then(
        () => void created++,
        (error) => error,
      );
      if (failure instanceof ConnectionError) expect(failure.outcome).toBe('unknown');
      else expect(failure).toBeUndefined();
    }
    const journeys = sandbox.transactions.length - 1;
    expect(journeys).toBeGreaterThanOrEqual(created);
    expect(journeys).toBeLessThanOrEqual(20);
  });
});

const checkout = '/v1.1/checkout/pix-automatic';

describe('a fault', () => {
  it.each<[fault: FaultKind, status: number, body: string]>([
    [{ kind: 'status', status: 504, body: '<html>' }, 504, '<html>'],
    [{ kind: 'status', status: 502 }, 502, '{"status":-1,"message":"sandbox fault"}'],
    [{ kind: 'body-status', status: -1 }, 200, '{"status":-1,"message":"sandbox: status -1"}'],
    [{ kind: 'body-status', status: 999 }, 200, '{"status":999,"message":"sandbox: status 999"}'],
  ])('%j answers %i with %s', async (fault, status, body) => {
    const { sandbox, call } = await openSandbox();
    sandbox.fault('getTransaction', fault);
    const answer = await call('GET', '/v1.1/transactions/x');
    expect([answer.status, await answer.text()]).toEqual([status, body]);
  });

  it('of kind close-after-answer closes the connection that its whole answer promised to keep', async () => {
    const { sandbox, uuid } = await openJourney();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = async () => {
      const request = get(`${sandbox.url}/v1.1/transactions/${uuid}`, { agent, headers });
      const [answer] = (await once(request, 'response')) as [IncomingMessage];
      const { socket } = answer;
      return { body: await text(answer), kept: answer.headers.connection, socket };
    };
    const first = await ask();
    sandbox.fault('getTransaction', { kind: 'close-after-answer', ms: 30 });
    const second = await ask();
    // Over the same connection, and as whole as the first.
    expect(second).toEqual(first);
    expect(second.kept).toBe('keep-alive');
    expect(second.socket.destroyed).toBe(false);
    await once(second.socket, 'close');
    expect((await ask()).socket).not.toBe(second.socket);
    agent.destroy();
  });

  it('comes as often as asked, in order, to its own operation', async () => {
    const { sandbox, uuid, call } = await openJourney();
    const status = async () => (await call('GET', `/v1.1/transactions/${uuid}`)).status;
    sandbox.fault('createRecurringCheckout', { kind: 'status', status: 500 });
    sandbox.fault('getTransaction', { kind: 'status', status: 502, times: 2 });
    sandbox.fault('getTransaction', { kind: 'status', status: 503, times: Number.POSITIVE_INFINITY });
    expect([await status(), await status(), await status(), await status()]).toEqual([502, 502, 503, 503]);
    sandbox.clearFaults();
    expect(await status()).toBe(200);
  });

  it('can be taken back for one operation and left for the others', async () => {
    const { sandbox, call } = await openSandbox();
    sandbox.fault('createRecurringCheckout', { kind: 'status', status: 503 });
    sandbox.fault('getTransaction', { kind: 'status', status: 502 });
    sandbox.clearFaults('createRecurringCheckout');
    expect((await call('POST', checkout, request)).status).toBe(200);
    expect((await call('GET', '/v1.1/transactions/x')).status).toBe(502);
    expect(() => Reflect.apply(sandbox.clearFaults, sandbox, ['getTransactions'])).toThrow(
      /unknown value `getTransactions`/,
    );
  });

  it('can be taken back by its id, without the others of its operation', async () => {
    const { sandbox, call, uuid } = await openJourney();
    const status = async () => (await call('GET', `/v1.1/transactions/${uuid}`)).status;
    sandbox.fault('getTransaction', { kind: 'status', status: 502 });
    const { id } = sandbox.fault('getTransaction', { kind: 'status', status: 503 });
    sandbox.fault('getTransaction', { kind: 'status', status: 504 });
    expect((await call('DELETE', '/sandbox/faults', { id })).status).toBe(200);
    expect([await status(), await status(), await status()]).toEqual([502, 504, 200]);
    expect((await call('DELETE', '/sandbox/faults', { id })).status).toBe(404);
  });

  it('about one transaction meets the calls about that one alone, its payments included', async () => {
    const { sandbox, call, create, uuid } = await openJourney();
    const other = (await create()).uuid;
    const [payment] = sandbox.pay(uuid);
    const query = async (one: string) => (await call('GET', `/v1.1/transactions/${one}`)).status;
    sandbox.fault('getTransaction', { kind: 'status', status: 503, transactionUUID: uuid });
    expect([await query(other), await query(uuid), await query(uuid)]).toEqual([200, 503, 200]);
    const cancel = `/v1.1/pix-automatic/scheduled-payments/${payment?.instructionId}/cancel`;
    sandbox.fault('cancelScheduledPayment', { kind: 'status', status: 503, transactionUUID: uuid });
    expect((await call('PUT', cancel, { reason: 'x' })).status).toBe(503);
    expect(() =>
      sandbox.fault('createRecurringCheckout', { kind: 'wrong-json', transactionUUID: uuid }),
    ).toThrow(/about no transaction yet/);
  });

  it.each([401, 403] as const)(
    'of kind wrong-pair answers %i to a wrong pair, and never to the right one',
    async (status) => {
      const { sandbox, call, uuid } = await openJourney();
      sandbox.fault('getTransaction', { kind: 'wrong-pair', status });
      const path = `/v1.1/transactions/${uuid}`;
      const wrong = { headers: { ...headers, 'x-api-token': 'old-api-token' } };
      expect((await call('GET', path)).status).toBe(200);
      const refused = await call('GET', path, undefined, wrong);
      expect(refused.status).toBe(status);
      expect(refused.headers.get('x-sandbox-invention')).toBe('wrongCredentials');
      // The fault is used up: the default again.
      expect((await call('GET', path, undefined, wrong)).status).toBe(401);
    },
  );

  const anyOperation = 'createRecurringCheckout or getTransaction or cancelScheduledPayment';
  const anyKind = faultKinds.join(', ');

  it.each<[fault: object, message: string, operation?: string]>([
    [
      { kind: 'wrong-json' },
      `operation: unknown value \`getTransactions\`, expected ${anyOperation}.`,
      'getTransactions',
    ],
    [{}, `fault.kind: missing, expected ${anyKind}.`],
    [{ kind: 7 }, `fault.kind: unknown kind \`7\`, expected ${anyKind}.`],
    [{ kind: 'latencyy', ms: 1 }, `fault.kind: unknown kind \`latencyy\`, expected ${anyKind}.`],
    [
      { kind: 'latency', ms: 1, mss: 1 },
      'fault: unknown field `mss`, expected one of kind, ms, times, transactionUUID.',
    ],
    [{ kind: 'latency', ms: '1' }, 'fault.ms: expected a number, got a string.'],
    [{ kind: 'latency', ms: -1 }, 'fault.ms: expected 0 or more.'],
    [
      { kind: 'latency', ms: 2 ** 31 },
      'fault.ms: expected no longer than a timer can wait (about 24.8 days).',
    ],
    [{ kind: 'close-after-answer', ms: -1 }, 'fault.ms: expected 0 or more.'],
    [{ kind: 'status', status: '500' }, 'fault.status: expected a number, got a string.'],
    [{ kind: 'status', status: 42 }, 'fault.status: expected an HTTP status, 200 to 599.'],
    [{ kind: 'status', status: 500, body: {} }, 'fault.body: expected a string, got an object.'],
    [{ kind: 'status', status: 500, headers: 7 }, 'fault.headers: expected an object, got a number.'],
    [{ kind: 'status', status: 500, headers: { a: 2 } }, 'fault.headers.a: expected a string, got a number.'],
    [
      { kind: 'status', status: 500, takesEffect: 'no' },
      'fault.takesEffect: expected a boolean, got a string.',
    ],
    [{ kind: 'body-status', status: 7 }, 'fault.status: expected -1 or 999, got another number.'],
    [{ kind: 'wrong-json', times: '2' }, 'fault.times: expected a number, got a string.'],
    [{ kind: 'stalled-body', times: 0 }, 'fault.times: expected 1 or more.'],
  ])('%j is refused, with what is expected: %s', async (fault, message, operation = 'getTransaction') => {
    const { sandbox } = await openSandbox();
    const refused = () => Reflect.apply(sandbox.fault, sandbox, [operation, fault]);
    expect(refused).toThrow(SandboxError);
    expect(refused).toThrow(expect.objectContaining({ code: 'invalid', message }));
  });
});
