import { expect, it } from 'vitest';
import { runExample, uuidIn } from './runner/run-example';

it('express: shows a QR code, ships a paid order once and no unpaid one, and finishes running work at SIGTERM', async () => {
  // Long enough to act on the payment before the first notification is sent again.
  const options = { retryIntervalMs: 3_000 };
  const { origin, sandbox, program, deliverAllAgain, forge, stop } = await runExample('express', options);
  const subscribe = async () => (await fetch(`${origin}/subscriptions`, { method: 'POST' })).text();
  const page = await subscribe();
  expect(page).toMatch(/^<img src="data:image\/png;base64,iVBORw0KGgo.+" alt="QR code"><p>000201.+<\/p>$/);
  const transaction = uuidIn(page);

  // Sent with the right credentials, although nobody has paid.
  sandbox.notify({ saleToken: transaction, newStatus: 'PAID' });
  await program.reported(/not_confirmed/);
  sandbox.pay(transaction);
  await sandbox.idle();
  sandbox.refund(transaction, { amount: 10 });
  await sandbox.idle();
  sandbox.refund(transaction, { amount: 5 });
  await deliverAllAgain();
  await forge({ saleToken: transaction, newStatus: 'PAID' });

  const second = uuidIn(await subscribe());
  sandbox.fault('getTransaction', { kind: 'latency', ms: 1_000 });
  sandbox.pay(second);
  await program.printed(/order-1002: notified/);

  expect(await stop()).toEqual({
    status: 0,
    stdout: [
      'Listening on http://localhost:PORT',
      'order-1001: notified of its payment',
      'order-1001: paid',
      'order-1001: 10 refunded',
      'order-1001: 5 refunded',
      'order-1002: notified of its payment',
      'order-1002: paid',
      'Drained',
    ],
    stderr: [
      expect.stringMatching(/^not_confirmed payment:\S+ The service says otherwise .* Fields: situation\./),
      expect.stringMatching(/^unauthorized .* did not prove/),
    ],
  });
  expect(sandbox.deliveries.at(-1)).toMatchObject({ status: 'delivered', attempts: [{ httpStatus: 200 }] });
});
