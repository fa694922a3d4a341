import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { PaymentsClient } from 'pix-automatic-sdk';
import { type Sandbox, type SandboxOptions, startSandbox } from 'pix-automatic-sdk/sandbox';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseArguments } from '../../../src/cli/command';
import { pageVerify } from '../../../src/cli/commands/sandbox';
import { effectsCode, verify } from '../../../src/cli/commands/verify';
import { CliFailure } from '../../../src/cli/failure';
import { SandboxClient } from '../../../src/cli/sandbox-client';
import { steps } from '../../../src/cli/verify/hints';
import { endOf, exitCodeOf, reportLines } from '../../../src/cli/verify/report';
import type { Report } from '../../../src/cli/verify/run';
import type { StepResult, Verdict } from '../../../src/cli/verify/step';
import { withoutTrace } from '../../../src/cli/verify/without-trace';
import { fixtures } from '../../../src/testing';
import { selfSigned } from '../../client/self-signed';
import { deferred } from '../../helpers/deferred';
import { startRecorder } from '../listeners';
import { listen, onTestsEnd } from '../listeners/listen';
import {
  amountOf,
  type Merchant,
  type Parts,
  pair,
  right,
  rightHeader,
  startMerchant,
} from '../listeners/merchant';
import { rightListeners } from '../listeners/right-listeners';
import { startListener, verifyListener } from '../listeners/verify-listener';
import { runCliProcess, startCli } from '../run-cli';

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
async function answering(
  answer: (response: ServerResponse, request: IncomingMessage) => unknown,
): Promise<string> {
  const { url } = await listen(
    (request, response) => void answer(response, request),
    () => [],
  );
  return url;
}

/** In one line, which steps failed and which could not run. */
function trace({ steps }: Report): string {
  const ids = (verdict: Verdict) =>
    steps.filter((step) => step.verdict === verdict).map(({ id }) => ` ${id}`);
  return `failed:${ids('failed').join('')}; not checked:${ids('not-checked').join('')}`;
}

function openOf({ steps }: Report, id: string): string {
  return steps.find((step) => step.id === id)?.open.join('\n') ?? '';
}

/** A right listener that asks this service. */
function startConfirming(service: string) {
  const does = 'confirms payments with the service, as the README advises';
  return startListener(rightListeners.find((listener) => listener.does === does) ?? { does }, service);
}

/** The origin of a proxy in front of a sandbox, which answers some paths itself, or leaves them without an answer. */
async function proxyOf(
  sandbox: Sandbox,
  answer: (path: string, response: ServerResponse) => ServerResponse | undefined,
): Promise<string> {
  const { url } = await listen(
    async (request, response) => {
      const { method = '', url: path = '' } = request;
      if (answer(path, response) !== undefined) return;
      const headers = Object.fromEntries(
        Object.entries(request.headers).filter(([name]) => /^x-api|^content-type$/.test(name)),
      ) as Record<string, string>;
      const body = await text(request);
      const init = { method, headers, ...(method === 'GET' ? {} : { body }) };
      const forwarded = await fetch(sandbox.url + path, init);
      response.writeHead(forwarded.status).end(await forwarded.text());
    },
    () => [],
  );
  return new URL(url).origin;
}

/** The URL of a server with a certificate that nobody trusts. */
async function overTls(scheme: 'http' | 'https'): Promise<string> {
  const server = createServer(selfSigned, (_request, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestsEnd(() => server.close());
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
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

it('a failed step prints what was sent, what is wrong and what to do', () => {
  const result: StepResult = {
    id: 'first',
    title: 'Books a payment',
    verdict: 'failed',
    sent: ['a payment: HTTP 200'],
    problems: ['missing: payment 25.00 of 0f'],
    open: ['no field'],
    warning: undefined,
    hint: 'it forgets. Remember.',
    follows: undefined,
  };
  const lines = reportLines(result).split('\n').slice(1);
  expect(lines.map((line) => line.trim())).toEqual([
    '→ a payment: HTTP 200',
    'missing: payment 25.00 of 0f',
    'no field',
    'Usually: it forgets. Remember.',
  ]);
});

it.each([
  [1, '1 held, 1 failed, 1 not checked; 1 notification sent.'],
  [2, '2 held, 2 failed, 2 not checked; 2 notifications sent.'],
] as const)('the last line counts %i in the number that fits', (count, expected) => {
  const verdicts: Verdict[] = ['passed', 'failed', 'not-checked'];
  const steps = verdicts.flatMap((verdict) => new Array(count).fill({ verdict }) as StepResult[]);
  const report = { steps, sent: count, ended: undefined, notSeen: [] };
  const { text } = endOf(report, {}, false);
  expect(text).toContain(`\n${expected}`);
});

describe('the exit code of verify', () => {
  it.each<[when: string, verdicts: Verdict[], ended: string | undefined, strict: number, partial: number]>([
    ['every step ran and held', ['passed', 'passed'], undefined, 0, 0],
    ['one failed', ['passed', 'failed'], undefined, 1, 1],
    ['one failed and one could not run', ['failed', 'not-checked'], undefined, 1, 1],
    ['one could not run', ['passed', 'not-checked'], undefined, 3, 0],
    ['it ended early, and none failed', ['passed'], 'there is a rate limit', 3, 3],
  ])('when %s', (_when, verdicts, ended, strict, partial) => {
    const steps = verdicts.map((verdict) => ({ verdict })) as StepResult[];
    expect([exitCodeOf({ steps, ended }, false), exitCodeOf({ steps, ended }, true)]).toEqual([
      strict,
      partial,
    ]);
  });
});

describe.concurrent('verify as a command', { timeout: 180_000 }, () => {
  it('ends with status 3 for a right listener without --sandbox, and with 0 if that is accepted', async () => {
    for (const [options, expected] of [
      [[], 3],
      [['--partial'], 0],
    ] as const) {
      const { url, effects } = await startMerchant({});
      const args = ['verify', url, '--effects', effects, '--effects-wait', '300', '--json', ...options];
      const { status, stdout, stderr } = await runCliProcess(args, environment);
      expect({ status, stderr }).toEqual({ status: expected, stderr: '' });
      const report = JSON.parse(stdout);
      expect(report).toMatchObject({ to: url, failed: 0, notChecked: 1, credentials: 'environment' });
      expect(report.sent).toBeLessThanOrEqual(95);
      for (const secret of [...Object.values(pair), rightHeader]) expect(stdout).not.toContain(secret);
    }
  });

  it('ends a run that holds with what it cannot see', async () => {
    const sandbox = await openSandbox();
    const { url, effects } = await startConfirming(sandbox.url);
    const args = ['verify', url, '--effects', effects, '--sandbox', sandbox.url];
    const { status, stdout } = await runCliProcess(args, environment);
    expect(status, stdout).toBe(0);
    expect(stdout).toMatch(/What this run cannot see:\n- several processes[^-]*\n- keys that expire/);
    for (const option of ['--restart', '--shop']) expect(stdout).toContain(`pass ${option}`);
    expect(stdout, 'no color without a terminal').not.toContain('\u001b');
  });

  it('ends with status 1, and tells people what was sent, what is wrong, and what to fix', async () => {
    const { url } = await startMerchant({ respond: (response) => response.writeHead(202).end() });
    const { status, stdout } = await runCliProcess(['verify', '--to', url], environment);
    expect(status).toBe(1);
    expect(stdout).toContain('✓ Refuses wrong credentials and none');
    expect(stdout).toMatch(/✗ Accepts with 200 and with no other status\n {6}.*HTTP 202/);
    expect(stdout).toMatch(/Usually: a framework or the listener answers 201, 202 or 204/);
    expect(stdout).toMatch(/– Books two sales of the same amount, day and shopper: not checked/);
    expect(stdout).toMatch(/\d+ held, 1 failed, \d+ not checked; \d+ notifications sent\.\n$/);
  });

  it('says that the sandbox of --sandbox is not running, and sends nothing', async () => {
    const { url, received } = await startRecorder(200);
    const { status, stderr } = await runCliProcess(['verify', url, '--sandbox', 'http://127.0.0.1:2']);
    expect({ status, received }).toEqual({ status: 2, received: [] });
    expect(stderr).toContain('start it with `npx pix-automatic-sdk sandbox`');
  });

  it('takes --kinds with spaces between them', async () => {
    const { message } = await failureOf('http://127.0.0.1:9', '--kinds', 'payment, refund');
    expect(message).toContain('Nothing listens');
  });

  it.each<[what: string, kinds: string]>([
    ['another kind', 'payment,refnd'],
    ['no payment', 'refund'],
  ])('refuses --kinds that names %s', async (_what, kinds) => {
    const { message } = await failureOf('http://127.0.0.1:9', '--kinds', kinds);
    expect(message).toContain('Expected `--kinds` to name `payment`');
  });
});

describe.concurrent('verify cannot begin, and says so by exit code 2, when', { timeout: 60_000 }, () => {
  const mixed = 'plain http and the other https';
  it.each<[when: string, urlOf: () => string | Promise<string>, words: string]>([
    ['nothing listens', () => 'http://127.0.0.1:9/webhooks', 'Nothing listens'],
    ['the certificate is not trusted', () => overTls('https'), 'certificate of the listener is not trusted'],
    ['http is spoken to a TLS port, which is not for want of a listener', () => overTls('http'), mixed],
    [
      'TLS is spoken to a plain port',
      async () => (await startMerchant({})).url.replace('http', 'https'),
      mixed,
    ],
  ])('%s', async (_when, urlOf, words) => {
    const { exitCode, message } = await failureOf(await urlOf(), '--allow-insecure-http');
    expect([exitCode, message]).toEqual([2, expect.stringContaining(words)]);
  });

  const lacks = (response: ServerResponse) => response.writeHead(404).end('{}');
  const isSlow = (response: ServerResponse) => response;
  const [faults, sale] = ['/sandbox/faults', '/v1.1/checkout/pix-automatic'];
  const older = 'of the same version as this command';
  it.each([
    ['is of another version, which has no list of faults', faults, lacks, 'No sandbox of this version'],
    ['is of another version, which makes no sale', sale, lacks, older],
    ['is of another version, which cannot hide a sale', '/hide', lacks, older],
    ['is of another version, which does not count the calls about a sale', '/calls-about/', lacks, older],
    ['is slow at the first call', faults, isSlow, 'did not answer within 10 s'],
    ['is slow when a sale is made', sale, isSlow, 'quick enough'],
  ])('the sandbox %s', async (_what, at, answer, words) => {
    const { url, received } = await startRecorder(200);
    const sandbox = await openSandbox();
    const proxy = await proxyOf(sandbox, (path, response) =>
      path.includes(at) ? answer(response) : undefined,
    );
    const { exitCode, message } = await failureOf(url, '--sandbox', proxy);
    expect({ exitCode, received }).toEqual({ exitCode: 2, received: [] });
    expect(message).toContain(words);
    expect(sandbox.pendingFaults).toEqual([]);
  });
});

const telling: Parts = { respond: (response, outcome) => response.writeHead(200).end(outcome) };

describe.concurrent('verify', { timeout: 180_000 }, () => {
  it('without --effects, marks every step that needs rows as not checked, rather than passed', async () => {
    const report = await verifyListener(await startMerchant(telling), { hasEffects: false });
    const passed = report.steps.filter(({ verdict }) => verdict === 'passed').map(({ id }) => id);
    expect(passed.join(' ')).toBe(
      'first split long letters headerName pairs kindsWithoutPair methods status prompt secrets',
    );
    expect([exitCodeOf(report, false), exitCodeOf(report, true)]).toEqual([3, 0]);
  });

  it('with counts alone, leaves open what they cannot tell, so that no run ends with 0', async () => {
    const counting: Parts = {
      effects({ rows }) {
        const kinds = ['payment', 'refund', 'reversal', 'payout'];
        return Object.fromEntries(
          kinds.map((kind) => [kind, rows.filter((row) => row.kind === kind).length]),
        );
      },
    };
    const report = await verifyListener(await startMerchant(counting));
    expect(trace(report)).toBe('failed:; not checked: cents alike unconfirmed');
  });

  it.each(['amount', 'subject'] as const)('leaves open what rows without `%s` cannot tell', async (field) => {
    const lacking: Parts = { effects: ({ rows }) => rows.map((row) => ({ ...row, [field]: undefined })) };
    const report = await verifyListener(await startMerchant(lacking));
    expect(trace(report)).toBe(`failed:; not checked: ${field === 'amount' ? 'cents' : 'alike'} unconfirmed`);
  });

  it('does not call a kind passed of which no row has ever come, and says how to leave it out', async () => {
    const payments: Parts = { bookedAs: (kind) => (kind === 'payment' ? kind : undefined) };
    const open = await verifyListener(await startMerchant(payments));
    expect(trace(open)).toMatch(/^failed:; not checked: refund secondRefund .*payout/);
    const left = await verifyListener(await startMerchant(payments), { kinds: ['payment'] });
    expect(trace(left)).toBe('failed:; not checked: unconfirmed');
    const claimed = await verifyListener(await startMerchant(payments), { kinds: ['payment', 'refund'] });
    expect(trace(claimed)).toMatch(/^failed: refund secondRefund refundNoQuery/);
  });

  it('stops when the listener has a rate limit, which is named and is no fault', async () => {
    let answered = 0;
    const limited = await startMerchant({
      isLetIn: (header) => header === rightHeader && ++answered <= 20,
      refuse: (response) => response.writeHead(answered > 20 ? 429 : 401).end(),
    });
    const report = await verifyListener(limited);
    expect([trace(report), answered]).toEqual([expect.stringMatching('^failed:; not'), 21]);
    expect(report.ended).toContain('the listener has a rate limit (HTTP 429 after 21 notifications)');
    expect(exitCodeOf(report, true)).toBe(3);
  });

  it('stops after three responses in a row that did not come', async () => {
    let requests = 0;
    const hanging = await startMerchant({
      respond: (response) => (++requests <= 3 ? response.writeHead(200).end() : undefined),
    });
    const { ended } = await verifyListener(hanging, { limitMs: 200 });
    expect(ended).toContain('no response came 3 times in a row');
    expect(requests).toBeLessThan(8);
  });

  it('says one thing where the first payment is not accepted, and no more', async () => {
    const { url, effects } = await startRecorder(401);
    const report = await verifyListener({ url, effects });
    expect(trace(report)).toBe('failed: first; not checked:');
    expect(report.ended).toContain('the first payment was not accepted');
  });

  it('names --shop where no payment is booked and a listener with orders is likely', async () => {
    const { url, effects } = await startRecorder(200);
    const { steps } = await verifyListener({ url, effects });
    expect(steps[0]?.hint).toContain('acts on orders of its own alone (pass --shop)');
  });

  it('does not tell a listener that confirms to answer 200 to what the service refuses', () => {
    expect(steps.unasked.usually).not.toMatch(/: answer 200|queue/i);
  });

  it('asks for a restart, and knows whether the listener still knows what it booked', async () => {
    const forgetful = (clears: boolean) => async () => {
      let clear: () => void = () => undefined;
      const listener = await startMerchant(({ done, rows }) => {
        clear = () => {
          if (clears) done.clear();
          rows.length = 0;
        };
        return {};
      });
      return verifyListener(listener, { restart: async () => clear() });
    };
    expect(trace(await forgetful(false)())).toBe('failed:; not checked: unconfirmed');
    const report = await forgetful(true)();
    expect(trace(report)).toBe('failed: restart; not checked: unconfirmed');
    expect(report.steps.find(({ id }) => id === 'restart')?.hint).toContain('in the database');
  });

  it('knows whether the listener takes a new payment after a restart', async () => {
    let isBlocked = false;
    const listener = await startMerchant({
      work() {
        if (isBlocked) throw new Error('The lock of before is still there.');
      },
    });
    const report = await verifyListener(listener, {
      restart: async () => {
        isBlocked = true;
      },
    });
    expect(trace(report)).toBe('failed: newAfterRestart; not checked: unconfirmed');
  });
});

describe.concurrent('what --effects answers', { timeout: 180_000 }, () => {
  const expectation = 'Expected `--effects` to answer 200 with the rows';
  const saying = async (body: string) => (await startRecorder(200, body)).url;
  const redirecting = async () => {
    const { effects } = await startMerchant({});
    return answering((response) => response.writeHead(302, { location: effects }).end());
  };

  it.each<[what: string, effects: () => Promise<string>, message: string]>([
    ['is one number', () => saying('7'), expectation],
    ['is a list of no rows', () => saying('[{}]'), expectation],
    ['is no JSON', () => saying('no JSON'), expectation],
    ['has more than 4 MiB', () => saying(`{"payment":1,"${'x'.repeat(4 * 1024 * 1024)}":1}`), expectation],
    ['is behind a redirect, which is not followed', redirecting, expectation],
    ['is out of reach', async () => 'http://127.0.0.1:9/actions', 'The URL of `--effects` cannot be reached'],
  ])('is refused before anything is sent when it %s', async (_what, effects, expected) => {
    const { url, received } = await startRecorder(200);
    const { exitCode, message } = await failureOf(url, '--effects', await effects());
    expect({ exitCode, received }).toEqual({ exitCode: 2, received: [] });
    expect(message).toContain(expected);
  });
});

describe.concurrent('verify ends with exit code 2 where', { timeout: 180_000 }, () => {
  const failureWith = async (parts: Parts) => {
    const thrown: unknown = await verifyListener(await startMerchant(parts)).catch((error) => error);
    return thrown instanceof CliFailure ? [thrown.exitCode, thrown.message] : thrown;
  };

  it('the rows have a kind in another word, and says which ones there are', async () => {
    const [exitCode, message] = (await failureWith({
      effects: ({ rows }) => rows.map((row) => ({ ...row, kind: 'pagamento' })),
    })) as [number, string];
    expect([exitCode, message]).toEqual([
      2,
      expect.stringContaining('kinds payment, refund, reversal, payout'),
    ]);
    expect(message).toContain('The kind of its rows is "pagamento".');
  });

  it('another program books in the same database', async () => {
    const other = { kind: 'payment', subject: 'order-4711', amount: 12 };
    const failure = await failureWith({ effects: ({ rows }) => (rows.length < 5 ? rows : [...rows, other]) });
    expect(failure).toEqual([2, expect.stringContaining('Something else books here: a payment of order-47')]);
  });

  it('but a wrong listener that books under a word of its own is no other program', async () => {
    const booking: Parts = {
      bookedAs: (kind) => (kind === 'unrecognized' ? 'payment' : kind),
      effects: ({ rows }) => rows.map((row) => ({ ...row, subject: String(row.subject) })),
    };
    const report = await verifyListener(await startMerchant(booking));
    expect(trace(report)).toMatch(/^failed:.* unknownKinds/);
  });
});

describe.concurrent('verify', { timeout: 180_000 }, () => {
  it('lets a URL of payments alone refuse the other kinds, as each may have one of its own', async () => {
    const payments: Parts = {
      work(kind) {
        if (['refund', 'reversal', 'payout', 'payoutFailed'].includes(kind)) throw new Error('Not here.');
      },
    };
    const own = await verifyListener(await startMerchant(payments), { kinds: ['payment'] });
    expect(trace(own)).toBe('failed:; not checked: unconfirmed');
    const all = await verifyListener(await startMerchant(payments));
    expect(trace(all)).toMatch(/^failed: refund /);
  });

  it('tells a body that is booked and answered 404, and does not speak of the path', async () => {
    const booked: Parts = { respond: (response) => response.writeHead(404).end() };
    const { steps } = await verifyListener(await startMerchant(booked));
    expect(steps[0]?.problems.join()).toContain('booked, and the service sends it again: a payment');
    expect(steps[0]?.hint).toContain('Answer 200 to what is booked');
  });

  it('counts apart what fails in the same way as an earlier step, and gives it no hint', async () => {
    const twice: Parts = { effects: ({ rows }) => rows.flatMap((row) => [row, row]) };
    const report = await verifyListener(await startMerchant(twice));
    const failed = report.steps.filter(({ verdict }) => verdict === 'failed');
    expect(failed.filter(({ follows }) => follows === undefined).map(({ id }) => id)).toEqual(['first']);
    expect(failed.length).toBeGreaterThan(10);
    expect(endOf(report, {}, false).text).toMatch(/ 1 failed, \d+ more in the same way, /);
    expect(failed.filter(({ hint }) => hint !== undefined)).toHaveLength(1);
    expect(failed.slice(1).every(({ follows }) => follows === steps.first.title)).toBe(true);
  });

  it('names what becomes of a payment that is not confirmed yet, where only its own memory could tell', async () => {
    const sandbox = await openSandbox();
    const client = new PaymentsClient({ baseUrl: sandbox.url, ...pair, maxRetries: 0 });
    const unpaid = new Set<string>();
    const accepting: Parts = {
      async work(kind, { saleToken, amount }) {
        if (kind !== 'payment') return;
        const { situation, amount: due } = await client.getTransaction(saleToken);
        unpaid.delete(saleToken);
        if (situation !== 'PAID' || due !== amount) unpaid.add(saleToken);
      },
      keyOf: (kind, payload) => `${right.keyOf(kind, payload)} ${payload.saleToken}`,
      async once(key, act, shop) {
        const [, sale = ''] = key.split(' ');
        const outcome = await right.once(key, act, shop);
        if (unpaid.has(sale)) shop.done.delete(key);
        return outcome;
      },
      bookedAs: (kind, payload) =>
        unpaid.has(payload.saleToken) ? undefined : right.bookedAs(kind, payload),
    };
    const report = await verifyListener(await startMerchant(accepting), { sandbox: sandbox.url });
    expect(trace(report)).toBe('failed:; not checked:');
    expect(report.notSeen.join()).toContain('a payment that the service does not confirm yet');
    const refusing = await verifyListener(await startConfirming(sandbox.url), { sandbox: sandbox.url });
    expect(refusing.notSeen.join()).not.toContain('does not confirm yet');
  });

  it('orders of the shop a sum of its own choice, where the shop takes one', async () => {
    const sandbox = await openSandbox();
    const client = new PaymentsClient({ baseUrl: sandbox.url, ...pair });
    const amounts: number[] = [];
    const shop = await answering(async (response, request) => {
      const { referenceCode, amount } = JSON.parse(await text(request));
      amounts.push(amount);
      await client.createRecurringCheckout(fixtures.recurringCheckoutRequest({ referenceCode, amount }));
      response.writeHead(201).end();
    });
    const report = await verifyListener(await startMerchant({}), { sandbox: sandbox.url, shop });
    expect(trace(report)).toBe('failed:; not checked: unasked chargePaid');
    expect(amounts).toEqual(expect.arrayContaining([19.99, 1234.56, 12_345.67]));
    expect(report.steps.map(({ id }) => id)).toContain('cents');
  });

  it('judges the sums of a shop that chooses them', async () => {
    const sandbox = await openSandbox();
    const client = new PaymentsClient({ baseUrl: sandbox.url, ...pair });
    let orders = 0;
    const shop = await answering(async (response, request) => {
      const { referenceCode } = JSON.parse(await text(request));
      const amount = orders++ === 0 ? 25 : 19.99;
      await client.createRecurringCheckout(fixtures.recurringCheckoutRequest({ referenceCode, amount }));
      response.writeHead(201).end();
    });
    const cutting: Parts = { amountOf: (_kind, { amount }) => amount && Math.trunc(amount * 100) / 100 };
    const report = await verifyListener(await startMerchant(cutting), {
      sandbox: sandbox.url,
      shop,
      kinds: ['payment'],
    });
    expect(trace(report)).toMatch(/^failed: shopAmounts /);
  });
});

it('a listener that does not ask the service has its confirmation marked as not checked, and does not fail', async () => {
  const sandbox = await openSandbox();
  const report = await verifyListener(await startMerchant({}), { sandbox: sandbox.url });
  // A fault that verify left behind would make one of these calls fail.
  const client = new PaymentsClient({ baseUrl: sandbox.url, ...pair, maxRetries: 0 });
  const { response } = await client.createRecurringCheckout(fixtures.recurringCheckoutRequest());
  await client.getTransaction(response.uuid);
  expect(trace(report)).toBe('failed:; not checked: unasked');
  expect(openOf(report, 'unasked')).toContain('your listener books payments without asking the service');
}, 180_000);

/** A URL at which a POST creates an order of this sum in the sandbox. */
async function openShop(sandbox: Sandbox): Promise<URL> {
  const client = new PaymentsClient({ baseUrl: sandbox.url, ...pair });
  let orders = 0;
  return answering(async (response) => {
    const referenceCode = `shop-${orders++}`;
    await client.createRecurringCheckout(fixtures.recurringCheckoutRequest({ referenceCode, amount: 30 }));
    response.writeHead(303).end();
  }).then((url) => new URL(url));
}

/** Books a charge that comes as an event under the key of its payment. */
const knowingEvents = {
  kindOf: (url, payload) =>
    payload.eventType === 'RECURRENCE_CHARGE_PAID' ? 'payment' : right.kindOf(url, payload),
  keyOf: (kind, payload) =>
    kind === 'payment' ? `payment:${payload.saleToken}` : right.keyOf(kind, payload),
  amountOf: (_kind, payload) => payload.chargeAmount ?? amountOf(payload),
} satisfies Partial<Merchant>;

describe.concurrent('verify with --shop, in the life of a recurrence,', { timeout: 180_000 }, () => {
  const bookingAll =
    (isPaid: (eventType?: string) => boolean): Merchant['kindOf'] =>
    (url, payload) =>
      isPaid(payload.eventType) ? 'payment' : right.kindOf(url, payload);

  it.each<[what: string, parts: Parts, failed: string, notChecked: string]>([
    ['holds a listener that books the charges of events', knowingEvents, '', ''],
    ['does not judge one that leaves events aside', {}, '', ' chargePaid'],
    [
      'finds one that books an authorization',
      { ...knowingEvents, kindOf: bookingAll((type) => /AUTHORIZED|PAID/.test(type ?? '')) },
      ' authorized',
      '',
    ],
    [
      'finds one that refuses events',
      {
        work(_kind, { eventType }) {
          if (eventType !== undefined) throw new Error('There is no such event.');
        },
      },
      ' authorized chargePaid chargeFailed eventsAgain',
      '',
    ],
    [
      'finds one that books another sum',
      { ...knowingEvents, amountOf: (_kind, payload) => (payload.eventType ? 1 : amountOf(payload)) },
      ' chargePaid',
      '',
    ],
    [
      'finds one that books a charge once for each form in which it comes',
      {
        ...knowingEvents,
        keyOf: (kind, payload) => `${right.keyOf(kind, payload)} ${payload.eventType ?? ''}`,
      },
      ' chargeAsPayment',
      '',
    ],
    [
      'finds one that books a charge that failed',
      { ...knowingEvents, kindOf: bookingAll((type) => /CHARGE/.test(type ?? '')) },
      ' chargeFailed',
      '',
    ],
    [
      'finds one that books an event at each delivery',
      () => {
        let number = 0;
        return {
          ...knowingEvents,
          keyOf: (kind, payload) => knowingEvents.keyOf(kind, payload) + (payload.eventType ? number++ : ''),
        };
      },
      ' chargeAsPayment eventsAgain',
      '',
    ],
  ])('%s', async (_what, parts, failed, notChecked) => {
    const sandbox = await openSandbox();
    const { url, effects } = await startMerchant(parts);
    const shop = (await openShop(sandbox)).href;
    const report = await verifyListener({ url, effects }, { sandbox: sandbox.url, shop });
    expect(trace(report)).toBe(`failed:${failed}; not checked: unasked${notChecked}`);
  });
});

it('verify with --shop holds a listener that refuses orders which its own shop did not create', async () => {
  const sandbox = await openSandbox();
  const client = new PaymentsClient({ baseUrl: sandbox.url, ...pair });
  const orders = new Set<string>();
  const shop = await answering(async (response) => {
    const request = fixtures.recurringCheckoutRequest({ referenceCode: `shop-${orders.size}`, amount: 30 });
    await client.createRecurringCheckout(request);
    orders.add(request.referenceCode);
    response.writeHead(303).end();
  });
  const refusing: Parts = {
    work(kind, { referenceCode }) {
      if (kind === 'payment' && !orders.has(referenceCode)) throw new Error('There is no such order.');
    },
  };
  const withShop = await verifyListener(await startMerchant(refusing), { sandbox: sandbox.url, shop });
  expect(trace(withShop)).toBe('failed:; not checked: unasked chargePaid');
  expect(withShop.steps.map(({ id }) => id)).toContain('secondPayment');
  const without = await verifyListener(await startMerchant(refusing), { sandbox: sandbox.url });
  expect(trace(without)).toBe('failed: first; not checked:');
  expect(without.steps[0]?.hint).toContain('pass --shop');
  const dropping: Parts = ({ rows }) => ({
    work(kind, { referenceCode, saleToken }) {
      const first = rows.findIndex((row) => row.subject === firstOf.get(referenceCode));
      if (kind === 'payment' && first >= 0) rows.splice(first, 1);
      if (kind === 'payment') firstOf.set(referenceCode, saleToken);
    },
  });
  const firstOf = new Map<string, string>();
  const dropped = await verifyListener(await startMerchant(dropping), { sandbox: sandbox.url, shop });
  expect(trace(dropped)).toMatch(/^failed: laterCharge secondPayment /);
  const refusingSecond: Parts = () => {
    const paid = new Set<string>();
    return {
      work(kind, { referenceCode }) {
        if (kind === 'payment' && paid.has(referenceCode)) throw new Error('It is paid.');
        if (kind === 'payment') paid.add(referenceCode);
      },
    };
  };
  const refused = await verifyListener(await startMerchant(refusingSecond), { sandbox: sandbox.url, shop });
  expect(trace(refused)).toMatch(/^failed: laterCharge secondPayment /);
}, 180_000);

it('an interrupted run ends what it is about to make before it looks at the sandbox, and begins nothing more', async () => {
  const exited = new Promise((resolve) =>
    vi.spyOn(process, 'exit').mockImplementationOnce((code) => resolve(code) as never),
  );
  const did: string[] = [];
  const sandbox = { faults: async () => did.push('looked') && [] } as unknown as SandboxClient;
  await withoutTrace(sandbox, async (_setAside, hold = (act) => act()) => {
    const making = hold(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      did.push('made');
    });
    process.emit('SIGINT', 'SIGINT');
    void hold(async () => did.push('began'));
    await making;
  });
  expect(await exited).toBe(130);
  expect(did).toEqual(['looked', 'made', 'looked']);
});

describe.concurrent('verify with a sandbox for real sales', { timeout: 180_000 }, () => {
  it('sends none of them to the sandbox’s own listener, and leaves none of them in its lists', async () => {
    const { url: webhookUrl, received } = await startRecorder(200);
    const sandbox = await openSandbox({ webhookUrl });
    const report = await verifyListener(await startMerchant({}), { sandbox: sandbox.url });
    expect(trace(report)).toBe('failed:; not checked: unasked');
    expect([sandbox.transactions, received, sandbox.webhookUrl]).toEqual([[], [], webhookUrl]);
  });

  it('sets armed faults aside, and arms them again afterwards, also after a failure', async () => {
    const sandbox = await openSandbox();
    const client = new SandboxClient(sandbox.url, pair);
    sandbox.fault('createRecurringCheckout', { kind: 'status', status: 504, times: 2 });
    sandbox.fault('getTransaction', { kind: 'latency', ms: 1 });
    const armed = () => sandbox.pendingFaults.map(({ operation, left }) => `${operation} ${left}`).join(', ');
    expect(await withoutTrace(client, async () => armed())).toBe('');
    expect(armed()).toBe('createRecurringCheckout 2, getTransaction 1');
    const failing = withoutTrace(client, () => Promise.reject(new Error('It failed.')));
    await expect(failing).rejects.toThrow('It failed.');
    expect(armed()).toBe('createRecurringCheckout 2, getTransaction 1');
  });

  it.each([
    ['SIGINT', 'while a sale is made', 'createRecurringCheckout', undefined],
    ['SIGTERM', 'while its own fault is armed', 'getTransaction', 'status'],
  ] as const)('leaves the sandbox as it was after %s %s', async (signal, _when, operation, fault) => {
    const { promise: met, resolve: meet } = deferred();
    const sandbox = await openSandbox({
      log(entry) {
        if (entry.type === 'request' && entry.operation === operation && entry.fault === fault) meet();
      },
    });
    const { url, effects } = await startConfirming(sandbox.url);
    sandbox.setWebhookUrl(`${url}?own`);
    sandbox.fault('createRecurringCheckout', { kind: 'status', status: 504, times: 2 });
    sandbox.fault('cancelScheduledPayment', { kind: 'latency', ms: 1, times: Number.POSITIVE_INFINITY });
    const armed = () => sandbox.pendingFaults.map(({ id: _, ...pending }) => JSON.stringify(pending));
    const before = armed();
    const run = await startCli(['verify', url, '--effects', effects, '--sandbox', sandbox.url], environment);
    await met;
    run.child.kill(signal);
    expect(await run.ended).toMatchObject({ status: signal === 'SIGINT' ? 130 : 143 });
    expect(armed().map((one) => one.replaceAll('1000000000', 'null'))).toEqual(before);
    expect([sandbox.transactions, sandbox.webhookUrl]).toEqual([[], `${url}?own`]);
  });

  it('lets its faults meet its own sales alone', async () => {
    let other = '';
    const meeting: Promise<unknown>[] = [];
    const sandbox = await openSandbox({
      log(entry) {
        if (entry.type === 'request' && entry.fault === 'status' && entry.operation === 'getTransaction')
          meeting.push(client.getTransaction(other));
      },
    });
    const client = new PaymentsClient({ baseUrl: sandbox.url, ...pair, maxRetries: 0 });
    other = (await client.createRecurringCheckout(fixtures.recurringCheckoutRequest())).response.uuid;
    const report = await verifyListener(await startConfirming(sandbox.url), { sandbox: sandbox.url });
    expect(trace(report)).toBe('failed:; not checked:');
    expect(meeting.length).toBeGreaterThan(0);
    for (const met of meeting) expect(await met).toMatchObject({ uuid: other });
  });

  it('also runs from the button of the sandbox’s page', async () => {
    const { url: sandbox } = await openSandbox();
    const { checks } = await pageVerify(() => sandbox, pair, {})({ url: (await startMerchant({})).url });
    expect(checks.length).toBeGreaterThan(30);
    expect(checks.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
    const elsewhere = pageVerify(() => '', pair, {})({ url: 'http://merchant.example/' });
    await expect(elsewhere).rejects.toThrow('plain http');
  });

  it('ends green on the page with the address that answers the rows', async () => {
    const { url: sandbox } = await openSandbox();
    const { url, effects } = await startConfirming(sandbox);
    const { checks } = await pageVerify(() => sandbox, pair, {})({ url, effects });
    expect(checks.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
    const wrong = pageVerify(() => '', pair, {})({ url, effects: 'http://127.0.0.1:1' });
    await expect(wrong).rejects.toThrow('The URL of `--effects` cannot be reached');
  });
});
