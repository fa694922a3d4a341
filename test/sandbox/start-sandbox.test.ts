import { setTimeout as sleep } from 'node:timers/promises';
import {
  AbortedError,
  ApiError,
  ConnectionError,
  InvalidResponseError,
  PaymentsClient,
  type PaymentsClientOptions,
  reconcile,
  TimeoutError,
} from 'pix-automatic-sdk';
import { type SandboxOptions, startSandbox } from 'pix-automatic-sdk/sandbox';
import { fixtures } from 'pix-automatic-sdk/testing';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { FaultKind } from '../../src/sandbox/faults';
import type { SandboxLogEntry } from '../../src/sandbox/log';
import { failureOf, withoutBackOff } from '../client/support';

type RequestEntry = SandboxLogEntry & { type: 'request' };

/** A sandbox with a paid journey, the real client, and the calls that the sandbox saw. */
async function open(options: SandboxOptions = {}) {
  const seen: RequestEntry[] = [];
  const log = (entry: SandboxLogEntry) => void (entry.type === 'request' && seen.push(entry));
  const sandbox = await startSandbox({ ...options, log });
  onTestFinished(() => sandbox.close());
  const clientWith = (changes: Partial<PaymentsClientOptions> = {}) =>
    new PaymentsClient({ baseUrl: sandbox.url, ...sandbox.credentials, ...changes });
  const { response } = await clientWith().createRecurringCheckout(fixtures.recurringCheckoutRequest());
  const [{ instructionId } = { instructionId: '' }] = sandbox.pay(response.uuid);
  await vi.waitFor(() => expect(seen).toHaveLength(1));
  seen.length = 0;

  /**
   * The attempts that the sandbox saw, once it has logged `count` of them: it writes a line when a connection is
   * done.
   */
  const attempts = async (count: number) => {
    await vi.waitFor(() => expect(seen).toHaveLength(count));
    return seen.map(({ operation, status, fault }) => ({ operation, status, fault }));
  };
  return { sandbox, clientWith, uuid: response.uuid, instructionId, attempts };
}

type Opened = Awaited<ReturnType<typeof open>>;

/** The client’s operations, each called with the ids that `open` made. */
const operations = [
  {
    name: 'createRecurringCheckout',
    call: (client: PaymentsClient, _ids: Opened, options: object = {}) =>
      client.createRecurringCheckout(fixtures.recurringCheckoutRequest({ referenceCode: 'second' }), options),
  },
  {
    name: 'getTransaction',
    call: (client: PaymentsClient, { uuid }: Opened, options: object = {}) =>
      client.getTransaction(uuid, options),
  },
  {
    name: 'cancelScheduledPayment',
    call: (client: PaymentsClient, { instructionId }: Opened, options: object = {}) =>
      client.cancelScheduledPayment(instructionId, { reason: 'moved house' }, options),
  },
] as const;

const [create, query, cancel] = operations;
const changing = [create, cancel];

/** How the client reports each fault. */
const faults: {
  fault: FaultKind;
  error: new (...args: never[]) => Error;
  outcome: string;
  status: number | undefined;
}[] = [
  ...[408, 500, 502, 503, 504].map((status) => ({
    fault: { kind: 'status', status } as const,
    error: ApiError,
    outcome: 'unknown',
    status,
  })),
  { fault: { kind: 'reset-before-read' }, error: ConnectionError, outcome: 'unknown', status: undefined },
  { fault: { kind: 'reset-after-read' }, error: ConnectionError, outcome: 'unknown', status: undefined },
  { fault: { kind: 'truncated-body' }, error: ConnectionError, outcome: 'unknown', status: 200 },
  { fault: { kind: 'stalled-body' }, error: TimeoutError, outcome: 'unknown', status: 200 },
  { fault: { kind: 'latency', ms: 20_000 }, error: TimeoutError, outcome: 'unknown', status: undefined },
];

/** What no operation sends again. */
const refusals: { fault: FaultKind; error: new (...args: never[]) => Error; details: object }[] = [
  ...([-1, 999] as const).map((status) => ({
    fault: { kind: 'body-status', status } as const,
    error: ApiError,
    details: { httpStatus: 200, status, outcome: 'unknown' },
  })),
  { fault: { kind: 'wrong-json' }, error: InvalidResponseError, details: { outcome: 'unknown' } },
  // Beyond the deadline.
  {
    fault: { kind: 'status', status: 429, headers: { 'retry-after': '120' } },
    error: ApiError,
    details: { httpStatus: 429, retryAfterMs: 120_000, outcome: 'refused' },
  },
  // If it were followed, 404 would come.
  {
    fault: { kind: 'status', status: 302, headers: { location: '/elsewhere' } },
    error: ApiError,
    details: { httpStatus: 302, outcome: 'unknown' },
  },
  ...[400, 403, 409, 422].map((status) => ({
    fault: { kind: 'status', status } as const,
    error: ApiError,
    details: { httpStatus: status, outcome: 'refused' },
  })),
];

const limits = { timeoutMs: 500 };

beforeEach(withoutBackOff);
afterEach(() => vi.restoreAllMocks());

describe('the client’s three operations', () => {
  it('do what the document says, in the sandbox', async () => {
    const { sandbox, clientWith, uuid, instructionId } = await open();
    const client = clientWith();
    const request = fixtures.recurringCheckoutRequest({ referenceCode: 'order-2' });
    const { response } = await client.createRecurringCheckout(request);
    expect(response).toMatchObject({
      referenceCode: 'order-2',
      amount: request.amount,
      shopper: request.shopper,
    });
    expect(await client.getTransaction(response.uuid)).toMatchObject({
      situation: 'PENDING',
      referenceCode: 'order-2',
    });
    expect(await client.getTransaction(uuid)).toMatchObject({ situation: 'PAID' });
    expect(await client.cancelScheduledPayment(instructionId, { reason: 'x' })).toEqual({
      status: 0,
      message: 'success',
    });
    expect(sandbox.scheduledPayments(uuid)[0]?.status).toBe('CANCELLED');
  });

  it('give the reconciliation what it needs', async () => {
    const { sandbox, clientWith, uuid } = await open();
    const client = clientWith();
    const { response } = await client.createRecurringCheckout(fixtures.recurringCheckoutRequest());
    sandbox.pay(response.uuid);
    expect((await client.getTransaction(response.uuid)).situation).toBe('PAID');

    const found = [];
    for await (const entry of reconcile(client, [uuid, 'nope', response.uuid])) found.push(entry);
    expect(found.filter((entry) => 'transaction' in entry)).toHaveLength(2);
    expect(found.find(({ uuid }) => uuid === 'nope')).toMatchObject({ error: { httpStatus: 404 } });
  });
});

describe.each(operations)('$name', ({ name, call }) => {
  it.each(refusals)(
    'is sent only once, and rejects with $details, after $fault',
    async ({ fault, error, details }) => {
      const opened = await open();
      opened.sandbox.fault(name, { ...fault, times: 3 });
      const thrown = await failureOf(call(opened.clientWith(), opened));
      expect(thrown).toBeInstanceOf(error);
      expect(thrown).toMatchObject({ ...details, operation: name, attempts: 1 });
      const status = fault.kind === 'status' ? fault.status : 200;
      expect(await opened.attempts(1)).toEqual([{ operation: name, status, fault: fault.kind }]);
    },
  );

  it('goes through after two 429, once the time in Retry-After is over', async () => {
    const opened = await open();
    const headers = { 'retry-after': '1' };
    opened.sandbox.fault(name, { kind: 'status', status: 429 });
    opened.sandbox.fault(name, { kind: 'status', status: 429, headers });
    const started = performance.now();
    expect(await call(opened.clientWith(), opened)).toMatchObject({ status: 0 });
    expect(performance.now() - started).toBeGreaterThanOrEqual(990);
    expect((await opened.attempts(3)).map(({ status }) => status)).toEqual([429, 429, 200]);
  });

  it('is refused with other credentials, which no error shows', async () => {
    const opened = await open();
    const thrown = await failureOf(call(opened.clientWith({ apiToken: 'another-token' }), opened));
    expect(thrown).toMatchObject({ httpStatus: 401, outcome: 'refused' });
    expect(thrown.message).not.toContain('another-token');
  });

  it('ends at once when its signal fires, and the sandbox sees it once', async () => {
    const opened = await open();
    opened.sandbox.fault(name, { kind: 'latency', ms: 20_000 });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 200);
    const thrown = await failureOf(call(opened.clientWith(), opened, { signal: controller.signal }));
    expect(thrown).toBeInstanceOf(AbortedError);
    expect(thrown).toMatchObject({ outcome: 'unknown', attempts: 1 });
    expect(await opened.attempts(1)).toEqual([{ operation: name, status: undefined, fault: 'latency' }]);
  });

  it('is not sent to a sandbox that is closed', async () => {
    const opened = await open();
    const client = opened.clientWith({ baseUrl: opened.sandbox.url });
    await opened.sandbox.close();
    // Only a query is tried again: the other two are repeated after a 429 alone.
    const attempts = name === 'getTransaction' ? 3 : 1;
    expect(await failureOf(call(client, opened))).toMatchObject({ outcome: 'not-sent', attempts });
  });
});

describe.each(changing)('$name, which changes something', ({ name, call }) => {
  it.each(faults)(
    'is sent only once after $fault, and the outcome is $outcome',
    async ({ fault, error, outcome, status }) => {
      const opened = await open();
      opened.sandbox.fault(name, { ...fault, times: 3 });
      const thrown = await failureOf(call(opened.clientWith(limits), opened));
      expect(thrown).toBeInstanceOf(error);
      expect(thrown).toMatchObject({ outcome, attempts: 1 });
      expect(await opened.attempts(1)).toEqual([{ operation: name, status, fault: fault.kind }]);
    },
  );
});

describe('the query, which changes nothing', () => {
  it.each(faults)('is sent again after $fault, and goes through', async ({ fault, status }) => {
    const opened = await open();
    opened.sandbox.fault('getTransaction', { ...fault, times: 2 });
    expect(await query.call(opened.clientWith(limits), opened)).toMatchObject({ situation: 'PAID' });
    const failed = { operation: 'getTransaction', status, fault: fault.kind };
    expect(await opened.attempts(3)).toEqual([
      failed,
      failed,
      { operation: 'getTransaction', status: 200, fault: undefined },
    ]);
  });

  it('fails with the error of its third attempt', async () => {
    const opened = await open();
    opened.sandbox.fault('getTransaction', { kind: 'status', status: 503, times: Number.POSITIVE_INFINITY });
    expect(await failureOf(query.call(opened.clientWith(), opened))).toMatchObject({
      httpStatus: 503,
      attempts: 3,
    });
    await opened.attempts(3);
  });
});

describe('a call of unknown outcome', () => {
  const refused = { inventions: { repeatedReferenceCode: { httpStatus: 422, status: -1, message: 'used' } } };

  it.each([
    [{ kind: 'status', status: 504, takesEffect: true }, true],
    [{ kind: 'reset-after-read' }, true],
    [{ kind: 'stalled-body' }, true],
    [{ kind: 'latency', ms: 20_000 }, true],
    [{ kind: 'status', status: 504 }, false],
    [{ kind: 'reset-before-read' }, false],
    [{ kind: 'reset-after-read', takesEffect: false }, false],
  ] as [FaultKind, boolean][])(
    'may have created its journey or not: after %j, that the journey exists is %s',
    async (fault, exists) => {
      const opened = await open(refused);
      opened.sandbox.fault('createRecurringCheckout', fault);
      const client = opened.clientWith(limits);
      expect(await failureOf(create.call(client, opened))).toMatchObject({ outcome: 'unknown' });
      const second = create.call(client, opened).then(
        () => 'created',
        (error: unknown) => error instanceof ApiError && error.httpStatus,
      );
      expect(await second).toBe(exists ? 422 : 'created');
    },
  );
});

describe('what only orders can keep from the payer', () => {
  it('429 after the effect: the client takes it for a refusal and sends again, so there are two journeys', async () => {
    const opened = await open();
    opened.sandbox.fault('createRecurringCheckout', { kind: 'status', status: 429, takesEffect: true });
    const { response } = await create.call(opened.clientWith(), opened);
    const journeys = opened.sandbox.transactions.filter(({ referenceCode }) => referenceCode === 'second');
    expect(journeys.map(({ uuid }) => uuid === response.uuid)).toEqual([false, true]);
  });

  it('a connection that closes while the next call is sent over it: the call goes through, or its outcome is unknown', async () => {
    const opened = await open();
    const client = opened.clientWith();
    const outcomes: string[] = [];
    for (let ms = 0; ms < 10; ms += 0.5) {
      opened.sandbox.fault('getTransaction', { kind: 'close-after-answer', ms });
      expect(await query.call(client, opened)).toMatchObject({ situation: 'PAID' });
      await sleep(ms);
      outcomes.push(
        await create.call(client, opened).then(
          () => 'created',
          (error: unknown) => (error instanceof ConnectionError ? error.outcome : String(error)),
        ),
      );
    }
    expect(['created', 'unknown']).toEqual(expect.arrayContaining(outcomes));
    const journeys = opened.sandbox.transactions.filter(({ referenceCode }) => referenceCode === 'second');
    expect(journeys.length).toBeGreaterThanOrEqual(outcomes.filter((each) => each === 'created').length);
    expect(journeys.length).toBeLessThanOrEqual(outcomes.length);
  });
});
