import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { PaymentsClient } from 'pix-automatic-sdk';
import { startSandbox } from 'pix-automatic-sdk/sandbox';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseArguments } from '../../../src/cli/command';
import { pageVerify } from '../../../src/cli/commands/sandbox';
import { effectsCode, verify } from '../../../src/cli/commands/verify';
import { CliFailure } from '../../../src/cli/failure';
import { SandboxClient } from '../../../src/cli/sandbox-client';

import { texts } from '../../../src/cli/texts';
import type { Verdict } from '../../../src/cli/verify/check';
import { exitCodeOf, reportLines } from '../../../src/cli/verify/report';
import { checklist, withoutFaults } from '../../../src/cli/verify/run-checklist';
import { fixtures } from '../../../src/testing';
import { startRecorder } from '../listeners';
import { listen } from '../listeners/listen';
import { pair, rightHeader, startMerchant } from '../listeners/merchant';
import { rightListeners } from '../listeners/right-listeners';
import { startListener, verifyListener } from '../listeners/verify-listener';
import { runCli } from '../run-cli';

const environment = { PAYMENTS_API_KEY: pair.apiKey, PAYMENTS_API_TOKEN: pair.apiToken };

beforeAll(() => {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
});
afterAll(() => void vi.unstubAllEnvs());

/** Calls `verify` in this process, and returns the failure that it ends with. */
async function failureOf(...args: string[]): Promise<CliFailure> {
  const thrown: unknown = await verify.run(parseArguments(verify, args)).catch((error) => error);
  if (!(thrown instanceof CliFailure)) throw new Error(`Expected a CliFailure, got ${thrown}`);
  for (const secret of [...Object.values(pair), rightHeader]) expect(thrown.message).not.toContain(secret);
  return thrown;
}

/** The URL of a server that answers every request this way. */
async function answering(answer: (response: ServerResponse) => unknown): Promise<string> {
  const { url } = await listen(
    (_request, response) => void answer(response),
    () => 0,
  );
  return url;
}

async function verdicts(...args: Parameters<typeof verifyListener>) {
  const checks = await verifyListener(...args);
  const ids = (verdict: string) => checks.filter((check) => check.verdict === verdict).map(({ id }) => id);
  return { checks, failed: ids('failed'), notChecked: ids('not-checked') };
}

it.each(['docs/verify.md'])('%s shows the code for --effects that the command shows', (file) => {
  const text = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
  expect(text).toContain(effectsCode.join('\n'));
});

it('a failed check also prints what it could not find out', () => {
  const lines = reportLines({
    id: 'reachable',
    title: 'Can be reached',
    verdict: 'failed',
    problems: ['a payment was answered with HTTP 500'],
    open: ['a body of no known kind was accepted'],
    why: undefined,
    fix: undefined,
  });
  expect(lines.split('\n').slice(1)).toEqual([
    expect.stringContaining('a payment was answered with HTTP 500'),
    expect.stringContaining('a body of no known kind was accepted'),
  ]);
});

describe('the exit code of verify', () => {
  const results = (...verdicts: Verdict[]) =>
    verdicts.map((verdict, index) => ({ id: index === 0 ? 'reachable' : `check-${index}`, verdict }));

  it.each([
    ['every check passed', results('passed', 'passed'), 0, 0],
    ['one failed', results('passed', 'failed'), 1, 1],
    ['one failed and one could not run', results('passed', 'failed', 'not-checked'), 1, 1],
    ['one could not run', results('passed', 'not-checked'), 3, 0],
    ['the listener did not answer', results('not-checked', 'not-checked'), 2, 2],
    ['the listener refused the first notification', results('failed', 'not-checked'), 1, 1],
    ['nothing ran', [], 2, 2],
  ] as const)('when %s', (_when, checks, strict, partial) => {
    expect([exitCodeOf(checks, false), exitCodeOf(checks, true)]).toEqual([strict, partial]);
  });

  it.each([
    [[], 3],
    [['--partial'], 0],
  ])(
    'of a right listener without --effects, called with %j',
    { timeout: 180_000 },
    async (options, expected) => {
      const { url } = await startMerchant({});
      const { status, stdout } = await runCli(['verify', url, ...options], environment);
      expect(status).toBe(expected);
      expect(stdout.includes('Not checked is not passed')).toBe(expected === 3);
    },
  );
});

describe.concurrent('verify as a command', { timeout: 180_000 }, () => {
  it('ends with status 3 for a right listener without --sandbox, prints every check, and no credential', async () => {
    const { url, effects } = await startMerchant({});
    const args = ['verify', url, '--effects', effects, '--effects-wait', '100', '--json'];
    const { status, stdout, stderr } = await runCli(args, environment);
    expect({ status, stderr }).toEqual({ status: 3, stderr: '' });
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({
      to: url,
      ok: false,
      failed: 0,
      notChecked: 1,
      credentials: 'environment',
    });
    expect(report.checks.map(({ id }: { id: string }) => id)).toEqual(checklist.map(({ id }) => id));
    for (const secret of [...Object.values(pair), rightHeader]) expect(stdout).not.toContain(secret);
  });

  it('ends with status 1, and tells people what is wrong, why it costs money, and what to fix', async () => {
    const { url } = await startMerchant({ respond: (response) => response.writeHead(202).end() });
    const { status, stdout } = await runCli(['verify', '--to', url], environment);
    expect(status).toBe(1);
    expect(stdout).toContain('✓ Rejects missing and wrong credentials');
    expect(stdout).toMatch(/✗ Accepts with 200 and with no other status\n {6}.*HTTP 202/);
    expect(stdout).toMatch(/Why: After 202 or 204/);
    expect(stdout).toMatch(/Fix: Answer 200/);
    expect(stdout).toMatch(/– Acts once on duplicates, and accepts them: not checked/);
    expect(stdout).toMatch(/\d+ passed, 1 failed, \d+ not checked\.\n$/);
    expect(stdout, 'no color without a terminal').not.toContain('\u001b');
  });

  it('says that the sandbox of --sandbox is not running, and sends nothing', async () => {
    const { url, received } = await startRecorder(200);
    const { status, stderr } = await runCli(['verify', url, '--sandbox', 'http://127.0.0.1:2']);
    expect({ status, received }).toEqual({ status: 2, received: [] });
    expect(stderr).toContain('start it with `npx pix-automatic-sdk sandbox`');
  });
});

describe.concurrent('verify without --effects', { timeout: 180_000 }, () => {
  it('marks checks that need the count as not checked, rather than passed', async () => {
    const { failed, notChecked } = await verdicts(await startMerchant({}), { countsEffects: false });
    expect(failed).toEqual([]);
    expect(notChecked).toEqual([
      'acts',
      'right-kind',

      'burst',
      'one-sale',
      'work-first',
      'duplicates',
      'retry',
      'confirms',
    ]);
  });

  it('notices deduplication on saleToken where responses tell duplicates apart', async () => {
    const listener = await startMerchant({
      keyOf: (_kind, payload) => payload.saleToken ?? payload.uuid ?? '',
      respond: (response, outcome) => response.writeHead(200).end(outcome),
    });
    expect((await verdicts(listener, { countsEffects: false })).failed).toEqual(['one-sale']);
  });

  it('finds no fault with a right listener whose responses tell duplicates apart', async () => {
    const listener = await startMerchant({
      respond: (response, outcome) => response.writeHead(200).end(outcome),
    });
    expect((await verdicts(listener, { countsEffects: false })).failed).toEqual([]);
  });
});

describe.concurrent('verify stops early', { timeout: 180_000 }, () => {
  it('when the listener has a rate limit, which is named and is no fault', async () => {
    let answered = 0;
    const limited = await startMerchant({
      isLetIn: (header) => header === rightHeader && ++answered <= 20,
      refuse: (response) => response.writeHead(answered > 20 ? 429 : 401).end(),
    });
    const { checks, failed } = await verdicts(limited);
    const reasons = checks.flatMap(({ open }) => open).join('\n');
    expect({ failed, answered }).toEqual({ failed: [], answered: 21 });
    expect(reasons).toContain('the listener has a rate limit (HTTP 429 after 21 notifications)');
  });

  it('after three responses in a row that did not come, in each of two checks', async () => {
    let requests = 0;
    // Only the first response comes.
    const hanging = await startMerchant({
      respond: (response) => (++requests === 1 ? response.writeHead(200).end() : undefined),
    });
    const { checks } = await verdicts(hanging, { limitMs: 100 });
    const stopped = checks.filter(({ open }) => open.join().includes('stopped after 3 timeouts in a row'));
    expect(stopped.length).toBeGreaterThan(0);
    expect(requests).toBeLessThan(12);
  });
});

describe.concurrent('verify', { timeout: 180_000 }, () => {
  it('says that one number cannot tell kinds apart', async () => {
    const listener = await startMerchant({
      count: ({ counts }) => Object.values(counts).reduce((all, one) => all + one, 0),
    });
    const { failed, notChecked, checks } = await verdicts(listener);
    expect({ failed, notChecked }).toEqual({ failed: [], notChecked: ['right-kind', 'confirms'] });
    expect(checks.find(({ id }) => id === 'right-kind')?.open.join()).toContain(
      'let --effects answer an object',
    );
  });

  it('leaves the other checks open when the first notification did not get through', async () => {
    const { url, effects } = await startRecorder(401);
    const { failed, notChecked } = await verdicts({ url, effects });
    expect(failed).toEqual(['reachable']);
    expect(notChecked).toHaveLength(checklist.length - 3);
  });

  it('does not advise anybody to answer 200 to sales that they do not know', () => {
    for (const text of Object.values(texts.en)) expect(text).not.toMatch(/sales that you do not know/);
  });

  it('fails a listener that confirms payments when there are no real sales, and advises --sandbox', async () => {
    const confirming = rightListeners.find(({ does }) => does.startsWith('confirms')) ?? { does: '' };
    const { failed, checks } = await verdicts(await startListener(confirming));
    expect(failed).toEqual(['reachable']);
    expect(checks[0]?.fix).toContain('pass --sandbox here');
  });
});

describe.concurrent('the count of --effects', { timeout: 180_000 }, () => {
  it.each([
    ['is no number', '"many"'],
    ['is a list', '[{}]'],
    ['is no JSON', 'no JSON'],
    ['has more than 64 KiB', JSON.stringify({ payment: 1, ['x'.repeat(65 * 1024)]: 1 })],
  ])('is refused before anything is sent when it %s', async (_what, answer) => {
    const { url, received } = await startRecorder(200);
    const counter = await startRecorder(200, answer);
    const { exitCode, message } = await failureOf(url, '--effects', counter.url);
    expect({ exitCode, received }).toEqual({ exitCode: 2, received: [] });
    expect(message).toContain('Expected `--effects` to answer 200 with the number of actions');
  });

  it('is reported as out of reach when nothing listens there', async () => {
    const { url, received } = await startRecorder(200);
    const { exitCode, message } = await failureOf(url, '--effects', 'http://127.0.0.1:9/actions');
    expect({ exitCode, received }).toEqual({ exitCode: 2, received: [] });
    expect(message).toContain('The URL of `--effects` cannot be reached');
  });

  it('is not followed through a redirect', async () => {
    const { effects } = await startMerchant({});
    const { url, received } = await startRecorder(200);
    const redirect = await answering((response) => response.writeHead(302, { location: effects }).end());
    expect((await failureOf(url, '--effects', redirect)).exitCode).toBe(2);
    expect(received).toEqual([]);
  });
});

describe.concurrent('the check of missing fields', { timeout: 180_000 }, () => {
  it('names each field without which a notification is accepted and not acted on', async () => {
    const listener = await startMerchant({
      countedAs: (kind, { currency }) =>
        kind === 'unrecognized' || (kind === 'payment' && !currency) ? undefined : kind,
    });
    const { checks } = await verdicts(listener);
    expect(checks.find(({ id }) => id === 'missing-fields')?.problems).toEqual([
      'accepted and not acted on: payment with `currency` left out, payment with `currency` null',
    ]);
  });
});

describe.concurrent('verify of a listener that does not ask the service', { timeout: 180_000 }, () => {
  it('marks its confirmation as not checked, and does not fail it', async () => {
    const sandbox = await startSandbox({ credentials: pair });
    const { checks, failed } = await verdicts(await startMerchant({}), { sandbox: sandbox.url });
    // A fault that verify left behind would make one of these calls fail.
    const client = new PaymentsClient({ baseUrl: sandbox.url, ...pair, maxRetries: 0 });
    const { response } = await client.createRecurringCheckout(fixtures.recurringCheckoutRequest());
    await client.getTransaction(response.uuid);
    await sandbox.close();
    expect(failed).toEqual([]);
    expect(checks.find(({ id }) => id === 'confirms')).toMatchObject({
      verdict: 'not-checked',
      open: ['your listener does not confirm payments with the service before it acts'],
    });
  });
});

describe.concurrent('verify with --shop', { timeout: 180_000 }, () => {
  it('passes a listener that refuses orders which its own shop did not create', async () => {
    const sandbox = await startSandbox({ credentials: pair });
    const client = new PaymentsClient({ baseUrl: sandbox.url, ...pair });
    const orders = new Set<string>();
    const shop = await answering(async (response) => {
      const request = fixtures.recurringCheckoutRequest({ referenceCode: `shop-${orders.size}`, amount: 30 });
      orders.add((await client.createRecurringCheckout(request)).response.uuid);
      response.writeHead(303).end();
    });
    const start = () =>
      startMerchant({
        work(_kind, payload) {
          const sale = payload.saleToken ?? payload.sale?.uuid;
          if (sale !== undefined && !payload.event && !orders.has(sale))
            throw new Error('There is no such order.');
        },
      });
    const withShop = await verdicts(await start(), { sandbox: sandbox.url, shop });
    const without = await verdicts(await start(), { sandbox: sandbox.url });
    await sandbox.close();
    expect(withShop).toMatchObject({ failed: [], notChecked: ['confirms'] });
    expect(without.failed).toEqual(['reachable']);
    expect(without.checks[0]?.fix).toContain('pass --shop');
  });
});

describe.concurrent('verify with a sandbox for real sales', { timeout: 180_000 }, () => {
  it('sends none of them to the sandbox’s own listener, and leaves none of them in its lists', async () => {
    const { url, received } = await startRecorder(200);
    const sandbox = await startSandbox({ credentials: pair, webhookUrl: url });
    const { effects, url: listener } = await startMerchant({});
    expect((await verdicts({ url: listener, effects }, { sandbox: sandbox.url })).failed).toEqual([]);
    const after = { listed: sandbox.transactions, told: received, webhookUrl: sandbox.webhookUrl };
    await sandbox.close();
    expect(after).toEqual({ listed: [], told: [], webhookUrl: url });
  });

  it('sets armed faults aside, and arms them again afterwards, also after a failure', async () => {
    const sandbox = await startSandbox({ credentials: pair });
    const client = new SandboxClient(sandbox.url, pair);
    sandbox.fault('createRecurringCheckout', { kind: 'status', status: 504, times: 2 });
    sandbox.fault('getTransaction', { kind: 'latency', ms: 1 });
    const armed = sandbox.pendingFaults;
    const during = await withoutFaults(client, async () => sandbox.pendingFaults);
    expect(during).toEqual([]);
    const left = (faults: typeof armed) => faults.map(({ operation, left }) => [operation, left]);
    expect(left(sandbox.pendingFaults)).toEqual(left(armed));
    await expect(withoutFaults(client, () => Promise.reject(new Error('It failed.')))).rejects.toThrow(
      'It failed.',
    );
    expect(left(sandbox.pendingFaults)).toEqual(left(armed));
    await sandbox.close();
  });

  it('also runs from the button of the sandbox’s page', async () => {
    const sandbox = await startSandbox({ credentials: pair });
    const { url } = await startMerchant({});
    const { checks } = await pageVerify(() => sandbox.url, pair, {})({ url });
    await sandbox.close();
    expect(checks.map(({ id }) => id)).toEqual(checklist.map(({ id }) => id));
    expect(checks.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
    const elsewhere = pageVerify(() => '', pair, {})({ url: 'http://merchant.example/' });
    await expect(elsewhere).rejects.toThrow('plain http');
  });

  it('ends green on the page with the address that counts the actions', async () => {
    const sandbox = await startSandbox({ credentials: pair });
    const confirming = rightListeners.find(({ does }) =>
      does.startsWith('confirms payments with the service'),
    );
    const { url, effects } = await startListener(confirming ?? { does: '' }, sandbox.url);
    const { checks } = await pageVerify(() => sandbox.url, pair, {})({ url, effects });
    await sandbox.close();
    expect(checks.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
    const wrong = pageVerify(() => '', pair, {})({ url, effects: 'http://127.0.0.1:1' });
    await expect(wrong).rejects.toThrow('The URL of `--effects` cannot be reached');
  }, 120_000);
});
