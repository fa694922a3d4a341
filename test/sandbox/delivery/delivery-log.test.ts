import { type AddressInfo, createServer } from 'node:net';
import { ConfigurationError } from 'pix-automatic-sdk';
import { type SandboxOptions, startSandbox } from 'pix-automatic-sdk/sandbox';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { SandboxLogEntry } from '../../../src/sandbox/log';
import { credentials, openListener, openPaid, openSandbox } from '../helpers';

/** A sandbox with a listener that answers with these statuses, and then repeats the last one. */
async function openAnswering(statuses: number[], options: SandboxOptions = {}) {
  const listener = await openListener((_request, response) =>
    response.writeHead((statuses.length > 1 ? statuses.shift() : statuses[0]) ?? 200).end(),
  );
  const { sandbox } = await openSandbox({ webhookUrl: listener.url, ...options });
  return { listener, sandbox };
}

describe('delivery', () => {
  it('is tried six times, 200 ms apart, and then abandoned', async () => {
    const { listener, sandbox } = await openAnswering([500], { retryIntervalMs: 200 });
    sandbox.payOut({ amount: 1 });
    await sandbox.idle();
    const [delivery] = sandbox.deliveries;
    expect(delivery).toMatchObject({ kind: 'payout', status: 'given-up' });
    const attempts = delivery?.attempts ?? [];
    expect(attempts.map(({ number, httpStatus }) => [number, httpStatus])).toEqual(
      [1, 2, 3, 4, 5, 6].map((number) => [number, 500]),
    );
    const starts = attempts.map(({ startedAt }) => Date.parse(startedAt));
    for (const [index, start] of starts.slice(1).entries()) {
      expect(start - (starts[index] ?? 0)).toBeGreaterThanOrEqual(195);
    }
    expect(new Set(listener.received.map(({ body }) => body)).size).toBe(1);
    expect(listener.received).toHaveLength(6);
  });

  it('is sent once more only when no attempt of it is on its way', async () => {
    let open = 0;
    let most = 0;
    const listener = await openListener((_request, response) => {
      most = Math.max(most, ++open);
      setTimeout(() => {
        open--;
        response.writeHead(200).end();
      }, 100);
    });
    const { sandbox } = await openSandbox({ webhookUrl: listener.url });
    sandbox.payOut({ amount: 1 });
    await Promise.all([sandbox.redeliver('delivery-1'), sandbox.redeliver('delivery-1')]);
    expect(listener.received).toHaveLength(3);
    expect(most).toBe(1);
  });

  it('ends with the first 200', async () => {
    const { sandbox } = await openAnswering([503, 503, 200]);
    sandbox.payOut({ amount: 1 });
    await sandbox.idle();
    expect(sandbox.deliveries[0]?.status).toBe('delivered');
    expect(sandbox.deliveries[0]?.attempts.map(({ httpStatus }) => httpStatus)).toEqual([503, 503, 200]);
  });

  it.each([201, 202, 204, 302, 400])('counts %i as a failure, and follows no redirect', async (status) => {
    const listener = await openListener((_request, response) =>
      response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end(),
    );
    const { sandbox } = await openSandbox({ webhookUrl: listener.url, retryIntervalMs: 5 });
    sandbox.payOut({ amount: 1 });
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
    const { port } = listener.address() as AddressInfo;
    const { sandbox } = await openSandbox({
      webhookUrl: `http://127.0.0.1:${port}/`,
      retryIntervalMs: 60_000,
    });
    sandbox.payOut({ amount: 1 });
    const [delivery] = sandbox.deliveries;
    expect(await sandbox.redeliver(delivery?.id ?? '')).toMatchObject({ httpStatus });
    await sandbox.close();
    await sandbox.idle();
  });

  it('counts a timeout and a refused connection as failures', async () => {
    const silent = await openListener(() => {});
    const { sandbox } = await openSandbox({
      webhookUrl: silent.url,
      retryIntervalMs: 5,
      inventions: { deliveryTimeoutMs: 250 },
    });
    sandbox.payOut({ amount: 1 });
    sandbox.setWebhookUrl('http://127.0.0.1:1/');
    sandbox.notify({});
    await sandbox.idle();
    const errors = sandbox.deliveries.map(({ attempts }) => attempts.map(({ error }) => error));
    expect(errors).toEqual([Array(6).fill('timeout'), Array(6).fill('ECONNREFUSED')]);
    expect(sandbox.deliveries[0]?.attempts[0]?.durationMs).toBeGreaterThanOrEqual(245);
  });

  it('can be repeated by hand', async () => {
    const { listener, sandbox } = await openAnswering([500, 200], { retryIntervalMs: 60_000 });
    sandbox.payOut({ amount: 1 });
    await vi.waitFor(() => expect(sandbox.deliveries[0]?.attempts).toHaveLength(1));
    const id = sandbox.deliveries[0]?.id ?? '';
    expect(await sandbox.redeliver(id)).toMatchObject({ number: 2, manual: true, httpStatus: 200 });
    // The retry that was waiting is cancelled.
    await sandbox.idle();
    expect(sandbox.deliveries[0]?.status).toBe('delivered');
    await sandbox.redeliver(id);
    expect(new Set(listener.received.map(({ body }) => body)).size).toBe(1);
    expect(listener.received).toHaveLength(3);
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
    await vi.waitFor(() => expect(entries).toHaveLength(3));
    expect(entries[0]).toMatchObject({ type: 'request', operation: 'createRecurringCheckout', status: 200 });
    const text = JSON.stringify([entries, sandbox.deliveries]);
    expect(text).toContain('?token=***');
    expect(text).not.toContain(credentials.apiKey);
    expect(text).not.toContain(credentials.apiToken);
    expect(text).not.toContain('Basic');
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

describe('close', () => {
  it('ends the deliveries in progress, and waits for no retry', async () => {
    const silent = await openListener(() => {});
    const { sandbox } = await openSandbox({ webhookUrl: silent.url, retryIntervalMs: 60_000 });
    sandbox.fault('getTransaction', { kind: 'latency', ms: 60_000 });
    const call = fetch(`${sandbox.url}/v1.1/transactions/x`).catch((error: unknown) => error);
    sandbox.notify({ hanging: true });
    sandbox.setWebhookUrl('http://127.0.0.1:1/');
    sandbox.notify({ waiting: true });
    await vi.waitFor(() => expect(sandbox.deliveries[1]?.attempts).toHaveLength(1));

    await sandbox.close();
    await sandbox.close();
    expect(await call).toBeInstanceOf(TypeError);
    await sandbox.idle();
    await expect(fetch(sandbox.url)).rejects.toThrow();
    sandbox.notify({ late: true });
    expect(sandbox.deliveries).toHaveLength(2);
  });

  it('frees the port', async () => {
    const { sandbox } = await openSandbox();
    const port = Number(new URL(sandbox.url).port);
    await sandbox.close();
    const server = createServer();
    await new Promise<void>((resolve, reject) =>
      server.once('error', reject).listen(port, '127.0.0.1', resolve),
    );
    server.close();
  });
});

describe('a notification of your own that quotes credentials', () => {
  const quoting = ({ apiKey, apiToken }: typeof credentials) => {
    const basic = Buffer.from(`${apiKey}:${apiToken}`).toString('base64');
    return { a: [`key ${apiKey}`, { [apiToken]: apiToken }], header: `Basic ${basic}`, n: 1, none: null };
  };

  it.each([credentials, { apiKey: '12345678', apiToken: 'quote"back\\slash' }])(
    'is sent as it is, and shown without them: pair %#',
    async (pair) => {
      const listener = await openListener();
      const { sandbox } = await openSandbox({ webhookUrl: listener.url, credentials: pair });
      const payload = { ...quoting(pair), number: Number(pair.apiKey) || 0 };
      sandbox.notify(payload);
      await sandbox.idle();
      expect(JSON.parse(listener.received[0]?.body ?? '')).toEqual(payload);
      const headers = { 'x-api-key': pair.apiKey, 'x-api-token': pair.apiToken };
      const textOf = async (path: string) => (await fetch(sandbox.url + path, { headers })).text();
      const shown = { a: ['key ***', { '***': '***' }], header: 'Basic ***', n: 1, none: null };
      expect(sandbox.deliveries[0]?.payload).toMatchObject(shown);
      for (const path of ['/sandbox/deliveries', '/sandbox/page/deliveries/delivery-1']) {
        const text = await textOf(path);
        expect(text).toContain('Basic ***');
        expect(text).not.toContain(pair.apiKey);
        expect(text).not.toContain(JSON.stringify(pair.apiToken).slice(1, -1));
      }
      // The page's events say only that something changed: no body is in them.
      const events = await fetch(`${sandbox.url}/sandbox/events`, { headers });
      const first = Buffer.from((await events.body?.getReader().read())?.value ?? []).toString();
      expect(first).toMatch(/^data: /);
      for (const text of ['Basic', 'key ***', pair.apiKey]) expect(first).not.toContain(text);
      await sandbox.redeliver('delivery-1');
      expect(JSON.parse(listener.received[1]?.body ?? '')).toEqual(payload);
    },
  );

  it('is shown as it is when the pair is the default one, which is no secret', async () => {
    const listener = await openListener();
    const { sandbox } = await openSandbox({ webhookUrl: listener.url, credentials: undefined });
    sandbox.notify(quoting(sandbox.credentials));
    await sandbox.idle();
    expect(sandbox.deliveries[0]?.payload).toEqual(quoting(sandbox.credentials));
  });
});

describe('startSandbox', () => {
  it('needs no options', async () => {
    const sandbox = await startSandbox();
    expect(sandbox.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(sandbox.credentials.apiKey).not.toBe('');
    await sandbox.close();
  });

  it.each([
    { retryIntervalMs: -1 },
    { retryIntervalMs: 2 ** 31 },
    { retryIntervalMs: Number.NaN },
    { publicUrl: 'sandbox.example' },
    { publicUrl: 'http://' },
    { credentials: { apiKey: 'a:b', apiToken: 'token' } },
    { webhookUrl: '/hooks' },
    { webhookUrl: 'ftp://merchant.example' },
    { webhookUrl: 'http://key:token@127.0.0.1/' },
  ])('refuses the invalid options %j', async (options) => {
    await expect(startSandbox(options)).rejects.toThrow(ConfigurationError);
  });

  it('has a URL that reaches it, whatever address it listens on', async () => {
    const { sandbox } = await openSandbox({ host: '0.0.0.0' });
    expect(sandbox.url).toMatch(/^http:\/\/127\.0\.0\.1:/);
    expect((await fetch(`${sandbox.url}/sandbox`)).status).toBe(200);
  });

  it('rejects on a port that is taken', async () => {
    const { sandbox } = await openSandbox();
    await expect(startSandbox({ port: Number(new URL(sandbox.url).port) })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });
});
