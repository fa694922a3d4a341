import { PaymentsClient } from 'pix-automatic-sdk';
import { type Sandbox, type SandboxOptions, startSandbox } from 'pix-automatic-sdk/sandbox';
import { afterAll, describe, expect, it } from 'vitest';
import { fixtures } from '../../../src/testing';
import { startRecorder } from '../listeners';
import { listen } from '../listeners/listen';
import { credentials, environment, runCli } from '../run-cli';

/** All that is on standard error: these tests use a pair of their own. */
const WARNING = /^Warning: .* not the sandbox's own pair: .*\n$/;

/** Concurrent tests share the sandboxes, which end with their file. */
const sandboxes: Sandbox[] = [];
afterAll(() => Promise.all(sandboxes.map((sandbox) => sandbox.close())));

async function start(options: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  sandboxes.push(sandbox);
  return sandbox;
}

/** A sandbox whose listener answers with this status, with unpaid journeys. */
async function open(references: readonly string[], status = 200) {
  const listener = await startRecorder(status);
  const sandbox = await start({ credentials, webhookUrl: listener.url, retryIntervalMs: 60_000 });
  const client = new PaymentsClient({ baseUrl: sandbox.url, ...credentials });
  const uuids: string[] = [];
  for (const referenceCode of references) {
    const request = fixtures.recurringCheckoutRequest({ referenceCode });
    uuids.push((await client.createRecurringCheckout(request)).response.uuid);
  }
  /** Runs what is typed. A value with spaces comes after it. */
  const run = async (typed: string, ...more: string[]) => {
    const args = [...typed.split(' '), ...more, '--sandbox', sandbox.url];
    const { status: exitCode, stdout, stderr } = await runCli(args);
    return { exitCode, stdout, stderr };
  };
  const runJson = async (typed: string, ...more: string[]) => {
    const { exitCode, stdout, stderr } = await run(typed, ...more, '--json');
    expect(stderr).toMatch(WARNING);
    return { exitCode, data: JSON.parse(stdout) };
  };
  const out = async (typed: string) => (await run(typed)).stdout;
  const err = async (typed: string) => (await run(typed)).stderr;
  return { sandbox, client, listener, uuids, run, runJson, out, err };
}

describe.concurrent('a command for a running sandbox:', { timeout: 60_000 }, () => {
  it('`pay` pays the newest journey that is not paid, and tells how the listener answered', async () => {
    const { run, uuids, listener, client } = await open(['order-1', 'order-2']);
    const { exitCode, stdout } = await run('pay');
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`Paid order-2 (${uuids[1]}): R$ 59.70`);
    expect(stdout).toMatch(/scheduled: [\w-]{36}, due \d{4}-\d\d-\d\d/);
    expect(stdout).toMatch(/→ payment delivery-1 {2}HTTP 200 {2}\d+ ms {2}delivered/);
    expect(listener.received[0]?.body).toMatchObject({ saleToken: uuids[1], newStatus: 'PAID' });
    expect((await client.getTransaction(uuids[1] ?? '')).situation).toBe('PAID');
  });

  it('prints amounts as the language writes them', async () => {
    const { out } = await open(['order-1']);
    expect(await out('pay --lang pt')).toContain('R$ 59,70');
    expect(await out('list --lang pt')).toContain('R$ 59,70');
    expect(await out('list --lang en')).toContain('R$ 59.70');
  });

  it('`pay` takes a reference code or a uuid, and ends with 1 when the listener did not answer 200', async () => {
    const { runJson, uuids } = await open(['order-1', 'order-2'], 500);
    expect(await runJson('pay order-1')).toEqual({
      exitCode: 1,
      data: expect.objectContaining({
        uuid: uuids[0],
        referenceCode: 'order-1',
        notifications: [expect.objectContaining({ kind: 'payment', httpStatus: 500, status: 'pending' })],
      }),
    });
    expect((await runJson('pay', uuids[1] ?? '')).data).toMatchObject({ referenceCode: 'order-2' });
  });

  it('`pay` names what is missing', async () => {
    const { run, err } = await open(['order-1']);
    expect(await err('pay ordre-1')).toContain('Did you mean `order-1`?');
    await run('pay');
    expect(await err('pay')).toContain('Every journey of the sandbox is paid or cancelled');
    expect(await err('pay order-1')).toContain('A transaction that is PAID cannot be paid');
    const empty = await open([]);
    expect(await empty.run('pay')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('The sandbox has no journey yet: create one'),
    });
  });

  it('`refund` refunds a part, and then all that is left', async () => {
    const { runJson, run, uuids, listener, err } = await open(['order-1']);
    expect(await err('refund')).toContain('No transaction of the sandbox is paid: pay one with');
    await run('pay');
    const first = await run('refund --amount 9.70 --reason 007');
    expect(first.stdout).toContain(`Refunded R$ 9.70 of order-1 (${uuids[0]})`);
    expect(listener.received.at(-1)?.body).toMatchObject({ reason: '007', refund: { amount: 9.7 } });
    expect((await runJson('refund order-1')).data).toMatchObject({ refund: { amount: 50 } });
    expect(await run('refund')).toMatchObject({ exitCode: 1, stdout: '' });
  });

  it('`reverse` starts a reversal, and ends it with --complete or --cancel', async () => {
    const { run, runJson, listener, out } = await open(['order-1', 'order-2']);
    await run('pay order-1');
    expect(await out('reverse --amount 10')).toMatch(/^Reversal [\w-]{36} of order-1 .*R\$ 10\.00, PENDING/);
    const { data } = await runJson('reverse order-1 --amount 5 --complete --reason', 'unknown sale');
    expect(data).toMatchObject({
      reversal: { status: 'PAID', reason: 'unknown sale' },
      notifications: [{}, {}],
    });
    expect(listener.received.slice(-2).map(({ body }) => body['status'])).toEqual(['PENDING', 'PAID']);
    expect((await runJson('reverse --amount 1 --cancel')).data).toMatchObject({
      reversal: { status: 'CANCELLED' },
    });
    expect((await run('reverse --cancel --complete')).exitCode).toBe(2);
  });

  it('`pay-out` pays out, or fails with a code', async () => {
    const { run, listener, out, err } = await open([]);
    expect(await out('pay-out --amount 150')).toMatch(/^Payout [\w-]{36}: R\$ 150\.00, made/);
    const failed = await run('pay-out --amount 1.5 --fail pe0003 --reason', 'Account closed');
    expect(failed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('failed with PE0003') });
    expect(listener.received.at(-1)?.body).toMatchObject({
      success: false,
      error_code: expect.stringContaining('PE0003'),
    });
    expect(await err('pay-out')).toContain('Expected `--amount`');
    expect(await err('pay-out --amount 1 --fail PE0009')).toContain('one of PE0001');
    expect(await err('pay-out --amount 1,50')).toContain('such as 29.90');
  });

  it('`list` shows transactions and notifications, without payloads', async () => {
    const { run, runJson, uuids } = await open(['order-1', 'order-2']);
    await run('pay order-1');
    const { stdout } = await run('list');
    expect(stdout).toMatch(new RegExp(`order-1 {2}PAID {2}R\\$ 59\\.70 {2}${uuids[0]}`));
    expect(stdout).toMatch(/scheduled {2}[\w-]{36} {2}\d{4}-\d\d-\d\d {2}SCHEDULED/);
    expect(stdout).toMatch(/order-2 {2}PENDING/);
    expect(stdout).toContain('→ payment delivery-1  HTTP 200');
    const { data } = await runJson('list');
    expect(data.transactions.map(({ uuid }: { uuid: string }) => uuid)).toEqual(uuids);
    expect(data.deliveries).toMatchObject([{ id: 'delivery-1', kind: 'payment' }]);
    expect(JSON.stringify(data.deliveries)).not.toContain('saleToken');
  });

  it('month two: `pay-scheduled`, `decline-scheduled` and `cancel-scheduled` take the next payment of the calendar', async () => {
    const { runJson, run, sandbox, err } = await open([]);
    await run('create --reference-code order-7 --authorize-only');
    const paid = await run('pay order-7');
    expect(paid.stdout).toContain('Paid order-7');
    expect(sandbox.deliveries).toEqual([]);
    const first = await run('pay-scheduled');
    expect(first.stdout).toMatch(/^Scheduled payment [\w-]{36}, due \d{4}-\d\d-\d\d: R\$ 29\.90, PAID/);
    expect((await runJson('decline-scheduled order-7')).data).toMatchObject({
      referenceCode: 'order-7',
      scheduledPayment: { status: 'FAILED' },
    });
    const { instructionId = '' } = sandbox.transactions[0]?.scheduledPayments[2] ?? {};
    const cancelled = await run('cancel-scheduled', instructionId, '--reason', 'moved away');
    expect(cancelled.stdout).toContain('CANCELLED');
    expect(await err('pay-scheduled')).toContain('No payment is scheduled');
  });

  it('`notify`, `cancel` and `complete-reversal` do what the page can do, in Portuguese too', async () => {
    const { run, listener, sandbox, out, err } = await open(['order-1', 'order-2']);
    await run('pay order-1');
    await run('notify --payload {"own":1} --query type=own');
    expect(listener.received.at(-1)).toMatchObject({ url: '/webhooks?type=own', body: { own: 1 } });
    expect(await err('notify --payload {own}')).toContain('to be a JSON object');
    expect(await out('cancel order-2')).toContain('Cancelled order-2');
    await run('reverse order-1 --amount 5');
    expect(await out('complete-reversal')).toMatch(/^Reversal [\w-]{36}: R\$ 5\.00, PAID/);
    expect(sandbox.transactions[0]?.reversals).toMatchObject([{ status: 'PAID' }]);
  });

  it('`list` can be limited and filtered', async () => {
    const { runJson, run, out } = await open(['order-1', 'order-2', 'order-3']);
    await run('pay order-2');
    const { stdout } = await run('list --limit 1');
    expect(stdout).toContain('order-3');
    expect(stdout).toContain('2 older ones are not shown');
    const paid = (await runJson('list ORDER --state PAID')).data;
    expect(paid.transactions).toMatchObject([{ referenceCode: 'order-2' }]);
    expect(paid.deliveries).toHaveLength(1);
    expect(await out('list nothing --lang pt')).toContain('Nenhuma transação ainda.');
  });

  it('`resend` sends the newest notification, or the one named, once more', async () => {
    const { run, runJson, listener, out, err } = await open(['order-1']);
    expect(await err('resend')).toContain('has sent no notification yet');
    await run('pay');
    await run('refund');
    expect(await runJson('resend')).toMatchObject({
      exitCode: 0,
      data: { delivery: 'delivery-2', httpStatus: 200 },
    });
    expect(await out('resend delivery-1')).toMatch(/^Sent delivery-1 once more: HTTP 200/);
    expect(listener.received.map(({ body }) => 'refund' in body)).toEqual([false, true, true, false]);
    expect(await run('resend delivery-9')).toMatchObject({ exitCode: 1, stdout: '' });
    expect(await err('resend zz')).toContain('`pix-automatic-sdk list` shows them all');
  });

  it('`fault` lets the next calls fail, and can be taken back', async () => {
    const { run, runJson, client, uuids, sandbox, out } = await open(['order-1']);
    const order = fixtures.recurringCheckoutRequest({ referenceCode: 'order-9' });
    const set = await runJson('fault createRecurringCheckout status --status 504 --times 2');
    expect(set.data).toEqual({
      operation: 'createRecurringCheckout',
      fault: { kind: 'status', status: 504, times: 2 },
    });
    await expect(client.createRecurringCheckout(order)).rejects.toMatchObject({ httpStatus: 504 });
    expect(await out('fault --clear')).toContain('All faults are removed.');
    await client.createRecurringCheckout(order);
    expect(await out('fault getTransaction status --status 504')).toBe(
      'getTransaction: status 504 on the next call.\n',
    );
    await run('fault --clear');
    const lost = 'fault createRecurringCheckout status --status 504 --takes-effect';
    expect(await out(lost)).toBe('createRecurringCheckout: status 504, carried out, on the next call.\n');
    const before = sandbox.transactions.length;
    await expect(client.createRecurringCheckout(order)).rejects.toMatchObject({ httpStatus: 504 });
    expect(sandbox.transactions).toHaveLength(before + 1);
    expect(await out('fault getTransaction close-after-answer --ms 7')).toBe(
      'getTransaction: close-after-answer 7 ms on the next call.\n',
    );
    await run('fault --clear');
    await run('fault getTransaction body-status --status -1');
    await expect(client.getTransaction(uuids[0] ?? '')).rejects.toMatchObject({ status: -1 });
  });

  it('`pay` says that the sandbox has no listener', async () => {
    const { sandbox, out } = await open(['order-1']);
    sandbox.setWebhookUrl(undefined);
    expect(await out('pay')).toContain('No notification was sent: the sandbox has no listener.');
  });

  it('`decline-scheduled` says that it sends none', async () => {
    const { run, out } = await open(['order-1']);
    await run('pay');
    expect(await out('decline-scheduled')).toContain(
      '`decline-scheduled` sends no notification in this case.',
    );
  });

  it('`set-listener` takes the URL as its argument, and asks for it only in a terminal', async () => {
    const { run, sandbox } = await open([]);
    expect(await run('set-listener http://127.0.0.1:9/new')).toMatchObject({ exitCode: 0 });
    expect(sandbox.webhookUrl).toBe('http://127.0.0.1:9/new');
    expect(await run('set-listener')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Expected <url>.'),
    });
    expect(await run('set-listener', '')).toMatchObject({ exitCode: 0 });
    expect(sandbox.webhookUrl).toBeUndefined();
  });

  it('`list` prints the last result of a delivery, and that it was delivered before', async () => {
    const { run, sandbox, out, listener } = await open(['order-1']);
    await run('pay');
    listener.stop();
    await sandbox.redeliver('delivery-1');
    expect(await out('list')).toMatch(
      /payment delivery-1 {2}no answer \(ECONNREFUSED\) {2}\d+ ms {2}delivered before/,
    );
  });

  it('`pay` ends when a slow listener has answered', async () => {
    const { run, sandbox } = await open(['order-1']);
    const slow = await listen(
      (_request, response) => void setTimeout(() => response.end(), 6_000),
      () => 0,
    );
    sandbox.setWebhookUrl(slow.url);
    expect(await run('pay')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('HTTP 200') });
  });

  it('finds the sandbox by --sandbox, else by PAYMENTS_BASE_URL of this machine, else on port 4100', async () => {
    const { sandbox } = await open(['order-1']);
    const { sandbox: other } = await open(['order-2']);
    const env = { ...environment, PAYMENTS_BASE_URL: sandbox.url };
    expect((await runCli(['list'], env)).stdout).toContain('order-1');
    expect((await runCli(['list', '--sandbox', other.url], env)).stdout).toContain('order-2');
    const service = { ...environment, PAYMENTS_BASE_URL: 'https://api.example' };
    expect((await runCli(['list'], service)).stderr).toContain('are sent to http://127.0.0.1:4100/');
  });
});

describe.concurrent('a command that no sandbox accepts', { timeout: 60_000 }, () => {
  it.each([
    ['pay'],
    ['refund'],
    ['reverse'],
    ['pay-out', '--amount', '1'],
    ['list'],
    ['resend'],
    ['fault', '--clear'],
  ])('says how to start it: `%s`', async (...command) => {
    const { status, stderr } = await runCli([...command, '--sandbox', 'http://127.0.0.1:2'], {});
    expect(status).toBe(1);
    expect(stderr).toBe(
      'pix-automatic-sdk: The sandbox is not running at http://127.0.0.1:2: start it with `npx pix-automatic-sdk sandbox`.\n',
    );
  });

  it('says when something else answers there', async () => {
    const { url } = await startRecorder(200, '{}');
    expect((await runCli(['list', '--sandbox', url])).stderr).toContain(
      'not that of a sandbox of this version',
    );
    const refusing = await startRecorder(404, 'nothing here');
    expect((await runCli(['list', '--sandbox', refusing.url])).stderr).toContain(
      'No sandbox of this version answers',
    );
  });

  it('says when the sandbox expects another pair', async () => {
    const sandbox = await start({ credentials: { apiKey: 'another-key', apiToken: 'another-token' } });
    const { status, stderr } = await runCli(['list', '--sandbox', sandbox.url]);
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('expects other credentials'),
    });
  });
});
