import * as z from 'zod/mini';
import { payoutErrorMeanings } from '../../service/kinds/payout';
import type { Command } from '../command';
import { didYouMean, usageFailure } from '../failure';
import { exitCodesOfMove, money, reportMove } from '../moves';
import { sandboxOptions } from '../options';
import { connectSandbox, readAnswer } from '../sandbox-client';

const FAILURE_CODES = Object.keys(payoutErrorMeanings);
const payoutAnswer = z.looseObject({ uuid: z.string(), amount: z.number(), success: z.boolean() });

export const payOut: Command = {
  name: 'pay-out',
  summary: 'Make the running sandbox pay out to an account, or fail to pay out',
  arguments: [],
  options: {
    amount: { value: 'n', about: 'How much, in the main unit such as 150.00' },
    fail: { value: 'code', about: `Make it fail: ${FAILURE_CODES.join(', ')}` },
    reason: { value: 'text', about: "The bank's reason, for PE0003 and PE0004" },
    ...sandboxOptions,
  },
  examples: ['pay-out --amount 150', 'pay-out --amount 150 --fail PE0003 --reason "Account closed"'],
  exitCodes: exitCodesOfMove('carried out'),
  async run({ options }) {
    const amount = options.amount('amount');
    if (amount === undefined) throw usageFailure('Expected `--amount`, such as `--amount 150`.');
    const fail = options.text('fail')?.toUpperCase();
    if (fail !== undefined && !FAILURE_CODES.includes(fail)) {
      throw usageFailure(
        `Expected \`--fail\` to be one of ${FAILURE_CODES.join(', ')}.${didYouMean(fail, FAILURE_CODES)}`,
      );
    }
    const sandbox = connectSandbox(options);
    const body = { amount, fail, reason: options.text('reason') };
    const { result, deliveries } = await sandbox.move('/sandbox/payouts', body);
    const { uuid, success } = readAnswer(payoutAnswer, result);
    return reportMove({
      summary: `Payout ${uuid}: ${money(amount)}, ${success ? 'made' : `failed with ${fail}`}`,
      data: { payout: result },
      deliveries,
      json: options.has('json'),
    });
  },
};
