import * as z from 'zod/mini';
import type { Command } from '../command';
import { usageFailure } from '../failure';
import { chooseTransaction, exitCodesOfMove, money, refundOptions, reportMove } from '../moves';
import { connectSandbox, readAnswer } from '../sandbox-client';

const reversalAnswer = z.looseObject({ uuid: z.string(), amount: z.number(), status: z.string() });

export const reverse: Command = {
  name: 'reverse',
  summary: 'Start to return the funds of a transaction of the running sandbox',
  arguments: [{ name: 'uuid or referenceCode', isRequired: false }],
  options: {
    complete: { about: 'Also end the reversal with PAID: the payer has the funds back' },
    cancel: { about: 'Also end the reversal with CANCELLED' },
    ...refundOptions,
  },
  examples: ['reverse', 'reverse order-1001 --complete'],
  notes: [
    { title: 'Without an argument', lines: ['The newest transaction that is paid.'] },
    {
      title: 'Notifications',
      lines: ['One with PENDING. With --complete or --cancel, another one at the end.'],
    },
  ],
  exitCodes: exitCodesOfMove('started'),
  async run({ args, options }) {
    const body = { amount: options.amount('amount'), reason: options.text('reason') };
    const end = endOf(options.has('complete'), options.has('cancel'));
    const sandbox = connectSandbox(options);
    const { uuid, referenceCode } = await chooseTransaction(sandbox, args[0], 'PAID');
    const started = await sandbox.move(`/sandbox/transactions/${uuid}/reverse`, body);
    const reversalUUID = readAnswer(reversalAnswer, started.result).uuid;
    const ended = end && (await sandbox.move(`/sandbox/reversals/${reversalUUID}/${end}`));
    const { result, deliveries } = ended ?? started;
    const { amount, status } = readAnswer(reversalAnswer, result);
    return reportMove({
      summary: `Reversal ${reversalUUID} of ${referenceCode} (${uuid}): ${money(amount)}, ${status}`,
      data: { uuid, referenceCode, reversal: result },
      deliveries: ended === undefined ? deliveries : [...started.deliveries, ...deliveries],
      json: options.has('json'),
    });
  },
};

function endOf(isCompleted: boolean, isCancelled: boolean): 'complete' | 'cancel' | undefined {
  if (isCompleted && isCancelled) throw usageFailure('Expected `--complete` or `--cancel`, not both.');
  if (isCompleted) return 'complete';
  return isCancelled ? 'cancel' : undefined;
}
