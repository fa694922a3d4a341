import { expect, it } from 'vitest';
import { runExample } from './runner/run-example';

it('nestjs: cancels a scheduled payment, acts once on a payment, and finishes running work at SIGTERM', async () => {
  // Long enough to act on the payment before the first notification is sent again.
  const options = { retryIntervalMs: 3_000 };
  const { origin, sandbox, program, deliverAllAgain, forge, stop } = await runExample('nestjs', options);
  const call = async (method: string, path: string, body?: object) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${origin}/subscriptions${path}`, {
      method,
      headers,
      body: JSON.stringify(body) ?? null,
    });
    return { status: answer.status, body: await answer.text() };
  };
  const subscribe = async (referenceCode: string) => {
    const { status, body } = await call('POST', '', { referenceCode });
    expect(status).toBe(201);
    return JSON.parse(body);
  };

  const journey = await subscribe('order-1');
  expect(journey.qrCode).toContain(journey.uuid);
  // Sent with the right credentials, although nobody has paid.
  sandbox.notify({ saleToken: journey.uuid, newStatus: 'PAID' });
  await program.reported(/not_confirmed/);
  const [scheduled, next] = sandbox.pay(journey.uuid);
  await deliverAllAgain();
  await forge({ saleToken: journey.uuid, newStatus: 'PAID' });

  const cancel = (instructionId = '') => call('DELETE', `/payments/${instructionId}`);
  expect(await cancel(scheduled?.instructionId)).toEqual({ status: 200, body: '' });
  expect(await cancel(scheduled?.instructionId)).toMatchObject({ status: 409 });
  sandbox.fault('cancelScheduledPayment', { kind: 'reset-after-read' });
  expect(await cancel(next?.instructionId)).toMatchObject({ status: 502 });
  const statuses = sandbox.scheduledPayments(journey.uuid).map(({ status }) => status);
  expect(statuses.slice(0, 3)).toEqual(['CANCELLED', 'CANCELLED', 'SCHEDULED']);

  const last = await subscribe('order-2');
  sandbox.fault('getTransaction', { kind: 'latency', ms: 1_000 });
  sandbox.pay(last.uuid);
  await program.printed(/order-2: notified/);

  expect(await stop()).toEqual({
    status: 0,
    stdout: [
      'Listening on http://localhost:PORT',
      'order-1: notified of its payment',
      'order-1: paid',
      'order-2: notified of its payment',
      'order-2: paid',
      'Drained',
    ],
    stderr: [
      expect.stringMatching(/^not_confirmed payment:\S+ The service says otherwise .* Fields: situation\./),
      expect.stringMatching(/^unauthorized .* did not prove/),
    ],
  });
  expect(sandbox.deliveries.at(-1)).toMatchObject({ status: 'delivered', attempts: [{ httpStatus: 200 }] });
});
