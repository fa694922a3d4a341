import * as z from 'zod/mini';
import { type Command, sandboxOptions, section } from '../command';
import { day, money, say } from '../language';
import { paint, visible } from '../output';
import { connectSandbox, type ListedTransaction, readAnswer } from '../sandbox-client';
import { deliveryLine } from './control-command';

const listenerAnswer = z.object({
  webhookUrl: z.optional(z.union([z.string(), z.record(z.string(), z.string())])),
});

export const list: Command = {
  name: 'list',
  summary: 'List the transactions and notifications of the running sandbox',
  arguments: [{ name: 'part of a uuid or referenceCode', isRequired: false }],
  options: {
    limit: {
      value: 'n',
      about: 'How many transactions and how many notifications, the newest (default: 50)',
    },
    state: { value: 'name', about: 'Only transactions that are PENDING, PAID or CANCELLED' },
    ...sandboxOptions,
  },
  examples: ['list', 'list order-10 --state PAID --limit 5', 'list --json'],
  notes: () => [
    section('Order', say('The newest come last. Payloads are left out: they hold personal data.')),
  ],
  exitCodes: ['it worked', 'refused, or the sandbox cannot be reached'],
  async run({ args, options }) {
    const limit = options.integer('limit', { least: 1, most: 1_000_000 }) ?? 50;
    const state = options.oneOf('state', ['PENDING', 'PAID', 'CANCELLED']);
    const wanted = (args[0] ?? '').toLowerCase();
    const sandbox = connectSandbox(options);
    const found = (await sandbox.transactions()).filter(
      ({ uuid, referenceCode, situation }) =>
        (state === undefined || situation === state) &&
        (referenceCode.toLowerCase().includes(wanted) || uuid.includes(wanted)),
    );
    const isNarrowed = state !== undefined || wanted !== '';
    const names = found.flatMap(({ uuid, referenceCode }) => [uuid, referenceCode]);
    const sent = (await sandbox.deliveries()).filter(
      ({ payload }) => !isNarrowed || names.some((name) => JSON.stringify(payload).includes(name)),
    );
    const listener = readAnswer(listenerAnswer, await sandbox.call('GET', '/sandbox/webhook-url')).webhookUrl;
    const faults = await sandbox.faults();
    const transactions = found.slice(-limit);
    const deliveries = sent.slice(-limit);
    const urls = typeof listener === 'object' ? JSON.stringify(listener) : listener;
    const lines = [
      paint('bold', say(transactions.length === 0 ? 'No transactions yet.' : 'Transactions')),
      ...notShown(found.length - transactions.length),
      ...transactions.flatMap(describe),
      paint('bold', say(deliveries.length === 0 ? 'No notifications yet.' : 'Notifications')),
      ...notShown(sent.length - deliveries.length),
      ...deliveries.map(deliveryLine),
      `${paint('bold', 'Listener')}: ${visible(urls ?? say('none: nothing is sent'))}`,
      ...faults.map(({ operation, fault }) =>
        visible(`${say('Armed fault')}: ${operation} ${fault.kind} (\`fault --clear\`)`),
      ),
    ];
    const withoutPayloads = deliveries.map(({ payload: _, ...delivery }) => delivery);
    return {
      data: { transactions, deliveries: withoutPayloads, webhookUrl: listener, faults },
      text: lines.join('\n'),
    };
  },
};

function notShown(older: number): string[] {
  if (older === 0) return [];
  return [paint('dim', `  ${say('{older} older ones are not shown: --limit shows more.', { older })}`)];
}

function describe({
  uuid,
  referenceCode,
  situation,
  amount,
  scheduledPayments,
}: ListedTransaction): string[] {
  const state = paint(situation === 'PAID' ? 'green' : 'yellow', visible(situation));
  return [
    `  ${visible(referenceCode)}  ${state}  ${money(amount)}  ${visible(uuid)}`,
    ...scheduledPayments.map(({ instructionId, dueDate, status }) => {
      const parts = [`    ${say('scheduled')}`, instructionId, dueDate && day(dueDate), status];
      return visible(parts.filter((part) => part !== undefined).join('  '));
    }),
  ];
}
