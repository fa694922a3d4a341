import { PaymentsClient } from 'pix-automatic-sdk';
import { describe, expect, it } from 'vitest';
import { order } from '../../sandbox/helpers';
import { startRecorder } from '../listeners';
import { credentials, environment, printed, runCliProcess, startCli } from '../run-cli';

const headers = {
  'x-api-key': credentials.apiKey,
  'x-api-token': credentials.apiToken,
  'content-type': 'application/json',
};

/** A sandbox on any port, once it has printed this. */
async function startWith(args: string[], pattern: RegExp, env?: Record<string, string>) {
  const cli = await startCli(['sandbox', '--port', '0', ...args], env);
  const [match] = await printed(cli, pattern);
  const end = (signal?: NodeJS.Signals) => {
    cli.child.kill(signal);
    return cli.ended;
  };
  return { ...cli, match, end };
}

async function start(...args: string[]) {
  const { match: url, ...cli } = await startWith(args, /http:\/\/127\.0\.0\.1:\d+/);
  const client = new PaymentsClient({ baseUrl: url, ...credentials });
  const pay = async () => {
    const { response } = await client.createRecurringCheckout({ ...order, amount: order.amount });
    await fetch(`${url}/sandbox/transactions/${response.uuid}/pay`, { method: 'POST', headers });
    return response.uuid;
  };
  return { ...cli, url, pay };
}

describe.concurrent('sandbox', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'says how to use it, and ends with status 0 on %s',
    async (signal) => {
      const { end, url } = await start();
      const { status, stdout, stderr } = await end(signal);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toContain(`PAYMENTS_BASE_URL=${url}`);
      expect(stdout).toContain(`npx pix-automatic-sdk pay --sandbox ${url}`);
      expect(stdout).toMatch(/Stopped\.\n$/);
    },
  );

  it.each([
    ['0.0.0.0', true],
    ['127.0.0.1', false],
    ['::1', false],
  ])('warns with --host %s that it is open to the network: %s', async (host, isOpen) => {
    const env = { PAYMENTS_API_KEY: 'a-key-of-mine', PAYMENTS_API_TOKEN: 'a-token-of-mine' };
    const { end } = await startWith(['--host', host], /Ctrl\+C ends it/, env);
    const { stdout } = await end();
    expect(stdout.includes(`open to the network, because of --host ${host}`)).toBe(isOpen);
    expect(stdout.includes('open to the network')).toBe(isOpen);
  });

  it('prints, for people, requests and every delivery attempt up to the last', async () => {
    const listener = await startRecorder(500);
    const cli = await start('--webhook-url', listener.url, '--retry-interval', '10');
    const uuid = await cli.pay();
    await printed(cli, /payment delivery-1 .*given up/);
    await printed(cli, /recurrence AUTHORIZED delivery-2 .*given up/);
    const { stdout } = await cli.end();
    expect(stdout).toMatch(
      /^\d\d:\d\d:\d\d {2}POST \/v1\.1\/checkout\/pix-automatic {2}200 {2}\d+ ms {2}order-1 [\w-]{36}$/m,
    );
    expect(stdout).toContain(`POST /sandbox/transactions/${uuid}/pay  200`);
    const attempts = stdout.match(/→ payment delivery-1 {2}attempt \d {2}HTTP 500 {2}\d+ ms {2}.*/g) ?? [];
    expect(attempts).toHaveLength(6);
    expect(attempts[0]).toMatch(/next attempt in 0\.01 s {2}see your listener's log {2}order-1 [\w-]{36}$/);
    expect(attempts[5]).toMatch(/given up {2}see your listener's log {2}order-1 [\w-]{36}$/);
    expect(stdout).toMatch(
      /→ recurrence AUTHORIZED delivery-2 {2}attempt 6 {2}HTTP 500 .*given up .* order-1$/m,
    );
    expect(listener.received).toHaveLength(12);
  });

  it('prints the same as NDJSON with --json, without payloads', async () => {
    const listener = await startRecorder(200);
    const cli = await start('--json', '--webhook-url', listener.url);
    await cli.pay();
    await printed(cli, /"type":"delivery"/);
    const { stdout } = await cli.end();
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toEqual({ type: 'started', url: cli.url, credentials: 'environment' });
    expect(lines.at(-1)).toEqual({ type: 'stopped' });
    const created = { type: 'request', operation: 'createRecurringCheckout', referenceCode: 'order-1' };
    expect(lines).toContainEqual(expect.objectContaining(created));
    expect(lines.find(({ type }) => type === 'delivery')).toEqual({
      time: expect.any(String),
      type: 'delivery',
      delivery: { id: 'delivery-1', kind: 'payment', url: listener.url, status: 'delivered' },
      attempt: expect.objectContaining({ number: 1, httpStatus: 200 }),
      uuid: expect.stringMatching(/^[\w-]{36}$/),
      referenceCode: 'order-1',
    });
    expect(stdout).not.toContain(order.shopper.email);
  });

  it('refuses a control call that would send notifications over plain http to another machine', async () => {
    const { url, end } = await start();
    const put = async (webhookUrl: string, language = 'en') => {
      const init = { method: 'PUT', headers: { ...headers, 'accept-language': language } };
      const body = JSON.stringify({ webhookUrl });
      const answer = await fetch(`${url}/sandbox/webhook-url`, { ...init, body });
      return `${answer.status} ${await answer.text()}`;
    };
    const plain = 'http://merchant.example/webhooks';
    expect(await put(plain)).toMatch(
      /^400 .*Expected `webhookUrl` to be an https URL.*--allow-insecure-http/,
    );
    expect(await put(plain, 'pt-BR')).toMatch(/^400 .*`webhookUrl` precisa ser uma URL https.*--allow-ins/);
    expect(await put('https://merchant.example/webhooks')).toMatch(/^200 /);
    await end();
  });

  it('prints its own pair, which is no secret, when the environment has none', async () => {
    const { end } = await startWith([], /PAYMENTS_API_TOKEN=sandbox-api-token/, {});
    expect((await end()).status).toBe(0);
  });

  it.each([
    ['--host', '0.0.0.0'],
    ['--public-url', 'https://sandbox.example'],
  ])('does not start with its own pair where others reach it: %s %s', async (...reached) => {
    const { status, stderr } = await runCliProcess(['sandbox', '--port', '0', ...reached], {});
    expect([status, stderr]).toEqual([2, expect.stringContaining('PAYMENTS_API_KEY')]);
  });

  it('takes the port of PAYMENTS_BASE_URL on this machine, and of no other address', async () => {
    const { url } = await startRecorder(200);
    const { status, stderr } = await runCliProcess(['sandbox'], { ...environment, PAYMENTS_BASE_URL: url });
    // The recorder has that port.
    expect({ status, isTaken: stderr.includes('Something else uses the port') }).toEqual({
      status: 1,
      isTaken: true,
    });
    const { port } = new URL(url);
    const elsewhere = { ...environment, PAYMENTS_BASE_URL: `https://merchant.example:${port}` };
    const { match, end } = await startWith([], /http:\/\/127\.0\.0\.1:\d+/, elsewhere);
    expect(match).not.toContain(port);
    await end();
  });

  it('marks the fields of a request that the document does not have', async ({ expect }) => {
    const { url, end, output } = await start();
    const body = JSON.stringify({ ...order, shoper: {} });
    await fetch(`${url}/v1.1/checkout/pix-automatic`, { method: 'POST', headers, body });
    await expect.poll(() => output.stdout).toContain('the document does not have: shoper');
    await end();
  });

  it('ends with status 1 and says that its port is taken', async () => {
    const { url } = await startRecorder(200);
    const { status, stderr } = await runCliProcess(['sandbox', '--port', new URL(url).port]);
    expect(status).toBe(1);
    expect(stderr).toContain('Something else uses the port');
  });
});
