import * as z from 'zod/mini';
import type { Command } from '../command';
import { deliveryLine, money } from '../moves';
import { type Language, languageOf, sandboxOptions } from '../options';
import { paint, print, printJson, visible } from '../output';
import { connectSandbox, type ListedTransaction, readAnswer } from '../sandbox-client';

const listenerAnswer = z.object({
  webhookUrl: z.optional(z.union([z.string(), z.record(z.string(), z.string())])),
});

const texts = {
  noTransactions: ['No transactions yet.', 'Nenhuma transação ainda.'],
  transactions: ['Transactions', 'Transações'],
  noNotifications: ['No notifications yet.', 'Nenhuma notificação ainda.'],
  notifications: ['Notifications', 'Notificações'],
  listener: ['Listener', 'Listener'],
  none: ['none: nothing is sent', 'nenhum: nada é enviado'],
  armed: ['Armed fault', 'Falha armada'],
  older: ['older ones are not shown: --limit shows more.', 'mais antigas não aparecem: --limit mostra mais.'],
} as const;

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
  notes: [
    { title: 'Order', lines: ['The newest come last. Payloads are left out: they hold personal data.'] },
  ],
  exitCodes: ['listed', 'the sandbox cannot be reached'],
  async run({ args, options }) {
    const limit = options.integer('limit', { least: 1, most: 1_000_000, otherwise: 50 });
    const state = options.oneOf('state', ['PENDING', 'PAID', 'CANCELLED']);
    const language = languageOf(options);
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
    if (options.has('json')) {
      const shown = deliveries.map(({ payload: _, ...delivery }) => delivery);
      printJson({ transactions, deliveries: shown, webhookUrl: listener, faults }, 2);
      return 0;
    }
    const older = (count: number) => {
      if (count > 0) print(paint('dim', `  ${count} ${texts.older[language]}`));
    };
    print(paint('bold', texts[transactions.length === 0 ? 'noTransactions' : 'transactions'][language]));
    older(found.length - transactions.length);
    for (const transaction of transactions)
      for (const line of describe(transaction, language)) print(`  ${line}`);
    print(paint('bold', texts[deliveries.length === 0 ? 'noNotifications' : 'notifications'][language]));
    older(sent.length - deliveries.length);
    for (const delivery of deliveries) print(deliveryLine(delivery));
    const urls = typeof listener === 'object' ? JSON.stringify(listener) : listener;
    print(`${paint('bold', texts.listener[language])}: ${visible(urls ?? texts.none[language])}`);
    for (const { operation, fault } of faults) {
      print(visible(`${texts.armed[language]}: ${operation} ${fault.kind} (\`fault --clear\`)`));
    }
    return 0;
  },
};

function describe(
  { uuid, referenceCode, situation, amount, scheduledPayments }: ListedTransaction,
  language: Language,
): string[] {
  return [
    `${visible(referenceCode)}  ${paint(situation === 'PAID' ? 'green' : 'yellow', visible(situation))}  ${money(amount, language)}  ${visible(uuid)}`,
    ...scheduledPayments.map(({ instructionId, dueDate, status }) =>
      visible(
        ['  scheduled', instructionId, dueDate, status].filter((part) => part !== undefined).join('  '),
      ),
    ),
  ];
}
