import type { Command } from '../command';
import { chooseTransaction, exitCodesOfMove, money, reportMove } from '../moves';
import { sandboxOptions } from '../options';
import { connectSandbox } from '../sandbox-client';

export const pay: Command = {
  name: 'pay',
  summary: 'Pay a journey of the running sandbox, as its payer would',
  arguments: [{ name: 'uuid or referenceCode', isRequired: false }],
  options: sandboxOptions,
  examples: ['pay', 'pay order-1001', 'pay order-1001 --sandbox http://127.0.0.1:4200'],
  notes: [{ title: 'Without an argument', lines: ['The newest journey that is not paid yet.'] }],
  exitCodes: exitCodesOfMove('paid'),
  async run({ args, options }) {
    const sandbox = connectSandbox(options);
    const { uuid, referenceCode, amount } = await chooseTransaction(sandbox, args[0], 'PENDING');
    const { deliveries } = await sandbox.move(`/sandbox/transactions/${uuid}/pay`);
    const { scheduledPayments } = await chooseTransaction(sandbox, uuid, 'PAID');
    return reportMove({
      summary: `Paid ${referenceCode} (${uuid}): ${money(amount)}`,
      details: scheduledPayments.map(
        (payment) =>
          `scheduled: ${payment.instructionId}${payment.dueDate ? `, due ${payment.dueDate}` : ''}`,
      ),
      data: { uuid, referenceCode, amount, scheduledPayments },
      deliveries,
      json: options.has('json'),
    });
  },
};
