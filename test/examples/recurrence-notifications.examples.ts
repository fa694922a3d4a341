import { expect, it } from 'vitest';
import { runExample } from './runner/run-example';

it('recurrence-notifications: acts once on each state of a kind of its own', async () => {
  const { sandbox, deliverAllAgain, stop } = await runExample('recurrence-notifications');
  // One after the other: the service promises no order.
  const notify = async (payload: object) => {
    sandbox.notify(payload, 'type=recurrence');
    await sandbox.idle();
  };
  await notify({ instructionId: 'i-1', status: 'SCHEDULED', amount: 29.9 });
  await notify({ instructionId: 'i-1', status: 'PAID', amount: 29.9, paidAt: '2026-12-21 03:00:00' });
  await notify({ instructionId: 'i-2', status: 'SCHEDULED' });
  await notify({ instructionId: 'i-3', state: 'SCHEDULED' });
  await notify({ recurrenceId: 'r-1', event: 'AUTHORIZED' });
  await deliverAllAgain();

  expect(await stop()).toEqual({
    status: 0,
    stdout: [
      'Listening on http://localhost:PORT',
      'scheduledCharge:i-1:SCHEDULED: 29.9, after nothing',
      'scheduledCharge:i-1:PAID: 29.9, after SCHEDULED',
      'scheduledCharge:i-2:SCHEDULED: no amount, after nothing',
      'unrecognized: instructionId, state',
      '  status refused by the schema of your kind scheduledCharge',
      'unrecognized: recurrenceId, event',
    ],
    stderr: [],
  });
});
