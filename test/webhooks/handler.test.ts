import { Agent, createServer, type ServerResponse } from 'node:http';
import {
  createWebhookHandler,
  salePayloadSchema,
  toNodeListener,
  type WebhookHandlerOptions,
} from 'pix-automatic-sdk/webhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deliver } from '../helpers/deliver';
import { listen } from '../helpers/listen';
import {
  authorization,
  basic,
  createListener,
  credentials,
  notificationRequest,
  payoutPayload,
  queries,
  refundPayload,
  reversalPayload,
  salePayload,
  statusOf,
  WatchedStore,
} from './support';

const url = 'https://merchant.example/webhooks';

/** A body that never ends, and counts how much of it is read. */
function endlessBody() {
  const body = { reads: 0, cancelled: false };
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        body.reads += 1;
        controller.enqueue(new Uint8Array(64 * 1024).fill(0x20));
      },
      cancel() {
        body.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return Object.assign(body, { stream });
}

describe('a request that is no POST', () => {
  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])(
    'is answered 405 with Allow: %s',
    async (method) => {
      const { handler, reports } = createListener();
      const answer = await handler(new Request(url, { method, headers: { authorization } }));
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe('POST');
      expect(reports).toMatchObject([{ code: 'method_not_allowed', status: 405 }]);
    },
  );
});

describe('a request with bad credentials', () => {
  const attempts = [
    ['missing', undefined],
    ['wrong-scheme', 'Bearer x'],
    ['malformed', 'Basic x'],
    ['mismatch', basic({ apiKey: 'other', apiToken: 'token:1' })],
    ['mismatch', basic({ apiKey: 'key-1', apiToken: 'other' })],
  ] as const;

  it.each(attempts)(
    'is answered the same whatever the reason, which only onReport gets: %s',
    async (reason, header) => {
      const { handler, reports, acted } = createListener();
      const headers = { 'content-type': 'application/json', ...(header && { authorization: header }) };
      const body = JSON.stringify(salePayload());
      const answer = await handler(new Request(url, { method: 'POST', headers, body }));

      expect(answer.status).toBe(401);
      expect(Object.fromEntries(answer.headers)).toEqual({
        'content-type': 'text/plain; charset=utf-8',
        'content-length': '12',
        'www-authenticate': 'Basic realm="notifications", charset="UTF-8"',
      });
      expect(await answer.text()).toBe('Unauthorized');
      expect(reports).toMatchObject([{ code: 'unauthorized', status: 401, reason }]);
      expect(acted).toEqual([]);
    },
  );

  it.each(attempts)(
    'is answered without its body being read, which would never end: %s',
    async (_, header) => {
      const { handler } = createListener();
      const body = endlessBody();
      const headers = { ...(header && { authorization: header }) };
      const request = new Request(url, {
        method: 'POST',
        headers,
        body: body.stream,
        duplex: 'half',
      } as RequestInit);
      expect(await statusOf(handler(request))).toBe(401);
      expect(body.reads).toBe(0);
      expect(request.bodyUsed).toBe(false);
    },
  );

  it('reaches neither the store nor the match of an own kind', async () => {
    const store = new WatchedStore();
    let matched = 0;
    const kinds = [
      { kind: 'own', match: () => ++matched > 0, schema: salePayloadSchema, subject: () => 'x' },
    ] as const;
    const handler = createWebhookHandler({ credentials, store, kinds, on: {}, onReport: () => undefined });
    const request = notificationRequest(salePayload(), { headers: { authorization: 'Basic x' } });
    expect(await statusOf(handler(request))).toBe(401);
    expect([store.steps, matched]).toEqual([[], 0]);
  });
});

describe('getAuthorization', () => {
  const getAuthorization: WebhookHandlerOptions['getAuthorization'] = ({ headers }) =>
    headers.get('X-Original-Authorization');

  it('reads the header of a gateway, in any case, from a Request and over node:http alike', async () => {
    const { handler, acted } = createListener({ getAuthorization });
    const headers = { authorization: 'Bearer gateway', 'x-original-authorization': authorization };
    expect(await statusOf(handler(notificationRequest(salePayload(), { headers })))).toBe(200);
    const at = await listen(createServer(toNodeListener(handler)));
    expect((await deliver(at, refundPayload(), { headers })).status).toBe(200);
    expect(acted).toHaveLength(2);
  });
});

describe('a body that is no notification', () => {
  it.each(['', 'no JSON', '[]', 'null', '"text"', '7', '{"saleToken":', '\u0000'])(
    'is answered 400 and reported: %j',
    async (body) => {
      const { handler, reports } = createListener();
      const answer = await handler(notificationRequest(body));
      expect([answer.status, await answer.text()]).toEqual([400, 'Bad request']);
      expect(reports).toMatchObject([
        { code: 'invalid_body', status: 400, issues: [{ message: 'expected a JSON object' }] },
      ]);
      expect(new TextDecoder().decode((reports[0]?.received ?? new Uint8Array()) as Uint8Array)).toBe(body);
    },
  );

  it.each([undefined, 'ignore', () => undefined] as const)(
    'is answered 400 and reported when it is nested too deeply to hash (unrecognized: %s)',
    async (unrecognized) => {
      const on = unrecognized === undefined ? {} : { unrecognized };
      // 201 levels are over the limit. 100,000 also overflow the stack where fields are not sorted, even in a worker
      // thread, whose stack is four times as large.
      for (const levels of [201, 100_000]) {
        const { handler, reports } = createListener({ on });
        const body = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
        expect(await statusOf(handler(notificationRequest(body)))).toBe(400);
        expect(reports).toMatchObject([
          { code: 'invalid_body', issues: [{ message: 'expected a body that is not nested as deeply' }] },
        ]);
        expect(reports[0]?.received).toHaveProperty('a.a.a');
      }
    },
  );

  it('is answered 400 when it is contradictory or incomplete, and reported with its issues', async () => {
    const { handler, reports, acted } = createListener();
    const refusals = [
      notificationRequest(salePayload(), { query: queries.refund }),
      notificationRequest({ newStatus: 'PAID' }),
    ];
    for (const request of refusals) expect(await statusOf(handler(request))).toBe(400);
    expect(reports).toMatchObject([
      {
        code: 'invalid_notification',
        status: 400,
        kind: 'unrecognized',
        issues: [{ path: [], message: expect.stringContaining('expected the body of a refund') }],
        received: { raw: salePayload() },
      },
      { code: 'invalid_notification', issues: [{ path: ['saleToken'], message: 'required, a string' }] },
    ]);
    expect(acted).toEqual([]);
  });

  it('goes to the unrecognized callback, with its issues, when it is contradictory or incomplete', async () => {
    const given: unknown[] = [];
    const { handler, acted, reports } = createListener({
      on: {
        payment: () => expect.unreachable(),
        unrecognized: (notification) => void given.push(notification),
      },
    });
    const request = notificationRequest(salePayload(), { query: queries.refund });
    expect(await statusOf(handler(request))).toBe(200);
    expect(given).toEqual([
      {
        kind: 'unrecognized',
        raw: salePayload(),
        key: expect.stringMatching(/^unrecognized:/),
        issues: [{ path: [], message: expect.stringContaining('expected the body of a refund') }],
      },
    ]);
    expect([acted, reports]).toEqual([[], []]);
  });
});

describe('a notification', () => {
  it.each([
    ['payment', salePayload(), queries.sale],
    ['saleStatus', { ...salePayload(), newStatus: 'REVERSAL' }, queries.sale],
    ['reversal', reversalPayload(), queries.reversal],
    ['refund', refundPayload(), queries.refund],
    ['payout', payoutPayload(), queries.payout],
    ['unrecognized', { instructionId: 'i-1' }, ''],
  ] as const)(
    'of kind %s reaches the callback of its kind alone, once, over real HTTP',
    async (kind, body, query) => {
      const given: unknown[] = [];
      const others = () => expect.unreachable('the callback of another kind ran');
      const on = {
        payment: others,
        saleStatus: others,
        reversal: others,
        refund: others,
        payout: others,
        unrecognized: others,
        [kind]: (notification: { kind: string }) => void given.push(notification.kind),
      };
      const { handler, reports } = createListener({ on });
      const at = await listen(createServer(toNodeListener(handler)));
      const first = await deliver(`${at}/webhooks${query}`, body);
      expect(first).toMatchObject({ status: 200, body: 'OK' });
      expect(await deliver(`${at}/webhooks${query}`, body)).toMatchObject({ status: 200, body: 'OK' });
      expect(given).toEqual([kind]);
      expect(reports).toEqual([]);
    },
  );

  it('of a kind with no callback is answered 200, reported as unhandled, and not stored', async () => {
    const store = new WatchedStore();
    const before = createListener({ store, on: {} });
    expect(await statusOf(before.handler(notificationRequest(salePayload())))).toBe(200);
    expect(before.reports).toMatchObject([
      {
        code: 'unhandled',
        status: 200,
        kind: 'payment',
        key: 'payment:s-1:PAID',
        received: { kind: 'payment' },
      },
    ]);
    expect(store.steps).toEqual([]);

    const after = createListener({ store });
    expect(await statusOf(after.handler(notificationRequest(salePayload())))).toBe(200);
    expect(after.acted).toEqual(['payment:s-1:PAID']);
  });

  it('of an ignored kind is answered 200, and neither reported nor stored', async () => {
    const store = new WatchedStore();
    const { handler, reports } = createListener({ store, on: { payment: 'ignore', unrecognized: 'ignore' } });
    expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(200);
    expect(await statusOf(handler(notificationRequest({ instructionId: 'i-1' })))).toBe(200);
    expect([reports, store.steps]).toEqual([[], []]);
  });

  it('that looks like a payment without its saleToken is answered 400 even where unrecognized ones are ignored', async () => {
    const { handler, reports } = createListener({ on: { unrecognized: 'ignore' } });
    expect(await statusOf(handler(notificationRequest({ newStatus: 'PAID' })))).toBe(400);
    expect(reports).toMatchObject([{ code: 'invalid_notification', issues: [{ path: ['saleToken'] }] }]);
  });

  it('whose callback throws, at once or later, is answered 500 without the error’s text, and acted on when it comes again', async () => {
    const failures = [new Error('S3CRET at once'), new Error('S3CRET later'), undefined];
    const given: unknown[] = [];
    const { handler, reports } = createListener({
      on: {
        payment(notification) {
          const failure = failures[given.push(notification) - 1];
          if (failure?.message.endsWith('once')) throw failure;
          return failure === undefined ? undefined : Promise.reject(failure);
        },
      },
    });
    for (const failure of failures.slice(0, 2)) {
      const answer = await handler(notificationRequest(salePayload()));
      expect([answer.status, await answer.text()]).toEqual([500, 'Internal error']);
      expect(JSON.stringify([...answer.headers])).not.toContain('S3CRET');
      expect(reports.at(-1)).toMatchObject({ code: 'callback_failed', status: 500, key: 'payment:s-1:PAID' });
      expect(reports.at(-1)?.error).toBe(failure);
      expect(reports.at(-1)?.message).toMatch(/^The callback threw\. The service sends it again/);
    }
    expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(200);
    expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(200);
    expect(given).toHaveLength(3);
  });

  it('whose subject is busy is answered 503 with Retry-After, at once', async () => {
    let finish = () => {};
    const { handler, reports } = createListener({
      on: { payment: () => new Promise<void>((resolve) => (finish = resolve)) },
    });
    const running = handler(notificationRequest(salePayload()));
    const answer = await eventually(() => handler(notificationRequest(salePayload())));
    expect([answer.status, await answer.text()]).toEqual([503, 'Try again later']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(reports).toMatchObject([{ code: 'busy', status: 503, key: 'payment:s-1:PAID' }]);
    finish();
    expect(await statusOf(running)).toBe(200);
  });

  /** Lets the first delivery reach its callback. */
  async function eventually<T>(next: () => Promise<T>): Promise<T> {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return next();
  }

  it.each(['PENDING', 'PAID'])(
    'about another state of a busy subject is turned away too: %s',
    async (status) => {
      let finish = () => {};
      const { handler } = createListener({
        on: { reversal: () => new Promise<void>((resolve) => (finish = resolve)) },
      });
      const running = handler(notificationRequest(reversalPayload()));
      const answer = await eventually(() => handler(notificationRequest({ ...reversalPayload(), status })));
      expect(answer.status).toBe(503);
      finish();
      expect(await statusOf(running)).toBe(200);
    },
  );
});

describe('the credentials of a rotation', () => {
  it('all work, and the callback learns which pair was used', async () => {
    const former = { apiKey: 'key-0', apiToken: 'token-0' };
    const indices: number[] = [];
    const note = (_: unknown, { credentialIndex }: { credentialIndex: number }) =>
      void indices.push(credentialIndex);
    const { handler } = createListener({
      credentials: [credentials, former],
      on: { payment: note, refund: note },
    });
    expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(200);
    const headers = { authorization: basic(former) };
    expect(await statusOf(handler(notificationRequest(refundPayload(), { headers })))).toBe(200);
    expect(indices).toEqual([0, 1]);
  });
});

describe('drain', () => {
  it('resolves at once when nothing runs', async () => {
    const { handler } = createListener();
    expect(await handler.drain()).toBeUndefined();
  });

  it('answers new notifications 503 with Retry-After over HTTP, and neither runs nor stores them', async () => {
    const { handler, acted, reports } = createListener();
    const url = await listen(createServer(toNodeListener(handler)));
    await handler.drain();
    const answer = await deliver(url, salePayload());
    expect([answer.status, answer.body]).toEqual([503, 'Try again later']);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(503);
    expect(acted).toEqual([]);
    expect(reports).toMatchObject([{ code: 'draining' }, { code: 'draining' }]);
  });

  it('resolves when every running callback has been answered, and leaves those answers as they were', async () => {
    const finish: (() => void)[] = [];
    const { handler } = createListener({
      on: {
        payment: () => new Promise<void>((resolve) => void finish.push(resolve)),
        refund: () => new Promise<void>((_, reject) => void finish.push(() => reject(new Error('late')))),
      },
    });
    const order: string[] = [];
    const running = [salePayload(), refundPayload()].map(async (body) => {
      const status = await statusOf(handler(notificationRequest(body)));
      order.push(String(status));
    });
    await expect.poll(() => finish).toHaveLength(2);

    const drained = [handler.drain(), handler.drain()].map(async (drain) => {
      await drain;
      order.push('drained');
    });
    expect(await statusOf(handler(notificationRequest({ ...salePayload(), saleToken: 's-2' })))).toBe(503);
    expect(order).toEqual([]);
    finish[0]?.();
    await running[0];
    expect(order).toEqual(['200']);
    finish[1]?.();
    await Promise.all([...running, ...drained]);
    expect(order.slice(0, 2)).toEqual(['200', '500']);
    expect(order.slice(2)).toEqual(['drained', 'drained']);
  });

  it('resolves once the answers are handed over, so that the process may end then', async () => {
    let finish = () => {};
    const { handler } = createListener({
      on: { payment: () => new Promise<void>((resolve) => (finish = resolve)) },
    });
    const answer = toNodeListener(handler);
    const responses: ServerResponse[] = [];
    const server = createServer((request, response) => {
      responses.push(response);
      answer(request, response);
    });
    const delivery = deliver(await listen(server), salePayload());
    await expect.poll(() => responses).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const drained = handler.drain();
    finish();
    await drained;
    expect(responses.map(({ writableEnded }) => writableEnded)).toEqual([true]);
    expect((await delivery).status).toBe(200);
  });
});

const COUNT = 100;

it(`of ${COUNT} simultaneous deliveries over HTTP, one runs, the rest get 503 at once, and later all get 200`, async () => {
  let finish = () => {};
  let runs = 0;
  const { handler, reports } = createListener({
    on: {
      refund: () => {
        runs += 1;
        return new Promise<void>((resolve) => (finish = resolve));
      },
    },
  });
  const url = `${await listen(createServer(toNodeListener(handler)))}/${queries.refund}`;
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const statuses: number[] = [];
  const deliverAll = () =>
    Array.from({ length: COUNT }, async () => {
      const answer = await deliver(url, refundPayload(), { agent });
      expect(answer.status === 503).toBe(answer.headers['retry-after'] !== undefined);
      statuses.push(answer.status);
    });

  const first = deliverAll();
  // All but one are answered while the callback runs: no delivery waits for another.
  await expect.poll(() => statuses.length, { timeout: 10_000 }).toBe(COUNT - 1);
  expect(new Set(statuses)).toEqual(new Set([503]));
  expect(runs).toBe(1);
  finish();
  await Promise.all(first);
  expect(statuses.at(-1)).toBe(200);
  expect(reports.map(({ code }) => code)).toEqual(Array.from({ length: COUNT - 1 }, () => 'busy'));

  statuses.length = 0;
  await Promise.all(deliverAll());
  expect(statuses).toEqual(Array.from({ length: COUNT }, () => 200));
  expect(runs).toBe(1);
});

it('simultaneous deliveries about different subjects do not wait for each other', async () => {
  const running: (() => void)[] = [];
  const { handler } = createListener({
    on: { reversal: () => new Promise<void>((resolve) => void running.push(resolve)) },
  });
  const url = await listen(createServer(toNodeListener(handler)));
  const answers = Array.from({ length: 20 }, (_, index) =>
    deliver(url, { ...reversalPayload(), uuid: `v-${index}` }),
  );
  await expect.poll(() => running).toHaveLength(20);
  for (const finish of running) finish();
  expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([200]));
});
