import { type Command, sandboxOptions, section } from '../command';
import { day, money, say } from '../language';
import { paint } from '../output';
import { connectSandbox, type ListedTransaction } from '../sandbox-client';
import { line } from '../visible';
import { deliveryLine } from './control-command';

export const list: Command = {
  name: 'list',
  summary: 'list.summary',
  arguments: [{ name: 'value.partOfJourney', isRequired: false }],
  options: {
    limit: {
      value: 'value.n',
      about: 'list.limit',
    },
    state: { value: 'value.name', about: 'list.situation' },
    ...sandboxOptions,
  },
  notes: () => [section('list.order', say('list.newestLast'))],
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
    const webhookUrl = await sandbox.listener();
    const faults = await sandbox.faults();
    const transactions = found.slice(-limit);
    const deliveries = sent.slice(-limit);
    const lines = [
      paint('bold', say(transactions.length === 0 ? 'list.noTransactions' : 'list.transactions')),
      ...notShown(found.length - transactions.length),
      ...transactions.flatMap(describe),
      paint('bold', say(deliveries.length === 0 ? 'list.noNotifications' : 'list.notifications')),
      ...notShown(sent.length - deliveries.length),
      ...deliveries.map(deliveryLine),
      `${paint('bold', 'Listener')}: ${line`${webhookUrl ?? say('list.noListener')}`}`,
      ...faults.map(
        ({ id, operation, fault }) =>
          line`${say('list.armedFault')}: ${operation} ${fault.kind} (\`fault --clear ${id}\`)`,
      ),
    ];
    const withoutPayloads = deliveries.map(({ payload: _, ...delivery }) => delivery);
    return {
      data: { transactions, deliveries: withoutPayloads, webhookUrl, faults },
      text: lines.join('\n'),
    };
  },
};

function notShown(older: number): string[] {
  if (older === 0) return [];
  return [paint('dim', `  ${say('list.older', { older })}`)];
}

function describe({
  uuid,
  referenceCode,
  situation,
  amount,
  scheduledPayments,
  reversals,
}: ListedTransaction): string[] {
  const state = paint(situation === 'PAID' ? 'green' : 'yellow', situation);
  return [
    line`  ${referenceCode}  ${state}  ${money(amount)}  ${uuid}`,
    ...scheduledPayments.map(({ instructionId, dueDate, status, saleUUID }) => {
      const sale = saleUUID && say('list.sale', { uuid: saleUUID });
      const parts = [`    ${say('list.scheduled')}`, instructionId, dueDate && day(dueDate), status, sale];
      return line`${parts.filter((part) => part !== undefined).join('  ')}`;
    }),
    ...reversals.map(
      ({ uuid, amount, status }) => line`    ${say('list.reversal')}  ${uuid}  ${money(amount)}  ${status}`,
    ),
  ];
}
