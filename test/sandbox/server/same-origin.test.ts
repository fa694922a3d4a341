import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { ConfigurationError } from 'pix-automatic-sdk';
import { type SandboxOptions, startSandbox } from 'pix-automatic-sdk/sandbox';
import { describe, expect, it } from 'vitest';
import { credentials, headers, openSandbox } from '../helpers';

/** A request as a browser or an attacker writes it, because `fetch` would not set these headers. */
async function raw(url: string, method: string, path: string, headers: Record<string, string>, body = '') {
  const { hostname, port } = new URL(url);
  const outgoing = request({ hostname, port, method, path, headers }).end(body);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

async function open(options: SandboxOptions = {}) {
  const { sandbox, create } = await openSandbox(options);
  const { uuid } = await create();
  const { host, port } = new URL(sandbox.url);
  const send = (method: string, path: string, sent: Record<string, string>, body?: string) =>
    raw(sandbox.url, method, path, { host, ...sent }, body);
  const statusOf = async (...sent: Parameters<typeof send>) => (await send(...sent)).status;
  return { sandbox, uuid, host, port, send, statusOf, pay: `/sandbox/transactions/${uuid}/pay` };
}

const pair = btoa(`${credentials.apiKey}:${credentials.apiToken}`);
const signedIn = { authorization: `Basic ${pair}` };

/** Opens the page as its owner does, and returns the token that comes with it. */
async function openPage({ send }: Pick<Awaited<ReturnType<typeof open>>, 'send'>) {
  const page = await send('GET', '/', signedIn);
  const token = /<meta name="sandbox-page" content="([\w-]{43})">/.exec(page.body)?.[1] ?? '';
  return { page, token };
}

describe('a Host header', () => {
  const publicUrl = 'https://sandbox.example/base';

  it.each<[name: string, options?: SandboxOptions]>([
    ['127.0.0.1'],
    ['localhost'],
    ['[::1]'],
    ['127.9.9.9'],
    ['sandbox.example', { publicUrl }],
  ])('is answered for loopback and the public URL: %s', async (name, options) => {
    const { statusOf, uuid, port } = await open(options);
    const sent = { ...headers, host: `${name}:${port}` };
    expect(await statusOf('GET', `/v1.1/transactions/${uuid}`, sent)).toBe(200);
  });

  it.each<[name: string, options?: SandboxOptions]>([
    ['attacker.example'],
    ['localhost.attacker.example'],
    // A name server may resolve it to any host.
    ['evil.localhost'],
    ['evillocalhost'],
    ['127.0.0.1.attacker.example'],
    ['169.254.169.254'],
    ['a@127.0.0.1'],
    ['10.0.0.1'],
    ['other.example', { publicUrl }],
  ])('is refused with 421, even with the credentials, as after DNS rebinding: %s', async (name, options) => {
    const { statusOf, sandbox, port, pay } = await open(options);
    const sent = { ...headers, host: `${name}:${port}` };
    expect(await statusOf('GET', '/sandbox/deliveries', sent)).toBe(421);
    expect(await statusOf('POST', pay, sent)).toBe(421);
    expect(await statusOf('GET', '/', sent)).toBe(421);
    expect(sandbox.transactions[0]?.situation).toBe('PENDING');
  });
});

describe('a request from a web page', () => {
  const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  const attacks: readonly [string, Record<string, string>][] = [
    ['with its Origin', { origin: 'https://attacker.example' }],
    ['of another port of this machine', { origin: 'http://127.0.0.1:1' }],
    ['from a sandboxed frame', { origin: 'null' }],
    ['marked cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['marked same-site', { 'sec-fetch-site': 'same-site' }],
    ['that navigates', link],
  ];

  it.each(attacks)('of another origin is refused with 403, and uses up no fault: %s', async (_name, sent) => {
    const { statusOf, sandbox, pay } = await open();
    sandbox.fault('createRecurringCheckout', { kind: 'status', status: 503 });
    const checkout = '/v1.1/checkout/pix-automatic';
    expect(await statusOf('POST', checkout, { 'content-type': 'text/plain', ...sent }, '{}')).toBe(403);
    expect(await statusOf('POST', pay, { ...headers, ...sent })).toBe(403);
    expect(sandbox.transactions[0]?.situation).toBe('PENDING');
    expect(await statusOf('POST', checkout, headers, '{}')).toBe(503);
  });

  it('of another origin may link to the page and show a QR code, and nothing else', async () => {
    const { statusOf, uuid } = await open();
    const image = { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' };
    expect(await statusOf('GET', '/', { ...signedIn, ...link })).toBe(200);
    expect(await statusOf('GET', '/', { ...signedIn, ...link, 'sec-fetch-dest': 'iframe' })).toBe(403);
    expect(await statusOf('GET', `/sandbox/qr-codes/${uuid}.png`, image)).toBe(200);
    expect(await statusOf('GET', '/sandbox/deliveries', { ...headers, ...link })).toBe(403);
  });

  it('of its own origin is answered', async () => {
    const { statusOf, host } = await open();
    const own = { origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
    expect(await statusOf('GET', '/sandbox/deliveries', { ...headers, ...own })).toBe(200);
  });
});

describe("the page's token", () => {
  it('comes with the page, and makes a control call', async () => {
    const { sandbox, send, statusOf, pay } = await open();
    const { page, token } = await openPage({ send });
    expect(page.headers['set-cookie']).toBeUndefined();
    for (const wrong of ['', `${token}x`, token.slice(0, -1)])
      expect(await statusOf('POST', pay, { 'x-sandbox-page': wrong })).toBe(401);
    expect(await statusOf('POST', pay, {})).toBe(401);
    expect(sandbox.transactions).toMatchObject([{ situation: 'PENDING' }]);
    expect(await statusOf('POST', pay, { 'x-sandbox-page': token })).toBe(200);
    expect(await statusOf('GET', '/sandbox/events?page=', {})).toBe(401);
    expect(await statusOf('GET', `/sandbox/deliveries?page=${token}`, {})).toBe(401);
  });

  it('opens neither the operations nor another sandbox', async () => {
    const first = await open();
    const second = await open();
    const sent = { 'x-sandbox-page': (await openPage(first)).token };
    expect((await first.send('GET', '/sandbox/deliveries', sent)).status).toBe(200);
    expect((await first.send('GET', `/v1.1/transactions/${first.uuid}`, sent)).status).toBe(401);
    expect((await second.send('GET', '/sandbox/deliveries', sent)).status).toBe(401);
  });

  it('comes with a policy that lets nothing run but the page itself', async () => {
    const { page } = await openPage(await open());
    const policy = String(page.headers['content-security-policy']);
    const hash = "'sha256-[\\w+/]{43}='";
    expect(policy).toMatch(new RegExp(`^default-src 'none'; script-src ${hash}; style-src ${hash};`));
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
  });
});

describe('the sandbox gives its page', () => {
  const openings: [string, SandboxOptions][] = [
    ['on this machine, which other people may use', {}],
    ['open to the network', { host: '0.0.0.0' }],
    ['behind a tunnel', { publicUrl: 'https://sandbox.example' }],
  ];

  it.each(openings)('only to those who know the pair, when it is your own: %s', async (_name, options) => {
    const { send, host } = await open(options);
    const name = options.publicUrl === undefined ? host : 'sandbox.example';
    for (const sent of [{}, { authorization: `Basic ${pair}x` }]) {
      const refused = await send('GET', '/', { host: name, ...sent });
      expect(refused.status).toBe(401);
      expect(refused.headers['www-authenticate']).toMatch(/^Basic /);
      expect(refused.body).not.toContain('sandbox-page');
    }
    expect((await send('GET', '/', { host: name, ...signedIn })).status).toBe(200);
  });

  it.each([undefined, 'http://localhost:4100', 'http://127.0.0.1:4100/base'])(
    'to everybody on this machine, with the default pair: publicUrl %s',
    async (publicUrl) => {
      const { sandbox } = await openSandbox({ credentials: undefined, publicUrl });
      expect((await fetch(sandbox.url)).status).toBe(200);
    },
  );

  it.each<SandboxOptions>([
    { host: '0.0.0.0' },
    { publicUrl: 'https://sandbox.example' },
    { publicUrl: 'http://10.0.0.1:4100' },
    { publicUrl: 'http://localhost.attacker.example' },
  ])('to nobody beyond this machine with the default pair, and does not start: %j', async (options) => {
    const refused = startSandbox(options).then((sandbox) => sandbox.close());
    await expect(refused).rejects.toThrow(ConfigurationError);
    await expect(refused).rejects.toThrow(/PAYMENTS_API_KEY/);
  });
});
