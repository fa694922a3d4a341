import * as z from 'zod/mini';
import type { Command } from '../command';
import { chooseTransaction, money, reportMove } from '../moves';
import { sandboxOptions } from '../options';
import { connectSandbox, readAnswer } from '../sandbox-client';

const refundAnswer = z.looseObject({ uuid: z.string(), amount: z.number() });

export const refund: Command = {
  name: 'refund',
  summary: 'Refund a paid transaction of the running sandbox, in part or in full',
  arguments: [{ name: 'uuid or referenceCode', isRequired: false }],
  options: {
    amount: { value: 'n', about: 'How much, in the main unit such as 29.90 (default: all that is left)' },
    reason: { value: 'text', about: 'What the notification says' },
    ...sandboxOptions,
  },
  examples: ['refund --amount 10', 'refund order-1001 --reason "Damaged"'],
  notes: [{ title: 'Without an argument', lines: ['The newest transaction that is paid.'] }],
  exitCodes: [
    'refunded, and every notification sent was answered with 200',
    'refused, or not answered with 200',
  ],
  async run({ args, options }) {
    const body = { amount: options.amount('amount'), reason: options.text('reason') };
    const sandbox = connectSandbox(options);
    const { uuid, referenceCode } = await chooseTransaction(sandbox, args[0], 'PAID');
    const { result, deliveries } = await sandbox.move(`/sandbox/transactions/${uuid}/refund`, body);
    const { uuid: refundUUID, amount } = readAnswer(refundAnswer, result);
    return reportMove({
      summary: `Refunded ${money(amount)} of ${referenceCode} (${uuid}): refund ${refundUUID}`,
      data: { uuid, referenceCode, refund: result },
      deliveries,
      json: options.has('json'),
    });
  },
};
