import { expect, it } from 'vitest';
import { runExample } from './runner/run-example';

it('fastify: reports the meaning of a failed call, acts once on each state of a reversal, and finishes running work at SIGTERM', async () => {
  // Long enough to act on the payment before the first notification is sent again.
  const options = { retryIntervalMs: 3_000 };
  const { origin, sandbox, program, deliverAllAgain, forge, stop } = await runExample('fastify', options);
  const subscribe = async (referenceCode: string) => {
    const answer = await fetch(`${origin}/subscriptions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ referenceCode }),
    });
    const json = (await answer.json()) as { outcome?: string; uuid: string; qrCode: string };
    return { status: answer.status, body: json };
  };

  // A 504, as from a gateway that stopped waiting: the journey exists.
  sandbox.fault('createRecurringCheckout', { kind: 'status', status: 504, takesEffect: true });
  expect(await subscribe('order-1')).toEqual({ status: 502, body: { outcome: 'unknown' } });
  sandbox.fault('createRecurringCheckout', { kind: 'status', status: 400 });
  expect(await subscribe('order-2')).toEqual({ status: 503, body: { outcome: 'refused' } });
  const { status: created, body: journey } = await subscribe('order-3');
  expect(created).toBe(200);
  expect(journey).toEqual({ uuid: expect.any(String), qrCode: expect.stringContaining(journey.uuid) });

  // Sent with the right credentials, although nobody has paid.
  sandbox.notify({ saleToken: journey.uuid, newStatus: 'PAID' });
  await program.reported(/not_confirmed/);
  sandbox.pay(journey.uuid);
  await sandbox.idle();
  const reversal = sandbox.reverse(journey.uuid);
  await sandbox.idle();
  sandbox.completeReversal(reversal.uuid);
  await deliverAllAgain();
  await forge({ saleToken: journey.uuid, newStatus: 'PAID' });

  const { body: last } = await subscribe('order-4');
  sandbox.fault('getTransaction', { kind: 'latency', ms: 1_000 });
  sandbox.pay(last.uuid);
  await program.printed(/order-4: notified/);

  expect(await stop()).toEqual({
    status: 0,
    stdout: [
      'Listening on http://localhost:PORT',
      'order-3: notified of its payment',
      'order-3: paid',
      'order-3: reversal PENDING',
      'order-3: reversal PAID',
      'order-4: notified of its payment',
      'order-4: paid',
      'Drained',
    ],
    stderr: [
      'order-1: api_error, outcome unknown',
      'order-2: api_error, outcome refused',
      expect.stringMatching(/^not_confirmed payment:\S+ The service says otherwise .* Fields: situation\./),
      expect.stringMatching(/^unauthorized .* did not prove/),
    ],
  });
  expect(sandbox.deliveries.at(-1)).toMatchObject({ status: 'delivered', attempts: [{ httpStatus: 200 }] });
});
