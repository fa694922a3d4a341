import { type Command, sandboxOptions, section } from '../command';
import { money } from '../format';
import { paint } from '../output';
import { connectSandbox, type ListedTransaction } from '../sandbox-client';
import { line } from '../visible';
import { deliveryLine } from './control-command';

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
  notes: () => [section('Order', 'The newest come last. Payloads are left out: they hold personal data.')],
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
      paint('bold', transactions.length === 0 ? 'No transactions yet.' : 'Transactions'),
      ...notShown(found.length - transactions.length),
      ...transactions.flatMap(describe),
      paint('bold', deliveries.length === 0 ? 'No notifications yet.' : 'Notifications'),
      ...notShown(sent.length - deliveries.length),
      ...deliveries.map(deliveryLine),
      `${paint('bold', 'Listener')}: ${line`${webhookUrl ?? 'none: nothing is sent'}`}`,
      ...faults.map(
        ({ id, operation, fault }) => line`Armed fault: ${operation} ${fault.kind} (\`fault --clear ${id}\`)`,
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
  return [
    paint(
      'dim',
      `  ${line`${older} older ${older === 1 ? 'one is' : 'ones are'} not shown: --limit shows more.`}`,
    ),
  ];
}

function describe({
  uuid,
  referenceCode,
  situation,
  amount,
  recurrence,
  scheduledPayments,
  reversals,
}: ListedTransaction): string[] {
  const state = paint(situation === 'PAID' ? 'green' : 'yellow', situation);
  return [
    line`  ${referenceCode}  ${state}  ${money(amount)}  ${uuid}`,
    ...(recurrence.status === 'CREATED'
      ? []
      : [line`    recurrence  ${recurrence.idRec}  ${recurrence.status}`]),
    ...scheduledPayments.flatMap(describeMonth),
    ...reversals.map(({ uuid, amount, status }) => line`    reversal  ${uuid}  ${money(amount)}  ${status}`),
  ];
}

/** A payment of the calendar, and under it each try that failed. */
function describeMonth({
  instructionId,
  dueDate,
  amount,
  status,
  saleUUID,
  tries,
}: ListedTransaction['scheduledPayments'][number]): string[] {
  const sale = saleUUID && line`sale ${saleUUID}`;
  const parts = ['    scheduled', instructionId, dueDate, status, money(amount), sale];
  return [
    line`${parts.filter((part) => part !== undefined).join('  ')}`,
    ...tries
      .filter(({ status }) => status === 'FAILED')
      .map(
        ({ date, code, willRetry }) =>
          line`      ${date}  failed with ${code}${willRetry ? ', and was tried again' : ''}`,
      ),
  ];
}
