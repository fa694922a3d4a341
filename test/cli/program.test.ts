import { describe, expect, it } from 'vitest';
import { VERSION } from '../../src/version';
import { credentials, runCli, runCliProcess, words } from './run-cli';

describe('the command line', () => {
  it.each([
    ['the program', [], ['demo', 'sandbox', 'pay-out', 'verify']],
    ['demo', ['demo'], ['--json', 'Nothing leaves this machine']],
    ['sandbox', ['sandbox'], ['--port', '--host', '--webhook-url', '--retry-interval', '--json']],
    ['pay', ['pay'], ['[uuid or referenceCode]', '--sandbox', '--allow-insecure-http', '--json']],
    ['fault', ['fault'], ['cancelScheduledPayment', 'stalled-body', '--times', '--clear', '--json']],
    [
      'verify',
      ['verify'],
      ['<ms>', '--effects', '--sandbox', '--limit', 'the service documents no limit', '--json'],
    ],
  ])('explains %s with --help', async (_name, command, words) => {
    const { status, stdout, stderr } = await runCli([...command, '--help'], {});
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const word of [...words, 'npx pix-automatic-sdk']) expect(stdout).toContain(word);
    // They stand once, in the help of the program; `verify` has exit codes of its own.
    expect(stdout.includes('Credentials:')).toBe(command.length === 0);
    expect(stdout.includes('Exit codes:')).toBe(command.length === 0 || command[0] === 'verify');
    expect(stdout.includes('Examples:')).toBe(command[0] === 'verify');
    expect(stdout, 'no space at the end of a line').not.toMatch(/ $/m);
  });

  it.each([
    ['--version', 0],
    ['list --sandbox http://127.0.0.1:2', 1],
    ['list --sandbox http://127.0.0.1:2 --json', 1],
    ['nothing', 2],
    ['verify --help', 0],
  ])(
    'started as users do with %j, ends with status %s, and prints what it prints here',
    async (typed, status) => {
      const ended = await runCliProcess(words(typed), {});
      expect(ended).toEqual(await runCli(words(typed), {}));
      expect(ended.status).toBe(status);
    },
  );

  it.each(['--version', '-v', 'version'])('tells its version: %s', async (typed) => {
    const { status, stdout } = await runCli([typed]);
    expect(status).toBe(0);
    expect(stdout).toBe(`pix-automatic-sdk/${VERSION}\n`);
  });

  it.each([
    ['', 'Expected <command>: one of demo,'],
    ['nothing', 'There is no command `nothing`. Expected one of demo,'],
    ['payout', 'There is no command `payout`. Did you mean `pay-out`?'],
    ['verfiy', 'Did you mean `verify`?'],
    [credentials.apiToken, 'There is no command of that name'],
    ['listen', 'There is no command `listen`. `pix-automatic-sdk sandbox --webhook-url URL` sends'],
    ['trigger', 'There is no command `trigger`. `pix-automatic-sdk pay` pays'],
    ['verify -x', 'There is no option `-x`.\n'],
    ['verify --language pt', 'There is no option `--language`. The terminal speaks English'],
    ['verify localhost:3000/webhooks', 'Write `http://` in front of it.'],
    ['verify http://127.0.0.1:9 --kinds payment, refund', 'Write a list without spaces.'],
    ['verify --patrial', 'There is no option `--patrial`. Did you mean `--partial`?'],
    ['verify --to', 'Expected a value after `--to`: <url>'],
    ['verify --to --limit', 'Expected a value after `--to`'],
    ['verify --json=yes', 'Expected `--json` without a value'],
    ['verify --to nowhere', 'Expected `--to` to be an absolute URL'],
    ['fault getTransaction latency --times 0', 'Expected `--times`'],
    ['verify --to http://127.0.0.1:9 --api-key k', 'There is no option `--api-key`'],
    ['fault toString latency', 'There is no operation `toString`'],
    ['verify', 'Expected the URL of your listener'],
    ['verify http://127.0.0.1:9 --to http://127.0.0.1:9', 'Expected the listener once'],
    [
      'fault getTransactoin latency',
      'There is no operation `getTransactoin`. Did you mean `getTransaction`?',
    ],
    ['fault getTransaction latncy', 'There is no kind `latncy`. Did you mean `latency`?'],
    ['fault getTransaction body-status --status 5', 'to be -1 or 999'],
    ['fault getTransaction status --status 200', 'Expected `--status` to be a whole number from 300 to 599.'],
    [
      'pay --sandbox 127.0.0.1:4100',
      'Expected `--sandbox` to be an absolute URL such as http://127.0.0.1:4100.',
    ],
    ['refund --value 10', 'There is no option `--value`. Did you mean `--amount`?'],
    ['sandbox --webhook http://127.0.0.1:9', 'There is no option `--webhook`. Did you mean `--webhook-url`?'],
    ['verify --value 10', 'There is no option `--value`.\n'],
    ['notify {a:1}', '`notify` takes no argument. The JSON is the value of `--payload`.'],
    ['fault getTransaction', 'Expected <kind>: one of latency,'],
    ['fault getTransaction --clear', 'Expected `--clear` alone'],
    ['verify --to http://127.0.0.1:9 --limit 1.5', 'Expected `--limit` to be a whole number'],
    ['verify --to http://127.0.0.1:9 --effects ftp://a', 'Expected `--effects`'],
    ['verify --to http://127.0.0.1:9 --to http://127.0.0.1:9', 'Expected `--to` once'],
    ['sandbox --port 65536', 'Expected `--port`'],
    ['sandbox --retry-interval soon', 'Expected `--retry-interval`'],
    [`sandbox ${credentials.apiToken}`, '`sandbox` takes no argument.\n'],
    ['sandbox 4100', '`sandbox` takes no argument. The port is `--port 4100`.'],
    ['demo 4100', '`demo` takes no argument.\n'],
    ['pay one two', 'an argument too many: `two`. `pay` takes <uuid or referenceCode>'],
    ['refund b1 10', 'There is an argument too many. `refund` takes <uuid or referenceCode>'],
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

  it('does not show how to call it where it was called rightly, and could not begin', async () => {
    const { status, stderr } = await runCli(words('verify http://127.0.0.1:9/webhooks'), {});
    expect(status).toBe(2);
    expect(stderr).toMatch(/^pix-automatic-sdk: Nothing listens at the URL of the listener[^\n]*\n$/);
  });

  it.each([
    ['nothing --json', 2, 'There is no command `nothing`', undefined],
    ['fault getTransaction latncy --json', 2, 'Did you mean `latency`?', 'Usage: pix-automatic-sdk fault'],
    ['verify --json', 2, 'Expected the URL of your listener', 'Usage: pix-automatic-sdk verify'],
    ['verify --to --json', 2, 'Expected a value after `--to`', 'Usage: pix-automatic-sdk verify'],
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
