import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { SandboxError } from 'pix-automatic-sdk/sandbox';
import { describe, expect, it } from 'vitest';
import { headers, openJourney, openPaid, openSandbox, order } from './helpers';

const checkout = '/v1.1/checkout/pix-automatic';

describe('a fault', () => {
  it('of kind latency delays the answer', async () => {
    const { sandbox, call } = await openSandbox();
    sandbox.fault('createRecurringCheckout', { kind: 'latency', ms: 150 });
    const started = performance.now();
    expect((await call('POST', checkout, order)).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThanOrEqual(145);
  });

  it('of kind status sends another answer, and carries the operation out only where it says so', async () => {
    const { sandbox, call, uuid, payments } = await openPaid();
    const path = `/v1.1/pix-automatic/scheduled-payments/${payments[0]}/cancel`;
    sandbox.fault('cancelScheduledPayment', { kind: 'status', status: 429, headers: { 'retry-after': '2' } });
    const refused = await call('PUT', path, { reason: 'x' });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('2');
    expect(sandbox.scheduledPayments(uuid)[0]?.status).toBe('SCHEDULED');

    const lostAnswer = { kind: 'status', status: 504, body: '<html>', takesEffect: true } as const;
    sandbox.fault('cancelScheduledPayment', lostAnswer);
    const lost = await call('PUT', path, { reason: 'x' });
    expect([lost.status, await lost.text()]).toEqual([504, '<html>']);
    expect(sandbox.scheduledPayments(uuid)[0]?.status).toBe('CANCELLED');
  });

  it.each([-1, 999] as const)(
    'of kind body-status answers 200 with the status %i in its body',
    async (status) => {
      const { sandbox, uuid, call } = await openJourney();
      sandbox.fault('getTransaction', { kind: 'body-status', status });
      const answer = await call('GET', `/v1.1/transactions/${uuid}`);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toEqual({ status, message: `sandbox: status ${status}` });
    },
  );

  it.each([
    ['reset-before-read', 'does not exist', 200],
    ['reset-after-read', 'exists', 422],
  ] as const)('of kind %s breaks the connection, and the journey %s', async (kind, _exists, status) => {
    const repeatedReferenceCode = { httpStatus: 422, status: -1, message: 'used' };
    const { sandbox, call } = await openSandbox({ inventions: { repeatedReferenceCode } });
    sandbox.fault('createRecurringCheckout', { kind });
    await expect(call('POST', checkout, order)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect((await call('POST', checkout, order)).status).toBe(status);
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

  it('of kind stalled-body sends half of the body, and then nothing', async () => {
    const { sandbox, call } = await openSandbox();
    sandbox.fault('createRecurringCheckout', { kind: 'stalled-body' });
    const stop = new AbortController();
    const answer = await call('POST', checkout, order, { signal: stop.signal });
    expect(answer.status).toBe(200);
    // From here on, so that a busy machine's headers may take their time.
    setTimeout(() => stop.abort(), 300);
    await expect(answer.text()).rejects.toMatchObject({ name: 'AbortError' });
  });

  it.each([
    ['truncated-body', 'ends after half of it', 'text', { name: 'TypeError', message: 'terminated' }],
    ['wrong-json', 'cannot be parsed', 'json', { name: 'SyntaxError' }],
  ] as const)('of kind %s sends a body that %s', async (kind, _what, read, failure) => {
    const { sandbox, call } = await openSandbox();
    sandbox.fault('createRecurringCheckout', { kind });
    const answer = await call('POST', checkout, order);
    expect(answer.status).toBe(200);
    await expect(answer[read]()).rejects.toMatchObject(failure);
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
    expect((await call('POST', checkout, order)).status).toBe(200);
    expect((await call('GET', '/v1.1/transactions/x')).status).toBe(502);
    expect(() => Reflect.apply(sandbox.clearFaults, sandbox, ['getTransactions'])).toThrow(
      /unknown value `getTransactions`/,
    );
  });

  it.each([
    [
      'getTransactions',
      { kind: 'wrong-json' },
      'operation: unknown value `getTransactions`, expected createRecurringCheckout or getTransaction or cancelScheduledPayment.',
    ],
    ['getTransaction', { kind: 'latencyy' }, /fault\.kind: unknown kind `latencyy`.*wrong-json/],
    ['getTransaction', { kind: 'latency', ms: 2 ** 31 }, 'timer'],
    ['getTransaction', { kind: 'stalled-body', times: 0 }, '1 or more'],
    ['getTransaction', { kind: 'status', status: 42 }, '200 to 599'],
  ])('of %s is refused, with what is expected in the message: %j', async (operation, fault, message) => {
    const { sandbox } = await openSandbox();
    const refused = () => Reflect.apply(sandbox.fault, sandbox, [operation, fault]);
    expect(refused).toThrow(SandboxError);
    expect(refused).toThrow(message);
  });
});
