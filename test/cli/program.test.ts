import { describe, expect, it } from 'vitest';
import { VERSION } from '../../src/version';
import { credentials, runCli } from './run-cli';

describe.concurrent('the command line', () => {
  it.each([
    ['the program', [], ['sandbox', 'trigger', 'verify', 'Examples:']],
    ['sandbox', ['sandbox'], ['--port', '--host', '--webhook-url', '--retry-interval', '--json']],
    ['trigger', ['trigger'], ['payout-failed', '--to', '--times', '--duplicate', '--set', '--json']],
    ['verify', ['verify'], ['--to', '--effects', '--limit', 'made up', '--json']],
  ])('explains %s with --help', async (_name, command, words) => {
    const { status, stdout, stderr } = await runCli([...command, '--help'], {});
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const word of [...words, '$ pix-automatic', 'PAYMENTS_API_KEY', 'Exit status:']) {
      expect(stdout).toContain(word);
    }
    expect(stdout, 'no space at the end of a line').not.toMatch(/ $/m);
  });

  it('tells its version', async () => {
    const { status, stdout } = await runCli(['--version']);
    expect(status).toBe(0);
    expect(stdout).toContain(`pix-automatic/${VERSION}`);
  });

  it.each([
    [[], 'Expected a command'],
    [['nothing'], 'There is no such command'],
    [['trigger'], 'missing required args'],
    [['trigger', 'chargeback', '--to', 'http://127.0.0.1:9'], 'Expected a kind: one of payment,'],
    [['trigger', 'toString', '--to', 'http://127.0.0.1:9'], 'Expected a kind'],
    [['trigger', 'payment'], 'Expected `--to`'],
    [['trigger', 'payment', '--to'], 'value is missing'],
    [['trigger', 'payment', '--to', 'nowhere'], 'Expected `--to` to be an absolute URL'],
    [['trigger', 'payment', '--to', 'http://127.0.0.1:9', '--times', '0'], 'Expected `--times`'],
    [
      ['trigger', 'payment', '--to', 'http://127.0.0.1:9', '--set', 'amount'],
      'Expected `--set` as path=value',
    ],
    [['trigger', 'payment', '--to', 'http://127.0.0.1:9', '--api-key', 'k'], 'Unknown option'],
    [['verify'], 'Expected `--to`'],
    [['verify', '--to', 'http://127.0.0.1:9', '--limit', '1.5'], 'Expected `--limit` to be a whole number'],
    [['verify', '--to', 'http://127.0.0.1:9', '--effects', 'ftp://a'], 'Expected `--effects`'],
    [['verify', '--to', 'http://127.0.0.1:9', '--to', 'http://127.0.0.1:9'], 'Expected `--to` once'],
    [['sandbox', '--port', '65536'], 'Expected `--port`'],
    [['sandbox', '--retry-interval', 'soon'], 'Expected `--retry-interval`'],
    [['sandbox', credentials.apiToken], 'Expected no further arguments'],
    [['verify', '--api-token', credentials.apiToken], 'Unknown option'],
  ])('refuses %j with status 2, and says why', async (args, reason) => {
    const { status, stdout, stderr } = await runCli(args, {});
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(reason);
    expect(stderr).toContain('--help');
    expect(stderr).not.toMatch(/^ {4}at /m);
  });
});
