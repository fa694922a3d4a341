import { Buffer } from 'node:buffer';
import { request } from 'node:http';
import type { SandboxLogEntry } from 'pix-automatic-sdk/sandbox';
import { describe, expect, it } from 'vitest';
import { redactor } from '../../src/sandbox/credentials';
import { httpSend } from '../../src/sandbox/delivery/post-notification';
import { credentials, openListener, openSandbox, order } from './helpers';

const { apiKey, apiToken } = credentials;

/** Opens the page with this `Host` header. */
function pageCookie(url: string, host?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const authorization = `Basic ${Buffer.from(`${apiKey}:${apiToken}`).toString('base64')}`;
    const headers = host === undefined ? { authorization } : { authorization, host };
    request(url, { headers }, (response) => {
      response.resume();
      resolve(String(response.headers['set-cookie']));
    })
      .on('error', reject)
      .end();
  });
}

describe('the credentials', () => {
  it('are blanked at the end of a listener’s answer that was cut, even half of one', async () => {
    for (let offset = 0; offset < apiToken.length; offset++) {
      const listener = await openListener((_request, response) => {
        response.end('x'.repeat(4096 - offset) + apiToken + 'y'.repeat(100));
      });
      const send = httpSend({ credentials, timeoutMs: 5_000 });
      const { text = '' } = await send({
        url: listener.url,
        body: '{}',
        signal: new AbortController().signal,
      });
      // 'x' is in no secret, so that every other letter would be of one.
      expect(text.replace(/^x+/, '')).toMatch(/^(\*\*\*)?$/);
    }
    expect(redactor(credentials)(`whole ${apiToken}`)).toBe('whole ***');
  });

  it('are blanked in an order identifier: in the log, the lists and the page’s state', async () => {
    const entries: SandboxLogEntry[] = [];
    const listener = await openListener();
    const { sandbox, create, call } = await openSandbox({
      webhookUrl: listener.url,
      log: (entry) => void entries.push(entry),
    });
    const { uuid } = await create({ ...order, referenceCode: `order-${apiToken}` });
    sandbox.pay(uuid);
    await sandbox.idle();
    expect(JSON.stringify(entries)).toContain('order-***');
    expect(JSON.stringify(entries)).not.toContain(apiToken);
    const listed = await (await call('GET', '/sandbox/transactions')).text();
    expect(listed).toContain('order-***');
    expect(listed).not.toContain(apiToken);
  });
});

describe('the page’s cookie', () => {
  it('is `Secure` for a browser that came by https, and not for one on this machine', async () => {
    const { sandbox } = await openSandbox({ publicUrl: 'https://sandbox.example' });
    expect(await pageCookie(sandbox.url, 'sandbox.example')).toContain('; Secure');
    expect(await pageCookie(sandbox.url)).not.toContain('Secure');
  });
});
