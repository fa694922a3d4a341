import { createServer } from 'node:http';
import { PaymentsClient } from 'pix-automatic-sdk';
import { createOrders, type PaidOrder } from 'pix-automatic-sdk/orders';
import { startSandbox } from 'pix-automatic-sdk/sandbox';
import {
  MemoryStore,
  type NotificationDefinition,
  type SalePayload,
  type WebhookReport,
} from 'pix-automatic-sdk/webhooks';
import { expect, it, onTestFinished } from 'vitest';
import { startRecorder } from '../cli/listeners';
import { listen } from '../helpers/listen';
import { runCommand } from '../helpers/run-command';
import { codeBlocks, sections } from './markdown';
import { loadBlock } from './run-block';

it('the commands of the guide to recurrence work in the order of the page', async () => {
  const listener = await startRecorder(200);
  const sandbox = await startSandbox({ webhookUrl: listener.url });
  const { apiKey, apiToken } = sandbox.credentials;
  const env = { PAYMENTS_API_KEY: apiKey, PAYMENTS_API_TOKEN: apiToken };
  onTestFinished(() => sandbox.close());
  const [start = '', ...commands] = codeBlocks('docs/recurrence.md')
    .filter(({ info }) => info === 'sh')
    .flatMap(({ code }) => code.trim().split('\n'))
    .map((line) => line.replace('npx pix-automatic-sdk ', ''));
  expect(start).toBe('sandbox --webhook-url http://127.0.0.1:3000/webhooks');

  const printed: string[] = [];
  for (const command of commands) {
    const args = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
    const { status, stdout, stderr } = await runCommand([...args, '--sandbox', sandbox.url], env);
    expect({ command, status, stderr }).toEqual({ command, status: 0, stderr: '' });
    printed.push(stdout);
  }
  await sandbox.idle();
  expect(commands.map((command) => command.split(' ')[0])).toEqual([
    'create',
    'pay',
    'list',
    'pay-scheduled',
    'notify',
    'cancel-scheduled',
  ]);
  expect(printed[2]).toMatch(/scheduled {2}[\w-]{36} {2}\d{4}-\d\d-\d\d {2}SCHEDULED/);
  expect(printed[3]).toContain('`pay-scheduled` sends no notification in this case.');
  expect(listener.received.map(({ body }) => body['newStatus'] ?? body['yourStatus'])).toEqual([
    'PAID',
    'PAID',
  ]);
});

it('months under one saleToken are reported and kept, and the kind of the guide books each of them once', async () => {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const { credentials } = sandbox;
  const client = new PaymentsClient({ baseUrl: sandbox.url, ...credentials });
  const store = new MemoryStore();
  const booked: unknown[] = [];
  const reports: Partial<WebhookReport>[] = [];
  const onReport = ({ code, status, reason, issues }: WebhookReport) =>
    void reports.push({ code, status, reason, issues });
  const paid = async ({ amount }: PaidOrder) => void booked.push(amount);
  const returned = 'ignore' as const;
  const orders = createOrders({ client, credentials, store, onReport, on: { paid, returned } });
  sandbox.setWebhookUrl(await listen(createServer(orders.webhook)));

  const order = await orders.open('order-1001', {
    currency: 'BRL',
    amount: 59.7,
    shopper: { name: 'Maria Silva' },
    recurrence: { immediatePayment: true, amount: { recurrenceAmount: 29.9 } },
  });
  const uuid = order.uuid ?? '';
  sandbox.pay(uuid);
  await sandbox.idle();
  const monthOf = (month: string) => ({
    saleToken: uuid,
    newStatus: 'PAID',
    amount: 29.9,
    date: `2027-${month}-15 08:00:00`,
  });
  for (const month of ['02', '03']) {
    sandbox.notify(monthOf(month));
    await sandbox.idle();
  }
  expect(booked).toEqual([59.7]);
  const issues = [expect.objectContaining({ path: ['amount'] })];
  const repeat = { code: 'unexpected_repeat', status: 200, reason: 'content-differs', issues };
  expect(reports).toEqual([repeat, repeat]);
  expect(await orders.webhook.deadLetters.list()).toHaveLength(2);
  expect(await orders.find({ uuid })).toMatchObject({ key: 'order-1001', state: 'paid' });

  const [block] =
    sections('docs/recurrence.md').find(({ anchor }) => anchor === 'when-the-key-is-too-coarse')?.blocks ??
    [];
  if (block === undefined) throw new Error('The guide shows no kind.');
  const { month } = (await loadBlock(block)) as { month: NotificationDefinition<'month', SalePayload> };
  const described = createOrders({
    client,
    credentials,
    store,
    onReport,
    kinds: [month],
    on: {
      paid,
      returned,
      month: ({ payload, key }, { order: of }) => void booked.push([of?.key, payload.amount, key]),
    },
  });
  sandbox.setWebhookUrl(await listen(createServer(described.webhook)));
  expect(await described.maintain()).toMatchObject({ replayed: { done: 2 }, reconciled: { paid: 0 } });
  sandbox.notify(monthOf('03'));
  sandbox.notify(monthOf('04'));
  await sandbox.idle();
  // Letters are replayed by their keys, not by their times.
  expect(booked.sort()).toEqual([
    59.7,
    ...['02', '03', '04'].map((each) => ['order-1001', 29.9, `month:${uuid}:PAID-2027-${each}`]),
  ]);
  expect(await orders.webhook.deadLetters.list()).toEqual([]);
});
