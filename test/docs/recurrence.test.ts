import { startSandbox } from 'pix-automatic-sdk/sandbox';
import { expect, it, onTestFinished } from 'vitest';
import { startRecorder } from '../cli/listeners';
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
