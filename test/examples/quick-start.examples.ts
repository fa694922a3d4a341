import { expect, it } from 'vitest';
import { runExample, uuid } from './runner/run-example';

it('quick-start: creates a journey, and acts once on its confirmed payment', async () => {
  const { program, sandbox, deliverAllAgain, stop } = await runExample('quick-start');
  const [, qrCodeText] = await program.printed(/pastes (000201.+)\n/);
  sandbox.pay(uuid(1));
  await deliverAllAgain();

  expect(await stop()).toEqual({
    status: 0,
    stdout: [
      'Listening on http://localhost:PORT',
      `Transaction ${uuid(1)}`,
      `The payer scans or pastes ${qrCodeText}`,
      'order-1001 is paid: BRL 59.7',
      'Drained',
    ],
    stderr: [],
  });
});
