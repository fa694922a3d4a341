import { expect, it } from 'vitest';
import { runExample } from './runner/run-example';

it('recurrence-notifications: acts once on each attempt of a charge, and explains why it failed', async () => {
  const { sandbox, deliverAllAgain, stop } = await runExample('recurrence-notifications');
  // One after the other, because the service promises no order.
  const notify = async (payload: object) => {
    sandbox.notify(payload, 'type=recurrence');
    await sandbox.idle();
  };
  await notify({ instructionId: 'i-1', status: 'SCHEDULED', amount: 29.9 });
  await notify({ instructionId: 'i-1', status: 'REJECTED', attempt: 1, amount: 29.9, code: 'AM02' });
  await notify({ instructionId: 'i-1', status: 'REJECTED', attempt: 2, amount: 29.9, code: 'AM02' });
  await notify({ instructionId: 'i-1', status: 'REJECTED', attempt: 2, amount: 29.9, code: 'AM02' });
  await notify({
    instructionId: 'i-1',
    status: 'PAID',
    attempt: 3,
    amount: 29.9,
    paidAt: '2026-12-24 03:00:00',
  });
  await notify({ instructionId: 'i-2', status: 'REJECTED', attempt: 1, code: 'AC05' });
  await notify({ instructionId: 'i-2', status: 'REJECTED', attempt: 2, code: 'XX99' });
  await notify({ instructionId: 'i-2', status: 'CANCELLED', attempt: 3, code: 'SLBD' });
  await notify({ instructionId: 'i-3', state: 'SCHEDULED' });
  await notify({ recurrenceId: 'r-1', event: 'AUTHORIZED' });
  await deliverAllAgain();

  expect(await stop()).toEqual({
    status: 0,
    stdout: [
      'Listening on http://localhost:PORT',
      'i-1, attempt 0: SCHEDULED, 29.9, after nothing',
      'i-1, attempt 1: REJECTED, 29.9, after 0-SCHEDULED',
      "  AM02: Above the payer's maximum. The payer can raise the maximum in their bank's app.",
      'i-1, attempt 2: REJECTED, 29.9, after 0-SCHEDULED, 1-REJECTED',
      "  AM02: Above the payer's maximum. The payer can raise the maximum in their bank's app.",
      'i-1, attempt 3: PAID, 29.9, after 0-SCHEDULED, 1-REJECTED, 2-REJECTED',
      'i-2, attempt 1: REJECTED, no amount, after nothing',
      '  AC05: Account closed. Create a new journey for the payer to authorize.',
      '  No retry can help.',
      'i-2, attempt 2: REJECTED, no amount, after 1-REJECTED',
      'i-2, attempt 3: CANCELLED, no amount, after 1-REJECTED, 2-REJECTED',
      "  SLBD: At the payer's request. The payer decided it. The authorization stays: ask the payer how to go on.",
      'unrecognized: instructionId, state',
      '  status refused by the schema of your kind scheduledCharge',
      'unrecognized: recurrenceId, event',
    ],
    stderr: [],
  });
});
