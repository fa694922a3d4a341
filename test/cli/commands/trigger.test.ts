import { Buffer } from 'node:buffer';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { selfSigned } from '../../client/self-signed';
import { reply, startHttpsServer } from '../../helpers/http-server';
import { startLibraryListener, startRecorder } from '../listeners';
import { credentials, environment, runCli } from '../run-cli';

const authorization = `Basic ${Buffer.from(`${credentials.apiKey}:${credentials.apiToken}`).toString('base64')}`;

async function trigger(...args: string[]) {
  const { status, stdout, stderr } = await runCli(['trigger', '--json', ...args]);
  expect(stderr).toBe('');
  return { status, report: JSON.parse(stdout) };
}

describe.concurrent('trigger', () => {
  it.each([
    ['payment', '', /^payment:[\w-]{36}:PAID$/],
    ['sale-reversal', '', /^payment:[\w-]{36}:REVERSAL$/],
    ['reversal', '?reversing=true&type=reversing', /^reversal:[\w-]{36}:PENDING$/],
    ['refund', '?refund=true&type=refund', /^refund:[\w-]{36}:PAID$/],
    ['payout', '?payout=true&type=payout', /^payout:[\w-]{36}:true:PAID$/],
    ['payout-failed', '?payout=true', /^payout:[\w-]{36}:false:PENDING$/],
    ['unrecognized', '', /^unrecognized:[0-9a-f]{64}$/],
  ])('sends a %s as the service does, and prints its key and the answer', async (kind, query, key) => {
    const { url, received } = await startRecorder(200, 'thanks');
    const { status, report } = await trigger(kind, '--to', url);
    expect(status).toBe(0);
    expect(report).toEqual({
      kind,
      to: url,
      credentials: 'environment',
      ok: true,
      sent: [
        {
          number: 1,
          key: expect.stringMatching(key),
          duplicate: false,
          query: query.slice(1),
          payload: received[0]?.body,
          httpStatus: 200,
          durationMs: expect.any(Number),
          answer: 'thanks',
        },
      ],
    });
    expect(received).toEqual([{ url: `/webhooks${query}`, authorization, body: report.sent[0].payload }]);
  });

  it("is let in by this library's listener, which acts once on --duplicate", async () => {
    const { url, effects } = await startLibraryListener(credentials);
    const { status, report } = await trigger('refund', '--to', url, '--times', '3', '--duplicate');
    expect(status).toBe(0);
    expect(report.sent.map(({ duplicate }: { duplicate: boolean }) => duplicate)).toEqual([
      false,
      true,
      true,
    ]);
    expect(await (await fetch(effects)).json()).toEqual({ refund: 1 });
  });

  it('sends as many different ones as --times says', async () => {
    const { url, received } = await startRecorder(200);
    await trigger('payment', '--to', url, '--times', '3');
    expect(new Set(received.map(({ body }) => body['saleToken'])).size).toBe(3);
  });

  it('changes the payload with --set, at any depth and as JSON', async () => {
    const { url, received } = await startRecorder(200);
    const fields = ['status=NEW', 'refund.amount=5', 'receipt=null', 'extra.list=[1]', 'reason=a=b'];
    await trigger('refund', '--to', url, ...fields.flatMap((field) => ['--set', field]));
    expect(received[0]?.body).toMatchObject({
      status: 'NEW',
      refund: { amount: 5, uuid: expect.any(String) },
      receipt: null,
      extra: { list: [1] },
      reason: 'a=b',
    });
  });

  it.each([
    ['payment', 'newStatus=REVERSAL', 'saleStatus', '`createWebhookHandler` calls `on.saleStatus` for it'],
    ['payment', 'newStatus=null', 'unrecognized', 'calls `on.unrecognized` for it'],
    ['refund', 'refund.uuid=null', 'unreadable', 'a field that it needs is missing'],
  ])('says that a %s with --set %s becomes another kind', async (kind, field, becomes, explanation) => {
    const { url } = await startRecorder(200);
    expect((await trigger(kind, '--to', url, '--set', field)).report).toMatchObject({ kind, becomes });
    const { stdout } = await runCli(['trigger', kind, '--to', url, '--set', field]);
    expect(stdout).toContain(`With --set this is no ${kind} any more: `);
    expect(stdout).toContain(explanation);
  });

  it('mentions no other kind when --set leaves it the same', async () => {
    const { url } = await startRecorder(200);
    const { report } = await trigger('payment', '--to', url, '--set', 'amount=1');
    expect(report).not.toHaveProperty('becomes');
  });

  it('sends over plain http to another host only with --allow-insecure-http', async () => {
    const url = 'http://listener.invalid/webhooks';
    expect(await runCli(['trigger', 'payment', '--to', url])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('pass `--allow-insecure-http`'),
    });
    // The notification is sent, and the host does not exist.
    const { status, report } = await trigger('payment', '--to', url, '--allow-insecure-http');
    expect({ status, error: report.sent[0].error }).toEqual({
      status: 1,
      error: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/),
    });
  });

  it.each([202, 302, 401, 500])('ends with status 1 when the answer is %i', async (answer) => {
    const { url } = await startRecorder(answer);
    const { status, report } = await trigger('payment', '--to', url);
    expect(status).toBe(1);
    expect(report).toMatchObject({ ok: false, sent: [{ httpStatus: answer }] });
  });

  it('prints no credentials, even when the listener answers with them', async () => {
    const answer = `{authorization} ${credentials.apiKey} ${encodeURIComponent(credentials.apiToken)}`;
    const { url } = await startRecorder(200, answer);
    const { stdout } = await runCli(['trigger', 'payment', '--to', `${url}?token=${credentials.apiToken}`]);
    // `runCli` checks in every run that no credential is printed.
    expect(stdout).toContain('Basic *** *** ***');
  });

  it('prints what a listener writes without its control characters', async () => {
    const { url } = await startRecorder(200, '\u001b]0;title\u0007\u001b[31mred\nnext');
    const { stdout } = await runCli(['trigger', 'payment', '--to', url]);
    expect(stdout).toMatch(/HTTP 200 {2}\d+ ms {2}payment:\S+ {2}"\]0;title \[31mred next"\n/);
  });

  it("uses the sandbox's own pair on this machine when the environment has none", async () => {
    const { url, received } = await startRecorder(200);
    const { status, stdout } = await runCli(['trigger', 'payment', '--to', url, '--json'], {});
    expect(status).toBe(0);
    expect(JSON.parse(stdout).credentials).toBe('sandbox-default');
    const pair = Buffer.from('sandbox-api-key:sandbox-api-token').toString('base64');
    expect(received[0]?.authorization).toBe(`Basic ${pair}`);
  });
});

const here = 'http://127.0.0.1:9/';
const { PAYMENTS_API_KEY } = environment;

const commands: [name: string, args: string[]][] = [
  ['trigger', ['trigger', 'payment', '--to']],
  ['verify', ['verify']],
  ['pay', ['pay', '--sandbox']],
  ['sandbox', ['sandbox', '--port', '0', '--webhook-url']],
];

describe.concurrent.each(commands)('%s refuses', (_command, args) => {
  it.each([
    'http://merchant.example/webhooks',
    'http://192.168.0.1:3000/',
    'http://localhost.merchant.example/',
    'http://127.0.0.1.merchant.example/',
  ])('to send credentials over plain http to %s', async (url) => {
    const { status, stderr } = await runCli([...args, url]);
    expect(status).toBe(2);
    expect(stderr).toContain('to be an https URL, or one of this machine');
    expect(stderr).toContain('plain http would show them to the network');
  });

  it('a URL with a user and password in it', async () => {
    const { status, stderr } = await runCli([...args, 'http://user:secret@127.0.0.1:9/']);
    expect({ status, quoted: stderr.includes('secret') }).toEqual({ status: 2, quoted: false });
  });

  it('a pair of which the environment has only one part', async () => {
    const { status, stderr } = await runCli([...args, here], { PAYMENTS_API_KEY });
    expect(status).toBe(2);
    expect(stderr).toContain('Expected PAYMENTS_API_TOKEN in the environment');
  });

  it('a pair that cannot be right', async () => {
    const broken = { PAYMENTS_API_KEY, PAYMENTS_API_TOKEN: `${credentials.apiToken}\n` };
    const { status, stderr } = await runCli([...args, here], broken);
    expect(status).toBe(2);
    expect(stderr).toContain('without white space at its ends');
  });
});

it.each(commands.slice(0, 3))(
  '%s sends the sandbox’s own pair to this machine only',
  async (_command, args) => {
    const { status, stderr } = await runCli([...args, 'https://merchant.example/webhooks'], {});
    expect(status).toBe(2);
    expect(stderr).toContain('Expected PAYMENTS_API_KEY and PAYMENTS_API_TOKEN in the environment');
  },
);

it('trigger sends over https, with the certificates that Node trusts', async () => {
  const server = await startHttpsServer(selfSigned, reply(200));
  const directory = mkdtempSync(join(tmpdir(), 'pix-automatic-sdk-cli-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const certificate = join(directory, 'cert.pem');
  writeFileSync(certificate, selfSigned.cert);
  const args = ['trigger', 'payment', '--to', server.url, '--json'];
  expect(await runCli(args)).toMatchObject({ status: 1, stdout: expect.stringContaining('SELF_SIGNED') });
  expect(server.requests).toEqual([]);
  expect((await runCli(args, { ...environment, NODE_EXTRA_CA_CERTS: certificate })).status).toBe(0);
  expect(server.requests[0]?.headers.authorization).toBe(authorization);
});
