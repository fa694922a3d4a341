import { PaymentsClient } from 'pix-automatic-sdk';
import { startSandbox } from 'pix-automatic-sdk/sandbox';
import { fixtures } from 'pix-automatic-sdk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startLibraryListener } from './listeners';
import { credentials, runCli } from './run-cli';

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

describe.concurrent('a listener with `confirm`', { timeout: 120_000 }, () => {
  it('refuses the made-up payment of `trigger`, which says what to do instead', async () => {
    const { sandbox, url, actions } = await start();
    sandbox.setWebhookUrl(url);
    for (const way of [
      ['--to', url],
      ['--sandbox', sandbox.url],
    ]) {
      const { status, stdout } = await runCli(['trigger', 'payment', ...way]);
      expect(status).toBe(1);
      expect(stdout).toContain('HTTP 500');
      expect(stdout).toContain('A listener that confirms payments refuses a made-up one');
      expect(stdout).toContain('`pay`');
    }
    expect(await actions()).toEqual({});
  });

  it('acts once on what that advice leads to: `pay`, then `resend`', async () => {
    const { sandbox, client, url, actions } = await start();
    sandbox.setWebhookUrl(url);
    await client.createRecurringCheckout(fixtures.recurringCheckoutRequest());
    for (const command of ['pay', 'resend']) {
      const { status, stdout } = await runCli([command, '--sandbox', sandbox.url]);
      expect(stdout).toContain('HTTP 200');
      expect(status).toBe(0);
    }
    expect(await actions()).toEqual({ payment: 1 });
  });

  it('takes every other kind of `trigger`, and gets no such advice', async () => {
    const { url } = await start();
    const { status, stdout } = await runCli(['trigger', 'refund', '--to', url]);
    expect(stdout).not.toContain('confirms payments');
    expect(status).toBe(0);
  });

  it('passes `verify --sandbox`, with nothing left unchecked', async () => {
    const { sandbox, url, effects } = await start();
    const args = ['verify', url, '--sandbox', sandbox.url, '--effects', effects, '--json'];
    const { status, stdout } = await runCli(args);
    const { checks } = JSON.parse(stdout);
    const others = checks.filter((check: { verdict: string }) => check.verdict !== 'passed');
    expect(others).toEqual([]);
    expect(status).toBe(0);
  });
});
