import { describe, expect, it } from 'vitest';
import { VERSION } from '../../src/version';
import { credentials, runCli, words } from './run-cli';

describe.concurrent('the command line', () => {
  it.each([
    ['the program', [], ['demo', 'sandbox', 'pay-out', 'trigger', 'verify', 'read-qr', 'Examples:']],
    ['demo', ['demo'], ['--break', '--json', 'Nothing leaves this machine']],
    ['sandbox', ['sandbox'], ['--port', '--host', '--webhook-url', '--retry-interval', '--json']],
    ['pay', ['pay'], ['[uuid or referenceCode]', '--sandbox', '--allow-insecure-http', '--json']],
    ['fault', ['fault'], ['cancelScheduledPayment', 'stalled-body', '--times', '--clear', '--json']],
    [
      'trigger',
      ['trigger'],
      ['payout-failed', '--to', '--sandbox', '--times', '--duplicate', '--set', '--json'],
    ],
    [
      'verify',
      ['verify'],
      ['<ms>', '--effects', '--sandbox', '--limit', 'the service documents no limit', '--json'],
    ],
  ])('explains %s with --help', async (_name, command, words) => {
    const { status, stdout, stderr } = await runCli([...command, '--help'], {});
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const word of [
      ...words,
      '$ npx pix-automatic-sdk',
      'PAYMENTS_API_KEY',
      'Exit codes:',
      '2  called wrongly',
    ]) {
      expect(stdout).toContain(word);
    }
    expect(stdout, 'no space at the end of a line').not.toMatch(/ $/m);
  });

  it('tells its version', async () => {
    const { status, stdout } = await runCli(['--version']);
    expect(status).toBe(0);
    expect(stdout).toBe(`pix-automatic-sdk/${VERSION}\n`);
  });

  it.each([
    ['', 'Expected <command>: one of demo,'],
    ['nothing', 'There is no command `nothing`. Expected one of demo,'],
    ['payout', 'There is no command `payout`. Did you mean `pay-out`?'],
    ['verfiy', 'Did you mean `verify`?'],
    [credentials.apiToken, 'There is no command of that name'],
    ['trigger', 'Expected <kind>'],
    ['trigger chargeback --to http://127.0.0.1:9', 'There is no kind `chargeback`. Expected one of payment,'],
    ['trigger paymnet', 'There is no kind `paymnet`. Did you mean `payment`?'],
    ['trigger payment --dupicate', 'There is no option `--dupicate`. Did you mean `--duplicate`?'],
    ['trigger toString --to http://127.0.0.1:9', 'There is no kind `toString`'],
    ['trigger payment --to', 'Expected a value after `--to`: <url>'],
    ['trigger payment --to --times', 'Expected a value after `--to`'],
    ['trigger payment --json=yes', 'Expected `--json` without a value'],
    ['trigger payment --to http://127.0.0.1:9 --sandbox http://127.0.0.1:9', 'not both'],
    ['trigger payment --duplicate --times 1', 'Expected `--times` to be 2 or more'],
    ['trigger payment --to nowhere', 'Expected `--to` to be an absolute URL'],
    ['trigger payment --to http://127.0.0.1:9 --times 0', 'Expected `--times`'],
    ['trigger payment --to http://127.0.0.1:9 --set amount', 'Expected `--set` as path=value'],
    ['trigger payment --to http://127.0.0.1:9 --api-key k', 'There is no option `--api-key`'],
    ['verify', 'Expected the URL of your listener'],
    ['verify http://127.0.0.1:9 --to http://127.0.0.1:9', 'Expected the listener once'],
    [
      'fault getTransactoin latency',
      'There is no operation `getTransactoin`. Did you mean `getTransaction`?',
    ],
    ['fault getTransaction latncy', 'There is no kind `latncy`. Did you mean `latency`?'],
    ['fault getTransaction body-status --status 5', 'to be -1 or 999'],
    ['fault getTransaction', 'Expected <kind>: one of latency,'],
    ['fault getTransaction --clear', 'Expected `--clear` alone'],
    ['demo --break qurey', 'Did you mean `query`?'],
    ['verify --to http://127.0.0.1:9 --limit 1.5', 'Expected `--limit` to be a whole number'],
    ['verify --to http://127.0.0.1:9 --effects ftp://a', 'Expected `--effects`'],
    ['verify --to http://127.0.0.1:9 --to http://127.0.0.1:9', 'Expected `--to` once'],
    ['sandbox --port 65536', 'Expected `--port`'],
    ['sandbox --retry-interval soon', 'Expected `--retry-interval`'],
    [`sandbox ${credentials.apiToken}`, 'Expected no further arguments'],
    [`verify --api-token ${credentials.apiToken}`, 'There is no option `--api-token`'],
    [`verify --${credentials.apiToken}`, 'There is no option of that name'],
    ['sandbox --host 0.0.0.0 --port 0', 'default credentials, which everybody knows'],
  ])('refuses %j with status 2, and says why', async (typed, reason) => {
    const { status, stdout, stderr } = await runCli(words(typed), {});
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(reason);
    expect(stderr).toContain('--help');
    const [command = ''] = words(typed);
    if (/^[a-z-]+$/.test(command) && !stderr.includes('no command'))
      expect(stderr).toContain(`Usage: pix-automatic-sdk ${command}`);
    expect(stderr).not.toMatch(/^ {4}at /m);
  });

  it.each([
    ['nothing --json', 2, 'There is no command `nothing`', undefined],
    ['fault getTransaction latncy --json', 2, 'Did you mean `latency`?', 'Usage: pix-automatic-sdk fault'],
    ['verify --json', 2, 'Expected the URL of your listener', 'Usage: pix-automatic-sdk verify'],
    ['trigger payment --to --json', 2, 'Expected a value after `--to`', 'Usage: pix-automatic-sdk trigger'],
    ['list --sandbox http://127.0.0.1:2 --json', 1, 'The sandbox is not running', undefined],
  ])('reports the error of %j as one line of JSON', async (typed, exitCode, message, usage) => {
    const { status, stdout, stderr } = await runCli(words(typed), {});
    expect({ status, stderr }).toEqual({ status: exitCode, stderr: '' });
    expect(stdout).toMatch(/^\{.*\}\n$/);
    const { error } = JSON.parse(stdout);
    expect(error.message).toContain(message);
    if (usage === undefined) expect(error).not.toHaveProperty('usage');
    else expect(error.usage).toContain(usage);
  });
});
