import { expect, it } from 'vitest';
import { runExample, uuidIn } from './runner/run-example';

it('nextjs: shows a QR code until the payment arrives, acts once on it, and finishes running work at SIGTERM', async () => {
  // Long enough to act on the payment before the first notification is sent again.
  const options = { retryIntervalMs: 3_000 };
  const { origin, sandbox, program, deliverAllAgain, forge, stop } = await runExample('nextjs', options);
  const page = async (path: string) => (await fetch(`${origin}${path}`)).text();
  const subscribe = async () => {
    // Sends the form like a browser without JavaScript.
    const [, action = ''] = /name="(\$ACTION_ID_\w+)"/.exec(await page('/')) ?? [];
    const body = new FormData();
    body.set(action, '');
    const answer = await fetch(origin, { method: 'POST', headers: { origin }, body, redirect: 'manual' });
    return answer.headers.get('location') ?? '';
  };

  const order = await subscribe();
  expect(order).toMatch(/^\/orders\//);
  const waiting = await page(order);
  expect(waiting).toContain('<img src="data:image/png;base64,iVBORw0KGgo');
  expect(waiting).not.toContain('Paid: order-1001');

  // Sent with the right credentials, although nobody has paid.
  sandbox.notify({ saleToken: uuidIn(order), newStatus: 'PAID' });
  await program.reported(/not_confirmed/);
  sandbox.pay(uuidIn(order));
  await deliverAllAgain();
  expect(await page(order)).toContain('Paid: order-1001');
  await forge({ saleToken: uuidIn(order), newStatus: 'PAID' });

  const second = await subscribe();
  sandbox.fault('getTransaction', { kind: 'latency', ms: 1_000 });
  sandbox.pay(uuidIn(second));
  await expect.poll(() => sandbox.pendingFaults).toEqual([]); // the service is being asked about this payment
  const { status, stdout, stderr } = await stop();

  // Next.js ends with this status after SIGTERM, once all requests are answered.
  expect(status).toBe(143);
  expect(stdout.filter((line) => line.startsWith('order-'))).toEqual([
    'order-1001: paid',
    'order-1002: paid',
  ]);
  expect(stderr).toEqual([
    expect.stringMatching(/^not_confirmed payment:\S+ The service says otherwise .* Fields: situation\./),
    expect.stringMatching(/^unauthorized .* did not prove/),
  ]);
  expect(sandbox.deliveries.at(-1)).toMatchObject({ status: 'delivered', attempts: [{ httpStatus: 200 }] });
});
