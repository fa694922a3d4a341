import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { headers, openSandbox, order } from './helpers';

const checkout = '/v1.1/checkout/pix-automatic';

describe('a fault', () => {
  it('of kind latency delays the answer', async () => {
    const { sandbox, call } = await openSandbox();
    sandbox.fault('createRecurringCheckout', { kind: 'latency', ms: 150 });
    const started = performance.now();
    expect((await call('POST', checkout, order)).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThanOrEqual(145);
  });

  it('of kind latency carries out the operation even when the caller gives up waiting', async () => {
    const { sandbox, create, call } = await openSandbox();
    const { uuid } = await create();
    const id = sandbox.pay(uuid)[0]?.instructionId;
    sandbox.fault('cancelScheduledPayment', { kind: 'latency', ms: 5_000 });
    const path = `/v1.1/pix-automatic/scheduled-payments/${id}/cancel`;
    await expect(call('PUT', path, { reason: 'x' }, { signal: AbortSignal.timeout(200) })).rejects.toThrow(
      /timeout/,
    );
    await expect.poll(() => sandbox.scheduledPayments(uuid)[0]?.status).toBe('CANCELLED');
  });

  it('of kind status sends another answer, and nothing is carried out', async () => {
    const { sandbox, create, call, query } = await openSandbox();
    const { uuid } = await create();
    const id = sandbox.pay(uuid)[0]?.instructionId;
    const path = `/v1.1/pix-automatic/scheduled-payments/${id}/cancel`;
    sandbox.fault('cancelScheduledPayment', { kind: 'status', status: 429, headers: { 'retry-after': '2' } });
    const refused = await call('PUT', path, { reason: 'x' });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('2');
    expect(sandbox.scheduledPayments(uuid)[0]?.status).toBe('SCHEDULED');

    sandbox.fault('cancelScheduledPayment', {
      kind: 'status',
      status: 504,
      body: '<html>',
      takesEffect: true,
    });
    const lost = await call('PUT', path, { reason: 'x' });
    expect([lost.status, await lost.text()]).toEqual([504, '<html>']);
    expect(sandbox.scheduledPayments(uuid)[0]?.status).toBe('CANCELLED');
    expect((await query(uuid)).situation).toBe('PAID');
  });

  it.each([-1, 999] as const)(
    'of kind body-status answers 200 with the status %i in its body',
    async (status) => {
      const { sandbox, create, call } = await openSandbox();
      const { uuid } = await create();
      sandbox.fault('getTransaction', { kind: 'body-status', status });
      const answer = await call('GET', `/v1.1/transactions/${uuid}`);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toEqual({ status, message: `sandbox: status ${status}` });
    },
  );

  it('of kind reset-before-read breaks the connection, and nothing is carried out', async () => {
    const { sandbox, call, create } = await openSandbox({
      inventions: { repeatedReferenceCode: { httpStatus: 422, status: -1, message: 'used' } },
    });
    sandbox.fault('createRecurringCheckout', { kind: 'reset-before-read' });
    await expect(call('POST', checkout, order)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect((await create()).uuid).toBeDefined();
  });

  it('of kind reset-after-read breaks the connection, and the journey exists', async () => {
    const { sandbox, call } = await openSandbox({
      inventions: { repeatedReferenceCode: { httpStatus: 422, status: -1, message: 'used' } },
    });
    sandbox.fault('createRecurringCheckout', { kind: 'reset-after-read' });
    await expect(call('POST', checkout, order)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect((await call('POST', checkout, order)).status).toBe(422);
  });

  it('of kind close-after-answer closes the connection that its whole answer promised to keep', async () => {
    const { sandbox, create } = await openSandbox();
    const { uuid } = await create();
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

  it('of kind truncated-body sends half of the body, and then ends it', async () => {
    const { sandbox, call } = await openSandbox();
    sandbox.fault('createRecurringCheckout', { kind: 'truncated-body' });
    const answer = await call('POST', checkout, order);
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toMatchObject({ name: 'TypeError', message: 'terminated' });
  });

  it('of kind wrong-json sends a body that cannot be parsed', async () => {
    const { sandbox, call } = await openSandbox();
    sandbox.fault('createRecurringCheckout', { kind: 'wrong-json' });
    const answer = await call('POST', checkout, order);
    expect(answer.status).toBe(200);
    await expect(answer.json()).rejects.toThrow(SyntaxError);
  });

  it('comes as often as asked, in order, to its own operation', async () => {
    const { sandbox, create, call } = await openSandbox();
    const { uuid } = await create();
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

  it('is refused when its operation or kind is unknown, with the known ones in the message', async () => {
    const { sandbox } = await openSandbox();
    const unknown: (operation: string, kind: string) => () => void = (operation, kind) => () =>
      Reflect.apply(sandbox.fault, sandbox, [operation, { kind }]);
    expect(unknown('getTransactions', 'wrong-json')).toThrow(
      'operation: unknown value `getTransactions`, expected createRecurringCheckout or getTransaction or cancelScheduledPayment.',
    );
    expect(unknown('getTransaction', 'latencyy')).toThrow(/fault\.kind: unknown kind `latencyy`.*wrong-json/);
  });

  it('needs a status that HTTP knows, and a time that a timer can take', async () => {
    const { sandbox } = await openSandbox();
    const refusalWith = (text: string) =>
      expect.objectContaining({ name: 'SandboxError', message: expect.stringContaining(text) });
    expect(() => sandbox.fault('getTransaction', { kind: 'latency', ms: 2 ** 31 })).toThrow(
      refusalWith('timer'),
    );
    expect(() => sandbox.fault('getTransaction', { kind: 'stalled-body', times: 0 })).toThrow(
      refusalWith('1 or more'),
    );
    expect(() => sandbox.fault('getTransaction', { kind: 'status', status: 42 })).toThrow(
      refusalWith('200 to 599'),
    );
  });
});
