import { Buffer } from 'node:buffer';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { selfSigned } from '../client/self-signed';
import { reply, startHttpsServer } from '../helpers/http-server';
import { startRecorder } from './listeners';
import { credentials, environment, runCli, runCliProcess } from './run-cli';

const authorization = `Basic ${Buffer.from(`${credentials.apiKey}:${credentials.apiToken}`).toString('base64')}`;

describe('the credentials of a command', { timeout: 60_000 }, () => {
  it('go over plain http to another host only with --allow-insecure-http', async () => {
    const url = 'http://listener.invalid/webhooks';
    expect(await runCli(['verify', url])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('pass `--allow-insecure-http`'),
    });
    // The notification is sent, and the host does not exist.
    const { status, stderr } = await runCli(['verify', url, '--allow-insecure-http']);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/) });
  });

  it("are the sandbox's own pair on this machine when the environment has none", async () => {
    const { url, received } = await startRecorder(202);
    const { stdout } = await runCli(['verify', url, '--json'], {});
    expect(JSON.parse(stdout).credentials).toBe('sandbox-default');
    const pair = Buffer.from('sandbox-api-key:sandbox-api-token').toString('base64');
    expect(received[0]?.authorization).toBe(`Basic ${pair}`);
  });
});

const here = 'http://127.0.0.1:9/';
const { PAYMENTS_API_KEY } = environment;

const commands: [name: string, args: string[]][] = [
  ['verify', ['verify']],
  ['pay', ['pay', '--sandbox']],
  ['sandbox', ['sandbox', '--port', '0', '--webhook-url']],
];

const overHttp = ['to be an https URL, or one of this machine', 'plain http would show them to the network'];
const broken = { PAYMENTS_API_KEY, PAYMENTS_API_TOKEN: `${credentials.apiToken}\n` };

describe.each(commands)('%s refuses', (_command, args) => {
  it.each<[what: string, url: string, env: Record<string, string>, messages: string[]]>([
    ['plain http to another host', 'http://merchant.example/webhooks', environment, overHttp],
    ['plain http to an address of the network', 'http://192.168.0.1:3000/', environment, overHttp],
    ['plain http to a host like localhost', 'http://localhost.merchant.example/', environment, overHttp],
    ['plain http to a host like 127.0.0.1', 'http://127.0.0.1.merchant.example/', environment, overHttp],
    ['a URL with a user and password in it', 'http://user:secret@127.0.0.1:9/', environment, []],
    ['one part of a pair', here, { PAYMENTS_API_KEY }, ['Expected PAYMENTS_API_TOKEN in the environment']],
    ['a pair that cannot be right', here, broken, ['without white space at its ends']],
  ])('%s: %s', async (_what, url, env, messages) => {
    const { status, stderr } = await runCli([...args, url], env);
    expect({ status, quoted: stderr.includes('secret') }).toEqual({ status: 2, quoted: false });
    for (const message of messages) expect(stderr).toContain(message);
  });
});

it.each(commands.slice(0, 2))(
  '%s sends the sandbox’s own pair to this machine only',
  async (_command, args) => {
    const { status, stderr } = await runCli([...args, 'https://merchant.example/webhooks'], {});
    expect(status).toBe(2);
    expect(stderr).toContain('Expected PAYMENTS_API_KEY and PAYMENTS_API_TOKEN in the environment');
  },
);

it('verify sends over https, with the certificates that Node trusts', async () => {
  const server = await startHttpsServer(selfSigned, reply(401));
  const directory = mkdtempSync(join(tmpdir(), 'pix-automatic-sdk-cli-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const certificate = join(directory, 'cert.pem');
  writeFileSync(certificate, selfSigned.cert);
  const args = ['verify', server.url, '--json'];
  expect(await runCli(args)).toMatchObject({ status: 2, stdout: expect.stringContaining('SELF_SIGNED') });
  expect(server.requests).toEqual([]);
  await runCliProcess(args, { ...environment, NODE_EXTRA_CA_CERTS: certificate });
  expect(server.requests[0]?.headers.authorization).toBe(authorization);
});
