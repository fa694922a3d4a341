import { createServer } from 'node:net';
import type { SandboxOptions } from 'pix-automatic-sdk/sandbox';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SandboxLogEntry } from '../../../src/sandbox/log';
import { credentials, openJourney, openListener, openPaid, openSandbox, order } from '../helpers';

/** A sandbox that sends a payout to a listener with these statuses, of which the last one is repeated. */
async function openAnswering(statuses: number[], options: SandboxOptions = {}, headers = {}) {
  const listener = await openListener((response) =>
    response.writeHead((statuses.length > 1 ? statuses.shift() : statuses[0]) ?? 200, headers).end(),
  );
  const { sandbox } = await openSandbox({ webhookUrl: listener.url, ...options });
  sandbox.payOut({ amount: 1 });
  const attempts = () => sandbox.deliveries[0]?.attempts ?? [];
  /** The number and the status of each attempt, and how the delivery stands. */
  const trace = () => {
    const made = attempts().map(
      ({ number, manual, httpStatus }) => `${number}${manual ? ' by hand' : ''}: ${httpStatus}`,
    );
    return [...made, sandbox.deliveries[0]?.status].join(', ');
  };
  return { listener, sandbox, attempts, trace };
}

describe('delivery', () => {
  it('is tried six times, 200 ms apart, with the same body, and then abandoned', async () => {
    const { listener, sandbox, attempts, trace } = await openAnswering([500], { retryIntervalMs: 200 });
    await sandbox.idle();
    expect(trace()).toBe('1: 500, 2: 500, 3: 500, 4: 500, 5: 500, 6: 500, given-up');
    const starts = attempts().map(({ startedAt }) => Date.parse(startedAt));
    for (const [index, start] of starts.slice(1).entries()) {
      expect(start - (starts[index] ?? 0)).toBeGreaterThanOrEqual(195);
    }
    expect(new Set(listener.received.map(({ body }) => body)).size).toBe(1);
    expect(listener.received).toHaveLength(6);
  });

  it('is sent once more only when no attempt of it is on its way', async () => {
    let open = 0;
    let most = 0;
    const listener = await openListener((response) => {
      most = Math.max(most, ++open);
      setTimeout(() => {
        open--;
        response.end();
      }, 100);
    });
    const { sandbox } = await openSandbox({ webhookUrl: listener.url });
    sandbox.payOut({ amount: 1 });
    await Promise.all([sandbox.redeliver('delivery-1'), sandbox.redeliver('delivery-1')]);
    expect([listener.received.length, most]).toEqual([3, 1]);
  });

  it('goes to the present URL of the listener when it is sent once more', async () => {
    const [before, now] = [
      await openListener((response) => response.end()),
      await openListener((response) => response.end()),
    ];
    const { sandbox } = await openSandbox({ webhookUrl: before.url });
    sandbox.payOut({ amount: 1 });
    await sandbox.idle();
    sandbox.setWebhookUrl(now.url);
    await sandbox.redeliver('delivery-1');
    expect([before.received.length, now.received.length]).toEqual([1, 1]);
    expect(sandbox.deliveries[0]?.url).toBe(`${now.url}?payout=true&type=payout`);
    sandbox.setWebhookUrl(undefined);
    await sandbox.redeliver('delivery-1');
    expect(now.received).toHaveLength(2);
  });

  it('is kept while there is no URL, and then sent as any other, with its retries', async () => {
    const { sandbox, uuid } = await openPaid();
    expect(sandbox.deliveries).toMatchObject([{ status: 'not-sent', url: '', attempts: [] }]);
    await sandbox.idle();
    await expect(sandbox.redeliver('delivery-1')).rejects.toThrow('There is no listener URL to send it to');
    const statuses = [500, 200];
    const listener = await openListener((response) => response.writeHead(statuses.shift() ?? 200).end());
    sandbox.setWebhookUrl(listener.url);
    await sandbox.redeliver('delivery-1');
    await sandbox.idle();
    const attempts = [
      { number: 1, manual: false, httpStatus: 500 },
      { number: 2, manual: false, httpStatus: 200 },
    ];
    expect(sandbox.deliveries).toMatchObject([{ status: 'delivered', attempts }]);
    expect(listener.received[1]?.body).toContain(uuid);
  });

  it('ends with the first 200', async () => {
    const { sandbox, trace } = await openAnswering([503, 503, 200]);
    await sandbox.idle();
    expect(trace()).toBe('1: 503, 2: 503, 3: 200, delivered');
  });

  it.each([201, 202, 204, 302, 400])('counts %i as a failure, and follows no redirect', async (status) => {
    const location = status === 302 ? { location: '/elsewhere' } : {};
    const { listener, sandbox } = await openAnswering([status], { retryIntervalMs: 5 }, location);
    await sandbox.idle();
    expect(sandbox.deliveries[0]?.status).toBe('given-up');
    expect(listener.received.map(({ url }) => url)).toEqual(Array(6).fill('/hooks?payout=true&type=payout'));
  });

  it.each([
    ['with an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', 101],
    ['without an upgrade', 'HTTP/1.1 101 Switching Protocols\r\n\r\n', 101],
    ['by closing before its answer', '', undefined],
  ])('has an end when the listener answers 101 %s', async (_how, answer, httpStatus) => {
    const listener = createServer((socket) => {
      socket.on('error', () => {}).once('data', () => (answer === '' ? socket.end() : socket.write(answer)));
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void listener.close());
    const webhookUrl = `http://127.0.0.1:${Reflect.get(listener.address() ?? {}, 'port')}/`;
    const { sandbox } = await openSandbox({ webhookUrl, retryIntervalMs: 60_000 });
    sandbox.payOut({ amount: 1 });
    expect(await sandbox.redeliver('delivery-1')).toMatchObject({ httpStatus });
    await sandbox.close();
    await sandbox.idle();
  });

  it('counts a timeout and a refused connection as failures', async () => {
    const silent = await openListener(() => {});
    const options = { webhookUrl: silent.url, retryIntervalMs: 5, inventions: { deliveryTimeoutMs: 250 } };
    const { sandbox } = await openSandbox(options);
    sandbox.payOut({ amount: 1 });
    sandbox.setWebhookUrl('http://127.0.0.1:1/');
    sandbox.notify({});
    await sandbox.idle();
    const errors = sandbox.deliveries.map(({ attempts }) => attempts.map(({ error }) => error));
    expect(errors).toEqual([Array(6).fill('timeout'), Array(6).fill('ECONNREFUSED')]);
    expect(sandbox.deliveries[0]?.attempts[0]?.durationMs).toBeGreaterThanOrEqual(245);
  });

  it('can be repeated by hand, which cancels the retry that was waiting', async () => {
    const { listener, sandbox, attempts, trace } = await openAnswering([500, 200], {
      retryIntervalMs: 60_000,
    });
    await expect.poll(() => attempts()).toHaveLength(1);
    await sandbox.redeliver('delivery-1');
    await sandbox.idle();
    expect(trace()).toBe('1: 500, 2 by hand: 200, delivered');
    await sandbox.redeliver('delivery-1');
    expect(trace()).toBe('1: 500, 2 by hand: 200, 3 by hand: 200, delivered');
    expect(new Set(listener.received.map(({ body }) => body)).size).toBe(1);
  });

  it('succeeds for a thousand notifications at once', async () => {
    const listener = await openListener();
    const { sandbox } = await openSandbox({ webhookUrl: listener.url });
    for (let index = 0; index < 1_000; index++) sandbox.notify({ index });
    await sandbox.idle();
    expect(sandbox.deliveries.filter(({ status }) => status === 'delivered')).toHaveLength(1_000);
    // A thousand connections take their time on a busy machine.
  }, 60_000);
});

describe('the log', () => {
  it('has requests and attempts, and no credentials', async () => {
    const entries: SandboxLogEntry[] = [];
    const listener = await openListener();
    const { sandbox, call } = await openPaid({
      webhookUrl: `${listener.url}?token=${credentials.apiToken}`,
      log: (entry) => entries.push(entry),
    });
    await call('GET', `/v1.1/transactions/${credentials.apiToken}?key=${credentials.apiKey}`);
    await sandbox.idle();
    await expect.poll(() => entries).toHaveLength(3);
    expect(entries[0]).toMatchObject({ type: 'request', operation: 'createRecurringCheckout', status: 200 });
    const attempt = expect.objectContaining({ number: 1, httpStatus: 200 });
    expect(entries).toContainEqual(expect.objectContaining({ type: 'delivery', attempt }));
    const text = JSON.stringify([entries, sandbox.deliveries]);
    expect(text).toContain('?token=***');
    for (const secret of [credentials.apiKey, credentials.apiToken, 'Basic'])
      expect(text).not.toContain(secret);
  });

  it('has what a person does, with the order, and refusals, but not what the page and the lists read', async () => {
    const entries: SandboxLogEntry[] = [];
    const { sandbox, call, uuid } = await openJourney({ log: (entry) => entries.push(entry) });
    const reads = [
      '/',
      '/sandbox',
      '/sandbox/transactions',
      '/sandbox/page/setup',
      '/sandbox/page/journeys?page=1',
    ];
    for (const path of [...reads, `/sandbox/qr-codes/${uuid}.png`])
      expect((await call('GET', path)).status, path).toBe(path === '/' ? 401 : 200);
    await call('POST', `/sandbox/transactions/${uuid}/pay`);
    await call('POST', `/sandbox/transactions/${uuid}/pay`);
    await call('GET', '/sandboxes');
    await expect.poll(() => entries).toHaveLength(5);
    expect(
      entries.map(
        (entry) =>
          entry.type === 'request' && [entry.path.replace(uuid, 'ID'), entry.status, entry.referenceCode],
      ),
    ).toEqual([
      ['/v1.1/checkout/pix-automatic', 200, 'order-1'],
      ['/', 401, undefined],
      ['/sandbox/transactions/ID/pay', 200, 'order-1'],
      ['/sandbox/transactions/ID/pay', 409, 'order-1'],
      ['/sandboxes', 404, undefined],
    ]);
    expect(sandbox.transactions).toHaveLength(1);
  });

  it('names the fields of a request that the document does not have, without a value or a credential', async () => {
    const entries: SandboxLogEntry[] = [];
    const { create } = await openSandbox({ log: (entry) => entries.push(entry) });
    const shopper = { ...order.shopper, docment: 'of-ana', [credentials.apiKey]: 1 };
    await create({ ...order, shopper });
    await expect.poll(() => entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({ unknownFields: ['shopper.docment', 'shopper.***'] });
    expect(JSON.stringify(entries)).not.toContain('of-ana');
    await create(order);
    await expect.poll(() => entries).toHaveLength(2);
    expect(entries[1]).not.toHaveProperty('unknownFields');
  });

  it('names the fields whose value the service may refuse, without the value', async () => {
    const entries: SandboxLogEntry[] = [];
    const { create } = await openSandbox({ log: (entry) => entries.push(entry) });
    const document = { type: 'CPF', number: '52998224726' };
    await create({ ...order, shopper: { ...order.shopper, document }, maxAge: 1_800_000 });
    await expect.poll(() => entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({ doubtfulValues: ['maxAge', 'shopper.document.number'] });
    expect(JSON.stringify(entries)).not.toContain(document.number);
  });

  it('changes nothing when its writer throws', async () => {
    const listener = await openListener();
    const log = () => {
      throw new Error('log');
    };
    const { sandbox } = await openPaid({ webhookUrl: listener.url, log });
    await sandbox.idle();
    expect(sandbox.deliveries[0]?.status).toBe('delivered');
  });
});

it('close ends the deliveries and calls in progress, and waits for no retry', async () => {
  const silent = await openListener(() => {});
  const { sandbox, call } = await openSandbox({ webhookUrl: silent.url, retryIntervalMs: 60_000 });
  sandbox.fault('getTransaction', { kind: 'latency', ms: 60_000 });
  const hanging = call('GET', '/v1.1/transactions/x').catch((error: unknown) => error);
  sandbox.notify({ hanging: true });
  sandbox.setWebhookUrl('http://127.0.0.1:1/');
  sandbox.notify({ waiting: true });
  await expect.poll(() => sandbox.deliveries[1]?.attempts).toHaveLength(1);

  await sandbox.close();
  await sandbox.close();
  expect(await hanging).toBeInstanceOf(TypeError);
  await sandbox.idle();
  await expect(fetch(sandbox.url)).rejects.toThrow();
  sandbox.notify({ late: true });
  expect(sandbox.deliveries).toHaveLength(2);
});

describe('a notification of your own that quotes credentials', () => {
  const quoting = ({ apiKey, apiToken }: typeof credentials) => {
    const header = `Basic ${btoa(`${apiKey}:${apiToken}`)}`;
    return { a: [`key ${apiKey}`, { [apiToken]: apiToken }], header, n: 1, none: null };
  };

  it.each([credentials, { apiKey: '12345678', apiToken: 'quote"back\\slash' }])(
    'is sent as it is, and shown without them: pair %#',
    async (pair) => {
      const listener = await openListener();
      const { sandbox } = await openSandbox({ webhookUrl: listener.url, credentials: pair });
      const payload = { ...quoting(pair), number: Number(pair.apiKey) || 0 };
      sandbox.notify(payload);
      await sandbox.idle();
      const shown = { a: ['key ***', { '***': '***' }], header: 'Basic ***', n: 1, none: null };
      expect(sandbox.deliveries[0]?.payload).toMatchObject(shown);
      const headers = { 'x-api-key': pair.apiKey, 'x-api-token': pair.apiToken };
      const secrets = [pair.apiKey, JSON.stringify(pair.apiToken).slice(1, -1)];
      for (const path of ['/sandbox/deliveries', '/sandbox/page/deliveries/delivery-1']) {
        const text = await (await fetch(sandbox.url + path, { headers })).text();
        expect(text).toContain('Basic ***');
        for (const secret of secrets) expect(text).not.toContain(secret);
      }
      // The page's events say only that something changed: no body is in them.
      const events = await fetch(`${sandbox.url}/sandbox/events`, { headers });
      const first = Buffer.from((await events.body?.getReader().read())?.value ?? []).toString();
      expect(first).toMatch(/^data: /);
      for (const text of ['Basic', 'key ***', pair.apiKey]) expect(first).not.toContain(text);
      await sandbox.redeliver('delivery-1');
      expect(listener.received.map(({ body }) => JSON.parse(body))).toEqual([payload, payload]);
    },
  );

  it('is shown as it is when the pair is the default one, which is no secret', async () => {
    const listener = await openListener();
    const { sandbox } = await openSandbox({ webhookUrl: listener.url, credentials: undefined });
    sandbox.notify(quoting(sandbox.credentials));
    expect(sandbox.deliveries[0]?.payload).toEqual(quoting(sandbox.credentials));
  });
});
