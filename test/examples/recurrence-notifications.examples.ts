import { expect, it } from 'vitest';
import { runExample, uuid } from './runner/run-example';

it('recurrence-notifications: acts once on each attempt of each month, and explains why one failed', async () => {
  const { program, sandbox, deliverAllAgain, stop } = await runExample('recurrence-notifications');
  await program.printed(/pastes 000201/);
  const [february, march, april] = sandbox.pay(uuid(1));
  await sandbox.idle();
  // One after the other, because the service promises no order.
  const notify = async (payload: object) => {
    sandbox.notify(payload, 'type=recurrence');
    await sandbox.idle();
  };
  const charge = (payment: typeof february, changes: object) =>
    notify({
      instructionId: payment?.instructionId,
      dueDate: payment?.dueDate,
      sale: uuid(1),
      amount: 29.9,
      ...changes,
    });
  await charge(february, { status: 'SCHEDULED' });
  await charge(february, { status: 'REJECTED', attempt: 1, code: 'AM02' });
  await charge(february, { status: 'REJECTED', attempt: 2, code: 'AM02' });
  await charge(february, { status: 'REJECTED', attempt: 2, code: 'AM02' });
  await charge(february, { status: 'PAID', attempt: 3, paidAt: '2027-02-17 03:00:00' });
  await charge(march, { status: 'REJECTED', attempt: 1, code: 'AC05', amount: undefined });
  await charge(march, { status: 'REJECTED', attempt: 2, code: 'XX99', amount: undefined });
  await charge(march, { status: 'CANCELLED', attempt: 3, code: 'SLBD', amount: undefined });
  await charge(april, { status: 'PAID', attempt: 1 });
  await charge(april, { status: 'PAID', attempt: 1, sale: 'elsewhere', dueDate: '2027-05-15' });
  await notify({ instructionId: 'i-3', dueDate: '2027-06-15', sale: uuid(1), state: 'SCHEDULED' });
  await notify({ recurrenceId: 'r-1', event: 'AUTHORIZED' });
  await deliverAllAgain();

  const { stdout, ...rest } = await stop();
  expect(rest).toEqual({ status: 0, stderr: [] });
  expect(stdout).toEqual([
    'Listening on http://localhost:PORT',
    expect.stringMatching(/^The payer scans or pastes 000201/),
    'order-1001: sign-up, 59.7',
    'order-1001, 2027-02-15, attempt 0: SCHEDULED, 29.9, after nothing',
    'order-1001, 2027-02-15, attempt 1: REJECTED, 29.9, after 0-SCHEDULED',
    "  AM02: Above the payer's maximum. The payer can raise the maximum in their bank's app.",
    'order-1001, 2027-02-15, attempt 2: REJECTED, 29.9, after 0-SCHEDULED, 1-REJECTED',
    "  AM02: Above the payer's maximum. The payer can raise the maximum in their bank's app.",
    'order-1001, 2027-02-15, attempt 3: PAID, 29.9, after 0-SCHEDULED, 1-REJECTED, 2-REJECTED',
    'order-1001, 2027-03-15, attempt 1: REJECTED, no amount, after nothing',
    '  AC05: Account closed. Create a new journey for the payer to authorize.',
    '  No retry can help.',
    'order-1001, 2027-03-15, attempt 2: REJECTED, no amount, after 1-REJECTED',
    'order-1001, 2027-03-15, attempt 3: CANCELLED, no amount, after 1-REJECTED, 2-REJECTED',
    "  SLBD: At the payer's request. The payer decided it. The authorization stays: ask the payer how to go on.",
    'order-1001, 2027-04-15, attempt 1: PAID, 29.9, after nothing',
    'no order, 2027-05-15, attempt 1: PAID, 29.9, after nothing',
    'unrecognized: instructionId, dueDate, sale, state',
    '  status refused by the schema of your kind scheduledCharge',
    'unrecognized: recurrenceId, event',
  ]);
});
