import { expect, it } from 'vitest';
import { runExample, uuid } from './runner/run-example';

it('quick-start: creates a journey, and acts once on its confirmed payment', async () => {
  const options = { retryIntervalMs: 3_000 };
  const { program, sandbox, deliverAllAgain, stop } = await runExample('quick-start', options);
  const [, qrCodeText] = await program.printed(/pastes (000201.+)\n/);
  // Sent with the right credentials, although nobody has paid.
  sandbox.notify({ saleToken: uuid(1), newStatus: 'PAID' });
  await program.reported(/not_confirmed/);
  sandbox.pay(uuid(1));
  await deliverAllAgain();

  const { stderr, ...ended } = await stop();
  expect(ended).toEqual({
    status: 0,
    stdout: [
      'Listening on http://localhost:PORT',
      `Transaction ${uuid(1)}`,
      `The payer scans or pastes ${qrCodeText}`,
      'order-1001 is paid: BRL 59.7',
      'Drained',
    ],
  });
  // It is reported once more if it is sent again before the payment.
  expect([...new Set(stderr)]).toEqual([
    expect.stringMatching(/^not_confirmed payment:\S+ The service says otherwise .* Fields: situation\./),
  ]);
});
