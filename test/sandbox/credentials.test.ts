import { describe, expect, it } from 'vitest';
import { redactor } from '../../src/sandbox/credentials';
import { httpSend } from '../../src/sandbox/delivery/post-notification';
import type { SandboxLogEntry } from '../../src/sandbox/log';
import { credentials, openListener, openSandbox, order } from './helpers';

const { apiToken } = credentials;

describe('the credentials', () => {
  it('are blanked at the end of a listener’s answer that was cut, even half of one', async () => {
    for (let offset = 0; offset < apiToken.length; offset++) {
      const listener = await openListener((response) => {
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

  const odd = { apiKey: 'Key-9f4c', apiToken: 'Tok+en/51 x~ç9b' };
  const pair = Buffer.from(`${odd.apiKey}:${odd.apiToken}`).toString('base64');

  it.each([
    ['the pair in Base64', pair],
    ['the pair without padding', pair.replace(/=+$/, '')],
    ['the pair, percent-encoded', encodeURIComponent(pair)],
    ['the token', odd.apiToken],
    ['the token in upper case', odd.apiToken.toUpperCase()],
    ['the token, percent-encoded', encodeURIComponent(odd.apiToken)],
    ['the token, percent-encoded in lower case', encodeURIComponent(odd.apiToken).toLowerCase()],
    ['the token as a form has it', String(new URLSearchParams({ '': odd.apiToken })).slice(1)],
  ])('are blanked whole and cut: %s', (_, echo) => {
    const redact = redactor(odd);
    expect(redact(`<${echo}>`)).toBe('<***>');
    for (let length = 1; length < echo.length; length++) {
      for (const end of ['', ' ', '\n']) {
        expect(redact(`|${echo.slice(0, length)}${end}`, true)).toMatch(/^\|\*\*\*[=%3D]*\s*$/);
      }
    }
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
