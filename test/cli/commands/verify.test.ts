import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { PaymentsClient } from 'pix-automatic-sdk';
import { type Sandbox, type SandboxOptions, startSandbox } from 'pix-automatic-sdk/sandbox';
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
import { type Parts, pair, rightHeader, startMerchant } from '../listeners/merchant';
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

/** The checks of a listener, and in one line which failed and which could not run. */
async function verdicts(...args: Parameters<typeof verifyListener>) {
  const checks = await verifyListener(...args);
  const ids = (verdict: Verdict) =>
    checks.filter((check) => check.verdict === verdict).map(({ id }) => ` ${id}`);
  const textOf = (id: string, part: 'open' | 'problems' | 'fix') => {
    return [checks.find((check) => check.id === id)?.[part]].flat().join('\n');
  };
  return { checks, textOf, trace: `failed:${ids('failed')}; not checked:${ids('not-checked')}` };
}

/** Concurrent tests share the sandboxes, which end with their file. */
const sandboxes: Sandbox[] = [];
afterAll(() => Promise.all(sandboxes.map((sandbox) => sandbox.close())));

async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ credentials: pair, ...options });
  sandboxes.push(sandbox);
  return sandbox;
}

it('docs/verify.md shows the code for --effects that the command shows', () => {
  const text = readFileSync(new URL('../../../docs/verify.md', import.meta.url), 'utf8');
  expect(text).toContain(effectsCode.join('\n'));
});

it('a failed check also prints what it could not find out', () => {
  const problems = ['a payment was answered with HTTP 500'];
  const open = ['a body of no known kind was accepted'];
  const failed = { id: 'reachable', title: 'Can be reached', verdict: 'failed', problems, open } as const;
  const lines = reportLines({ ...failed, why: undefined, fix: undefined })
    .split('\n')
    .slice(1);
  expect(lines).toEqual([...problems, ...open].map((line) => expect.stringContaining(line)));
});

describe('the exit code of verify', () => {
  it.each<[when: string, verdicts: Verdict[], strict: number, partial: number]>([
    ['every check passed', ['passed', 'passed'], 0, 0],
    ['one failed', ['passed', 'failed'], 1, 1],
    ['one failed and one could not run', ['passed', 'failed', 'not-checked'], 1, 1],
    ['one could not run', ['passed', 'not-checked'], 3, 0],
    ['the listener did not answer', ['not-checked', 'not-checked'], 2, 2],
    ['the listener refused the first notification', ['failed', 'not-checked'], 1, 1],
    ['nothing ran', [], 2, 2],
  ])('when %s', (_when, verdicts, strict, partial) => {
    const checks = verdicts.map((verdict, at) => ({ id: at === 0 ? 'reachable' : `check-${at}`, verdict }));
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
    const summary = { to: url, ok: false, failed: 0, notChecked: 1, credentials: 'environment' };
    expect(report).toMatchObject(summary);
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

const withoutCount = { countsEffects: false };
const uncounted = 'acts, right-kind, burst, one-sale, work-first, duplicates, retry, confirms';
/** Its responses tell duplicates apart. */
const telling: Parts = { respond: (response, outcome) => response.writeHead(200).end(outcome) };
const byToken: Parts = { keyOf: (_kind, payload) => payload.saleToken ?? payload.uuid ?? '' };
const oneNumber: Parts = { count: ({ counts }) => Object.values(counts).reduce((all, one) => all + one, 0) };

describe.concurrent('verify', { timeout: 180_000 }, () => {
  it.each<[claim: string, listener: Parts, options: Parameters<typeof verifyListener>[1], expected: string]>([
    [
      'without --effects, marks checks that need the count as not checked, rather than passed',
      {},
      withoutCount,
      `failed:; not checked: ${uncounted}`,
    ],
    [
      'without --effects, notices deduplication on saleToken where responses tell duplicates apart',
      { ...telling, ...byToken },
      withoutCount,
      'failed: one-sale; not checked: acts, right-kind, burst, work-first, duplicates, retry, confirms',
    ],
    [
      'without --effects, finds no fault with a right listener whose responses tell duplicates apart',
      telling,
      withoutCount,
      `failed:; not checked: ${uncounted}`,
    ],
    ['cannot tell kinds apart by one number', oneNumber, {}, 'failed:; not checked: right-kind, confirms'],
  ])('%s', async (_claim, listener, options, expected) => {
    const { trace } = await verdicts(await startMerchant(listener), options);
    expect(trace).toBe(expected);
  });

  it('stops early when the listener has a rate limit, which is named and is no fault', async () => {
    let answered = 0;
    const limited = await startMerchant({
      isLetIn: (header) => header === rightHeader && ++answered <= 20,
      refuse: (response) => response.writeHead(answered > 20 ? 429 : 401).end(),
    });
    const { checks, trace } = await verdicts(limited);
    expect([trace, answered]).toEqual([expect.stringMatching('^failed:; not'), 21]);
    const reasons = checks.flatMap(({ open }) => open).join('\n');
    expect(reasons).toContain('the listener has a rate limit (HTTP 429 after 21 notifications)');
  });

  it('stops early after three responses in a row that did not come, in each of two checks', async () => {
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

  it('says how to let it tell kinds apart', async () => {
    const { textOf } = await verdicts(await startMerchant(oneNumber));
    expect(textOf('right-kind', 'open')).toContain('let --effects answer an object');
  });

  it('leaves the other checks open when the first notification did not get through', async () => {
    const { url, effects } = await startRecorder(401);
    const { checks, trace } = await verdicts({ url, effects });
    expect(trace).toMatch(/^failed: reachable;/);
    const open = checks.filter(({ verdict }) => verdict === 'not-checked');
    expect(open).toHaveLength(checklist.length - 3);
  });

  it('does not advise anybody to answer 200 to sales that they do not know', () => {
    for (const text of Object.values(texts.en)) expect(text).not.toMatch(/sales that you do not know/);
  });

  it('fails a listener that confirms payments when there are no real sales, and advises --sandbox', async () => {
    const confirming = rightListeners.find(({ does }) => does.startsWith('confirms')) ?? { does: '' };
    const { trace, textOf } = await verdicts(await startListener(confirming));
    expect(trace).toMatch(/^failed: reachable;/);
    expect(textOf('reachable', 'fix')).toContain('pass --sandbox here');
  });
});

describe.concurrent('the count of --effects', { timeout: 180_000 }, () => {
  const expectation = 'Expected `--effects` to answer 200 with the number of actions';

  it.each<[what: string, effects: () => Promise<string>, message: string]>([
    ['is no number', async () => (await startRecorder(200, '"many"')).url, expectation],
    ['is a list', async () => (await startRecorder(200, '[{}]')).url, expectation],
    ['is no JSON', async () => (await startRecorder(200, 'no JSON')).url, expectation],
    [
      'has more than 64 KiB',
      async () => (await startRecorder(200, `{"payment":1,"${'x'.repeat(65 * 1024)}":1}`)).url,
      expectation,
    ],
    [
      'is behind a redirect, which is not followed',
      async () => {
        const { effects } = await startMerchant({});
        return answering((response) => response.writeHead(302, { location: effects }).end());
      },
      expectation,
    ],
    ['is out of reach', async () => 'http://127.0.0.1:9/actions', 'The URL of `--effects` cannot be reached'],
  ])('is refused before anything is sent when it %s', async (_what, effects, expected) => {
    const { url, received } = await startRecorder(200);
    const { exitCode, message } = await failureOf(url, '--effects', await effects());
    expect({ exitCode, received }).toEqual({ exitCode: 2, received: [] });
    expect(message).toContain(expected);
  });
});

it('the check of missing fields names each field without which a notification is accepted and not acted on', async () => {
  const listener = await startMerchant({
    countedAs: (kind, { currency }) =>
      kind === 'unrecognized' || (kind === 'payment' && !currency) ? undefined : kind,
  });
  const { textOf } = await verdicts(listener);
  expect(textOf('missing-fields', 'problems')).toBe(
    'accepted and not acted on: payment with `currency` left out, payment with `currency` null',
  );
}, 180_000);

it('a listener that does not ask the service has its confirmation marked as not checked, and does not fail', async () => {
  const sandbox = await openSandbox();
  const { trace, textOf } = await verdicts(await startMerchant({}), { sandbox: sandbox.url });
  // A fault that verify left behind would make one of these calls fail.
  const client = new PaymentsClient({ baseUrl: sandbox.url, ...pair, maxRetries: 0 });
  const { response } = await client.createRecurringCheckout(fixtures.recurringCheckoutRequest());
  await client.getTransaction(response.uuid);
  expect(trace).toBe('failed:; not checked: confirms');
  const open = 'your listener does not confirm payments with the service before it acts';
  expect(textOf('confirms', 'open')).toBe(open);
}, 180_000);

it('verify with --shop passes a listener that refuses orders which its own shop did not create', async () => {
  const sandbox = await openSandbox();
  const client = new PaymentsClient({ baseUrl: sandbox.url, ...pair });
  const orders = new Set<string>();
  const shop = await answering(async (response) => {
    const request = fixtures.recurringCheckoutRequest({ referenceCode: `shop-${orders.size}`, amount: 30 });
    orders.add((await client.createRecurringCheckout(request)).response.uuid);
    response.writeHead(303).end();
  });
  const refusing: Parts = {
    work(_kind, payload) {
      const sale = payload.saleToken ?? payload.sale?.uuid;
      if (sale !== undefined && !payload.event && !orders.has(sale))
        throw new Error('There is no such order.');
    },
  };
  const withShop = await verdicts(await startMerchant(refusing), { sandbox: sandbox.url, shop });
  const without = await verdicts(await startMerchant(refusing), { sandbox: sandbox.url });
  expect(withShop.trace).toBe('failed:; not checked: confirms');
  expect(without.trace).toMatch(/^failed: reachable;/);
  expect(without.textOf('reachable', 'fix')).toContain('pass --shop');
}, 180_000);

describe.concurrent('verify with a sandbox for real sales', { timeout: 180_000 }, () => {
  it('sends none of them to the sandbox’s own listener, and leaves none of them in its lists', async () => {
    const { url: webhookUrl, received } = await startRecorder(200);
    const sandbox = await openSandbox({ webhookUrl });
    const { trace } = await verdicts(await startMerchant({}), { sandbox: sandbox.url });
    expect(trace).toBe('failed:; not checked: confirms');
    expect([sandbox.transactions, received, sandbox.webhookUrl]).toEqual([[], [], webhookUrl]);
  });

  it('sets armed faults aside, and arms them again afterwards, also after a failure', async () => {
    const sandbox = await openSandbox();
    const client = new SandboxClient(sandbox.url, pair);
    sandbox.fault('createRecurringCheckout', { kind: 'status', status: 504, times: 2 });
    sandbox.fault('getTransaction', { kind: 'latency', ms: 1 });
    const armed = () => sandbox.pendingFaults.map(({ operation, left }) => `${operation} ${left}`).join(', ');
    expect(await withoutFaults(client, async () => armed())).toBe('');
    expect(armed()).toBe('createRecurringCheckout 2, getTransaction 1');
    const failing = withoutFaults(client, () => Promise.reject(new Error('It failed.')));
    await expect(failing).rejects.toThrow('It failed.');
    expect(armed()).toBe('createRecurringCheckout 2, getTransaction 1');
  });

  it('also runs from the button of the sandbox’s page', async () => {
    const { url: sandbox } = await openSandbox();
    const { checks } = await pageVerify(() => sandbox, pair, {})({ url: (await startMerchant({})).url });
    expect(checks.map(({ id }) => id)).toEqual(checklist.map(({ id }) => id));
    expect(checks.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
    const elsewhere = pageVerify(() => '', pair, {})({ url: 'http://merchant.example/' });
    await expect(elsewhere).rejects.toThrow('plain http');
  });

  it('ends green on the page with the address that counts the actions', async () => {
    const { url: sandbox } = await openSandbox();
    const does = 'confirms payments with the service, as the README advises';
    const confirming = rightListeners.find((listener) => listener.does === does) ?? { does };
    const { url, effects } = await startListener(confirming, sandbox);
    const { checks } = await pageVerify(() => sandbox, pair, {})({ url, effects });
    expect(checks.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
    const wrong = pageVerify(() => '', pair, {})({ url, effects: 'http://127.0.0.1:1' });
    await expect(wrong).rejects.toThrow('The URL of `--effects` cannot be reached');
  });
});
