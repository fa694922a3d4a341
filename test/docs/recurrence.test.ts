import { createServer } from 'node:http';
import { PaymentsClient } from 'pix-automatic-sdk';
import { createOrders } from 'pix-automatic-sdk/orders';
import { startSandbox } from 'pix-automatic-sdk/sandbox';
import { MemoryStore } from 'pix-automatic-sdk/webhooks';
import { expect, it, onTestFinished } from 'vitest';
import { startRecorder } from '../cli/listeners';
import { allOf } from '../helpers/all-of';
import { listen } from '../helpers/listen';
import { runCommand } from '../helpers/run-command';
import { codeBlocks } from './markdown';

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
    'charge',
    'cancel-scheduled',
  ]);
  expect(printed[2]).toMatch(/scheduled {2}[\w-]{36} {2}\d{4}-\d\d-\d\d {2}SCHEDULED/);
  expect(printed[3]).toMatch(/PAID/);
  expect(listener.received.map(({ body }) => body['newStatus'] ?? body['eventType'])).toEqual([
    'PAID',
    'RECURRENCE_AUTHORIZED',
    'RECURRENCE_CHARGE_SCHEDULED',
    'RECURRENCE_CHARGE_PAID',
  ]);
});

it('a month under the first saleToken is a case, and each that a person books is booked once', async () => {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const booked: unknown[] = [];
  const orders = createOrders({
    client: new PaymentsClient({ baseUrl: sandbox.url, ...sandbox.credentials }),
    store: new MemoryStore(),
    onReport: () => undefined,
    on: { paid: async ({ amount, isFirst }) => void booked.push([amount, isFirst]), returned: 'ignore' },
  });
  sandbox.setWebhookUrl(await listen(createServer(orders.webhook)));

  const order = await orders.open('order-1001', {
    currency: 'BRL',
    amount: 29.9,
    shopper: { name: 'Maria Silva' },
    recurrence: { immediatePayment: true, amount: { recurrenceAmount: 29.9 } },
  });
  const saleToken = order.uuid ?? '';
  sandbox.pay(saleToken);
  await sandbox.idle();
  expect(booked).toEqual([[29.9, true]]);
  for (const month of ['02', '03']) {
    const date = `2027-${month}-15 08:00:00`;
    sandbox.notify({ saleToken, referenceCode: 'order-1001', newStatus: 'PAID', amount: 19.9, date });
    await sandbox.idle();
    const [found, ...others] = await allOf(orders.cases());
    expect(found).toMatchObject({ reason: 'unexpected_repeat', order: 'order-1001', repeats: 1 });
    expect(others).toEqual([]);
    expect(await orders.decide(String(found?.id), 'book', { amount: 19.9 })).toEqual({ status: 'booked' });
  }
  expect(booked).toHaveLength(3);
  expect(await allOf(orders.cases())).toEqual([]);
});
