import { PaymentsClient } from 'pix-automatic-sdk';
import { startSandbox } from 'pix-automatic-sdk/sandbox';
import { fixtures } from 'pix-automatic-sdk/testing';
import { createWebhookHandler } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verify } from '../../src/cli/commands/verify';
import { startLibraryListener } from './listeners';
import { listen } from './listeners/listen';
import { credentials, runCli, words } from './run-cli';

// `confirm` asks the service about each payment, so a made-up one is refused. The commands must still lead to a payment
// that is acted on, or say why not.

async function start() {
  const sandbox = await startSandbox({ credentials, retryIntervalMs: 60_000 });
  onTestFinished(() => sandbox.close());
  const client = new PaymentsClient({ baseUrl: sandbox.url, ...credentials });
  const { url, effects } = await startLibraryListener(credentials, client);
  const actions = async () => (await fetch(effects)).json();
  return { sandbox, client, url, effects, actions };
}

describe('a listener with `confirm`', { timeout: 120_000 }, () => {
  it('acts once on `pay` and then `resend`', async () => {
    const { sandbox, client, url, actions } = await start();
    sandbox.setWebhookUrl(url);
    await client.createRecurringCheckout(fixtures.recurringCheckoutRequest());
    for (const command of ['pay', 'resend']) {
      const { status, stdout } = await runCli([command, '--sandbox', sandbox.url]);
      expect(stdout).toContain('HTTP 200');
      expect(status).toBe(0);
    }
    expect(await actions()).toMatchObject([{ kind: 'payment' }]);
  });

  it('passes the first example of `verify --help`, as the quick start of the README has it', async () => {
    const { sandbox, client } = await start();
    const handler = createWebhookHandler({ credentials, confirm: client, on: { payment: () => undefined } });
    const { url } = await listen(handler, () => []);
    const [example = ''] = verify.examples ?? [];
    const typed = example
      .replace('http://127.0.0.1:3000/webhooks', url)
      .replace('http://127.0.0.1:4100', sandbox.url);
    const { status, stdout } = await runCli(words(typed));
    expect(stdout).not.toContain('✗');
    expect(status).toBe(0);
  });

  it('passes `verify --sandbox`, with nothing left unchecked', async () => {
    const { sandbox, url, effects } = await start();
    const args = ['verify', url, '--sandbox', sandbox.url, '--effects', effects, '--json'];
    const { status, stdout } = await runCli(args);
    const { steps } = JSON.parse(stdout);
    const others = steps.filter((step: { verdict: string }) => step.verdict !== 'passed');
    expect(others).toEqual([]);
    expect(status).toBe(0);
  });
});
