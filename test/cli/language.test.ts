import { startSandbox } from 'pix-automatic-sdk/sandbox';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commands } from '../../src/cli/program';
import { expectPortuguese } from './expect-portuguese';
import { startRecorder } from './listeners';
import { startMerchant } from './listeners/merchant';
import { credentials, environment, printed, runCli, startCli, words } from './run-cli';

const pt = { LANG: 'pt_BR.UTF-8' };

describe('with a Portuguese locale', { timeout: 60_000 }, () => {
  it.each(['', ...commands.map(({ name }) => name)])(
    'the help of "%s" has no English sentence',
    async (name) => {
      const { status, stdout } = await runCli([...(name === '' ? [] : [name]), '--help'], pt);
      expect(status).toBe(0);
      expect(stdout).toContain('códigos de saída'.slice(1));
      expectPortuguese(stdout);
    },
  );

  it.each([
    '',
    'nothing',
    credentials.apiToken,
    'verify --patrial',
    'verify --to',
    'verify --json=yes --lang pt',
    'verify --to nowhere',
    'verify --to http://merchant.example/',
    'verify --to https://merchant.example/',
    'fault getTransaction latency --times 0',
    'verify',
    'verify http://127.0.0.1:9 --shop http://127.0.0.1:9',
    'fault getTransaction',
    'fault getTransaction body-status --status 5',
    'pay-out',
    'pay-out --amount 1,50',
    'notify --payload {own}',
    'list --lang de',
    'list --sandbox http://127.0.0.1:2',
    'sandbox --port 65536',
    'sandbox --port 6000',
    'sandbox --host 0.0.0.0 --port 0',
  ])('%j fails in Portuguese', async (typed) => {
    const { status, stderr } = await runCli(words(typed), pt);
    expect(status).not.toBe(0);
    expectPortuguese(stderr);
  });

  it('the demo speaks Portuguese, numbers and dates included', async () => {
    const { stdout } = await runCli(['demo'], pt);
    expect(stdout).toContain('R$ 59,70 agora, depois R$ 29,90 por mês');
    expect(stdout).toMatch(/vencimento +\d\d\/\d\d\/\d{4}/);
    expectPortuguese(stdout);
  });

  it('so does everything that talks to a sandbox, and the sandbox’s own log', async () => {
    const listener = await startRecorder(500);
    const env = { ...environment, ...pt };
    const sandbox = await startCli(
      ['sandbox', '--port', '0', '--webhook-url', listener.url, '--retry-interval', '500'],
      env,
    );
    const [url = ''] = await printed(sandbox, /http:\/\/127\.0\.0\.1:\d+/);
    const outputs: string[] = [];
    for (const command of [
      'pay',
      'create --reference-code order-1 --amount 10',
      'pay',
      'pay ordre-1',
      'refund --amount 20',
      'cancel-reversal',
      'fault getTransaction status --status 504 --takes-effect --times 2',
      'list',
      'resend',
      'resend delivery-99',
      'fault --clear',
      'list nothing',
    ]) {
      const { stdout, stderr } = await runCli([...words(command), '--sandbox', url], env);
      outputs.push(stdout, stderr);
    }
    await printed(sandbox, /próxima tentativa em 0,5 s/);
    sandbox.child.kill();
    outputs.push((await sandbox.ended).stdout);
    expect(outputs.at(-1)).toContain('O sandbox está no ar:');
    for (const output of outputs) expectPortuguese(output);
  });

  it('`verify` reports in Portuguese what is wrong, and that it sets armed faults aside', async () => {
    const sandbox = await startSandbox({ credentials });
    onTestFinished(() => sandbox.close());
    sandbox.fault('getTransaction', { kind: 'latency', ms: 1, times: 3 });
    const { url } = await startRecorder(401, 'não');
    const args = ['verify', url, '--sandbox', sandbox.url];
    const { status, stdout } = await runCli(args, { ...environment, ...pt });
    expect(status).toBe(1);
    expect(stdout).toContain('✗ Aceita e lança um pagamento');
    expect(stdout).toContain(
      'Falhas armadas do sandbox que ficam de lado enquanto isso e são rearmadas depois: 1.',
    );
    expectPortuguese(stdout);
    expect((await runCli(args)).stdout).toContain(
      'Armed faults of the sandbox that are set aside meanwhile, and put back afterwards: 1.',
    );
    expect(sandbox.pendingFaults).toMatchObject([{ operation: 'getTransaction', left: 3 }]);
  });

  it('`verify` of a listener that books everything names each mistake in Portuguese', async () => {
    const { url, effects } = await startMerchant({
      isLetIn: () => true,
      respond: (response, _outcome, { header }) => response.writeHead(202).end(header),
      bookedAs: (kind) => (kind === 'unrecognized' ? 'payment' : kind),
    });
    const args = ['verify', url, '--effects', effects, '--effects-wait', '50'];
    const { status, stdout } = await runCli(args, { ...environment, ...pt });
    expect(status).toBe(1);
    expect(stdout).toMatch(/\b[4-9] falharam/);
    expectPortuguese(stdout);
  });

  it('JSON stays English, for programs', async () => {
    const { stdout } = await runCli(['fault', 'getTransaction', 'latncy', '--json'], pt);
    expect(JSON.parse(stdout).error.message).toContain('Did you mean `latency`?');
  });
});
