import { createServer } from 'node:net';
import { ConfigurationError } from 'pix-automatic-sdk';
import { type SandboxOptions, startSandbox } from 'pix-automatic-sdk/sandbox';
import { describe, expect, it } from 'vitest';
import { openSandbox } from './helpers';

describe('startSandbox', () => {
  it('needs no options', async () => {
    const sandbox = await startSandbox();
    expect(sandbox.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(sandbox.credentials.apiKey).not.toBe('');
    await sandbox.close();
  });

  it.each<SandboxOptions>([
    ...[-1, 2 ** 31, Number.NaN].map((retryIntervalMs) => ({ retryIntervalMs })),
    ...['sandbox.example', 'http://'].map((publicUrl) => ({ publicUrl })),
    ...['/hooks', 'ftp://merchant.example', 'http://key:token@127.0.0.1/'].map((webhookUrl) => ({
      webhookUrl,
    })),
    { credentials: { apiKey: 'a:b', apiToken: 'token' } },
  ])('refuses the invalid options %j', async (options) => {
    await expect(startSandbox(options)).rejects.toThrow(ConfigurationError);
  });

  it('has a URL that reaches it, whatever address it listens on', async () => {
    const { sandbox } = await openSandbox({ host: '0.0.0.0' });
    expect(sandbox.url).toMatch(/^http:\/\/127\.0\.0\.1:/);
    expect((await fetch(`${sandbox.url}/sandbox`)).status).toBe(200);
  });

  it('rejects on a port that is taken, and frees its own when it closes', async () => {
    const { sandbox } = await openSandbox();
    const port = Number(new URL(sandbox.url).port);
    await expect(startSandbox({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await sandbox.close();
    const server = createServer();
    await new Promise<void>((resolve, reject) =>
      server.once('error', reject).listen(port, '127.0.0.1', resolve),
    );
    server.close();
  });
});
