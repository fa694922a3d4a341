import * as z from 'zod/mini';
import type { Command } from '../command';
import { chooseTransaction, exitCodesOfMove, money, refundOptions, reportMove } from '../moves';
import { connectSandbox, readAnswer } from '../sandbox-client';

const refundAnswer = z.looseObject({ uuid: z.string(), amount: z.number() });

export const refund: Command = {
  name: 'refund',
  summary: 'Refund a paid transaction of the running sandbox, in part or in full',
  arguments: [{ name: 'uuid or referenceCode', isRequired: false }],
  options: {
    ...refundOptions,
  },
  examples: ['refund --amount 10', 'refund order-1001 --reason "Damaged"'],
  notes: [{ title: 'Without an argument', lines: ['The newest transaction that is paid.'] }],
  exitCodes: exitCodesOfMove('refunded'),
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
