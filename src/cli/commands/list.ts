import type { Command } from '../command';
import { deliveryLine, money } from '../moves';
import { sandboxOptions } from '../options';
import { paint, print, printJson, visible } from '../output';
import { connectSandbox, type ListedTransaction } from '../sandbox-client';

export const list: Command = {
  name: 'list',
  summary: 'List the transactions and notifications of the running sandbox',
  arguments: [],
  options: sandboxOptions,
  examples: ['list', 'list --json'],
  notes: [
    { title: 'Order', lines: ['The newest come last. Payloads are left out: they hold personal data.'] },
  ],
  exitCodes: ['listed', 'the sandbox cannot be reached'],
  async run({ options }) {
    const sandbox = connectSandbox(options);
    const transactions = await sandbox.transactions();
    const deliveries = await sandbox.deliveries();
    if (options.has('json')) {
      printJson({ transactions, deliveries: deliveries.map(({ payload: _, ...delivery }) => delivery) }, 2);
      return 0;
    }
    print(paint('bold', transactions.length === 0 ? 'No transactions yet.' : 'Transactions'));
    for (const transaction of transactions) for (const line of describe(transaction)) print(`  ${line}`);
    print(paint('bold', deliveries.length === 0 ? 'No notifications yet.' : 'Notifications'));
    for (const delivery of deliveries) print(deliveryLine(delivery));
    return 0;
  },
};

function describe({
  uuid,
  referenceCode,
  situation,
  amount,
  scheduledPayments,
}: ListedTransaction): string[] {
  return [
    `${visible(referenceCode)}  ${paint(situation === 'PAID' ? 'green' : 'yellow', visible(situation))}  ${money(amount)}  ${visible(uuid)}`,
    ...scheduledPayments.map(({ instructionId, dueDate, status }) =>
      visible(
        ['  scheduled', instructionId, dueDate, status].filter((part) => part !== undefined).join('  '),
      ),
    ),
  ];
}
