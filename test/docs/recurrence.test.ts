import { startSandbox } from 'pix-automatic-sdk/sandbox';
import { expect, it, onTestFinished } from 'vitest';
import { startRecorder } from '../cli/listeners';
import { credentials, runCli } from '../cli/run-cli';
import { codeBlocks } from './markdown';

it('the commands of the guide to recurrence work in the order of the page', {
  timeout: 120_000,
}, async () => {
  const listener = await startRecorder(200);
  const sandbox = await startSandbox({ credentials, webhookUrl: listener.url });
  onTestFinished(() => sandbox.close());
  const [start = '', ...commands] = codeBlocks('docs/recurrence.md')
    .filter(({ info }) => info === 'sh')
    .flatMap(({ code }) => code.trim().split('\n'))
    .map((line) => line.replace('npx pix-automatic-sdk ', ''));
  expect(start).toBe('sandbox --webhook-url http://127.0.0.1:3000/webhooks');

  const printed: string[] = [];
  for (const command of commands) {
    const args = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
    const { status, stdout, stderr } = await runCli([...args, '--sandbox', sandbox.url]);
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
    'play',
    'cancel-scheduled',
    'play',
  ]);
  expect(printed[2]).toMatch(/scheduled {2}[\w-]{36} {2}\d{4}-\d\d-\d\d {2}SCHEDULED/);
  expect(printed[3]).toContain('No notification was sent. Either this sends none,');
  expect(
    listener.received.map(({ body }) => body['newStatus'] ?? body['yourStatus'] ?? body['status']),
  ).toEqual(expect.arrayContaining(['PAID', 'SCHEDULED', 'CANCELLED']));
});
