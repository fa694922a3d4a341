import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isSkipped } from './browser';
import { press, useBrowser } from './open-page';

const open = useBrowser();

/** An attacker’s page on its own port, which tries everything that a browser allows. */
function attack(target: string, uuid: string): string {
  return `<!doctype html><title>attack</title><iframe name="sink"></iframe>
<form id="form" method="post" enctype="text/plain" target="sink" action="${target}/sandbox/transactions/${uuid}/pay">
  <input name="{}"></form>
<form id="checkout" method="post" enctype="text/plain" target="sink" action="${target}/v1.1/checkout/pix-automatic">
  <input name="{}"></form>
<script type="module">
  const target = ${JSON.stringify(target)};
  const got = [];
  const attempt = async (name, run) => {
    try { got.push(name + ': ' + await run()); } catch (error) { got.push(name + ': refused'); }
  };
  const keys = { 'x-api-key': 'sandbox-api-key', 'x-api-token': 'sandbox-api-token' };
  const include = { credentials: 'include' };
  const read = async (path, init) => (await fetch(target + path, init)).text();
  await attempt('read', () => read('/sandbox/transactions', include));
  await attempt('read with the known keys', () => read('/sandbox/transactions', { headers: keys }));
  await attempt('read the page', () => read('/', include));
  await attempt('redirect', () => read('/sandbox/webhook-url', { method: 'PUT', body: '{}', headers: keys }));
  await fetch(target + '/sandbox/transactions/${uuid}/pay', { method: 'POST', mode: 'no-cors', ...include });
  await fetch(target + '/v1.1/checkout/pix-automatic', { method: 'POST', mode: 'no-cors', body: '{}' });
  await fetch(target + '/v1.1/transactions/${uuid}', { mode: 'no-cors' });
  await attempt('events', () => new Promise((resolve, reject) => {
    const events = new EventSource(target + '/sandbox/events', { withCredentials: true });
    events.onmessage = (event) => resolve(event.data);
    events.onerror = () => reject(new Error());
  }));
  document.getElementById('form').submit();
  await new Promise((resolve) => setTimeout(resolve, 300));
  document.getElementById('checkout').submit();
  await new Promise((resolve) => setTimeout(resolve, 300));
  const frame = document.createElement('iframe');
  frame.src = target;
  document.body.append(frame);
  await new Promise((resolve) => { frame.onload = resolve; setTimeout(resolve, 1000); });
  await attempt('frame', () => frame.contentDocument.title);
  window.got = got;
</script>`;
}

/** The attacker's server, closed when its test ends. Returns its port. */
async function serve(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

describe.skipIf(isSkipped)('a page of another origin', () => {
  // For the browser, 127.0.0.1 is only another port of the same site; localhost is another site.
  it.each(['127.0.0.1', 'localhost'])(
    'on %s reads nothing, changes nothing and uses up no fault',
    async (name) => {
      const { context, create, sandbox, call } = await open();
      const uuid = await create();
      sandbox.fault('createRecurringCheckout', { kind: 'status', status: 503 });
      sandbox.fault('getTransaction', { kind: 'status', status: 503 });
      const port = await serve((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end(attack(sandbox.url, uuid));
      });
      const page = await context.newPage();
      await page.goto(`http://${name}:${port}/`);
      await page.waitForFunction('window.got !== undefined');
      const got = await page.evaluate<string[]>('window.got');
      expect(got.map((line) => line.replace(/^[^:]*: /, ''))).toEqual(Array(6).fill('refused'));
      expect(sandbox.transactions).toMatchObject([{ situation: 'PENDING' }]);
      expect((await call('POST', '/v1.1/checkout/pix-automatic', {})).status).toBe(503);
      expect((await call('GET', `/v1.1/transactions/${uuid}`)).status).toBe(503);
      sandbox.payOut({ amount: 1 });
      expect(sandbox.deliveries).toHaveLength(1);
    },
  );
});

describe.skipIf(isSkipped)('the page of a sandbox with a pair of your own', () => {
  const credentials = { apiKey: 'merchant-api-key', apiToken: 'merchant-api-token' };

  it('works once the browser has asked for the pair', async () => {
    const { page, sandbox, create } = await open({ sandbox: { credentials } });
    await create();
    await page.getByRole('link', { name: /order-1001/ }).click();
    await press(page, /^Pay: /);
    await page.getByText('The payer paid').waitFor();
    expect(sandbox.transactions).toMatchObject([{ situation: 'PAID' }]);
    expect(await page.content()).not.toContain(credentials.apiToken);
  });
});
