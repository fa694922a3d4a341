import { PaymentsClient } from 'pix-automatic-sdk';
import { type Sandbox, type SandboxOptions, startSandbox } from 'pix-automatic-sdk/sandbox';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fixtures } from '../../../src/testing';
import { startRecorder } from '../listeners';
import { listen } from '../listeners/listen';
import { credentials, environment, runCli } from '../run-cli';

/** All that is on standard error with `--json`: these tests use a pair of their own. */
const WARNING = /^Warning: .* not the sandbox's own pair: .*\n$/;

/** A sandbox of the document alone, unless the test asks for events. */
async function start({ inventions, ...options }: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox({ ...options, inventions: { recurrenceEvents: 'none', ...inventions } });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** A sandbox whose listener answers with this status, with unpaid journeys `order-1`, `order-2` and so on. */
async function open(journeys: number, status = 200, inventions: SandboxOptions['inventions'] = {}) {
  const listener = await startRecorder(status);
  const sandbox = await start({ credentials, webhookUrl: listener.url, retryIntervalMs: 60_000, inventions });
  const client = new PaymentsClient({ baseUrl: sandbox.url, ...credentials });
  const create = async (referenceCode: string) => {
    const request = fixtures.recurringCheckoutRequest({ referenceCode });
    return (await client.createRecurringCheckout(request)).response.uuid;
  };
  const uuids: string[] = [];
  for (let number = 1; number <= journeys; number++) uuids.push(await create(`order-${number}`));

  /** The exit code and what is printed when this is typed, with a name in place of each UUID, date and duration. */
  const run = async (typed: string) => {
    const args = (typed.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^"(.*)"$/, '$1'));
    const { status: exitCode, stdout, stderr } = await runCli([...args, '--sandbox', sandbox.url]);
    if (typed.includes('--json')) expect(stderr).toMatch(WARNING);
    const printed = typed.includes('--json') ? stdout : stdout + stderr;
    return `${exitCode} ${uuids.reduce((text, uuid, index) => text.replaceAll(uuid, `UUID-${index + 1}`), printed)}`
      .replace(/[\da-f]{8}-[\da-f-]{27}/g, 'UUID')
      .replace(/\d{4}-\d\d-\d\d/g, 'DATE')
      .replace(/\b\d+ ms/g, 'N ms');
  };
  /** Types what stands before each arrow, and looks for what stands after it: `…` is for anything between. */
  const type = async (...steps: string[]) => {
    for (const step of steps) {
      const [typed = '', expected = ''] = step.split(' => ');
      const parts = expected.split(' … ').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
      expect(await run(typed), typed).toMatch(new RegExp(`^${parts.join('[^]*')}`));
    }
  };
  const json = async (typed: string) => JSON.parse((await run(`${typed} --json`)).slice(2));
  return { sandbox, client, create, listener, uuids, type, json };
}

describe('a command for a running sandbox:', { timeout: 60_000 }, () => {
  it.each<[claim: string, ...steps: string[]]>([
    ['amounts are printed as the language writes them', 'list => 0 … R$ 59.70'],
    [
      '`pay` names what is missing',
      'pay ordre-1 => 1 … Did you mean `order-1`?',
      'pay => 0 Paid order-2',
      'pay => 0 Paid order-1',
      'pay => 1 … Every journey of the sandbox is paid or cancelled',
      'pay order-1 => 1 … A transaction that is PAID cannot be paid',
    ],
    [
      '`list` shows transactions and notifications, and can be limited and filtered',
      'pay order-1 => 0',
      'list => 0 … order-1  PAID  R$ 59.70  UUID-1 … scheduled  UUID  DATE  SCHEDULED … order-2  PENDING',
      'list => 0 … → payment delivery-1  HTTP 200',
      'list --limit 1 => 0 … 1 older one is not shown … order-2',
    ],
    [
      '`fault` says what it sets',
      'fault getTransaction status --status 504 => 0 getTransaction: status 504 on the next call (fault-1).',
      'fault getTransaction status --status 504 --takes-effect => 0 getTransaction: status 504, carried out, on the next',
      'fault getTransaction close-after-answer --ms 7 => 0 getTransaction: close-after-answer N ms on the next call (fault-3).',
      'fault --clear fault-2 => 0 The fault fault-2 is removed.',
      'fault --clear fault-2 => 1 … No fault has this id',
      'list => 0 … getTransaction status (`fault --clear fault-1`) … (`fault --clear fault-3`)',
      'fault --clear fault-1 fault-3 => 2 … Expected `--clear` alone, or with the id of one fault.',
      'fault --clear => 0 … All faults are removed.',
    ],
  ])('%s', async (_claim, ...steps) => {
    const { type } = await open(2);
    await type(...steps);
  });

  it('the life of a recurrence is played, each step with what was sent, until nothing is left to charge', async () => {
    const { type, json, listener } = await open(0, 200, { recurrenceEvents: 'events' });
    const sent = (...events: string[]) =>
      events.map((event) => ` … → recurrence ${event} delivery-`).join('');
    await type(
      'charge => 1 … Nothing is left to charge or to end: no recurrence of the sandbox is accepted',
      'create --reference-code order-7 --authorize-only => 0',
      'charge order-7 => 1 … A journey that is PENDING cannot be charged: `pay` first.',
      `authorize => 0 Authorized order-7 (UUID) … scheduled: UUID, due DATE${sent('AUTHORIZED')}`,
      `charge => 0 Charged order-7 (UUID), due DATE: R$ 29.90, paid${sent('CHARGE_SCHEDULED', 'CHARGE_PAID')}`,
      'charge --retry => 1 … Only a charge that fails is tried again: set `fails`.',
      'charge --fails XX01 => 2 … one of AM04',
      `charge --fails am04 --retry => 0 … R$ 29.90, failed with AM04, and will be tried again${sent('CHARGE_SCHEDULED', 'CHARGE_FAILED')}`,
      'list => 0 … recurrence  RR … APPROVED … scheduled  UUID  DATE  PAID  R$ 29.90  sale UUID … SCHEDULED … failed with AM04, and was tried again',
      'charge order-7 => 0 … paid',
      `charge --fails MD01 => 0 … failed with MD01${sent('CHARGE_SCHEDULED', 'CHARGE_FAILED')}`,
    );
    expect(await json('charge')).toMatchObject({
      referenceCode: 'order-7',
      scheduledPayment: { status: 'PAID' },
      notifications: [{ kind: 'recurrence', httpStatus: 200 }, { httpStatus: 200 }],
    });
    await type(
      `cancel-recurrence => 0 The recurrence of order-7 (UUID) has ended${sent('CANCELLED')}`,
      'charge => 1 … Nothing is left to charge',
      'charge order-7 => 1 … The recurrence is CANCELLED: nothing is left to charge',
      'cancel-scheduled order-7 => 1 … No payment is scheduled',
    );
    expect(listener.received.every(({ body }) => body['externalId'] === 'order-7')).toBe(true);
  });

  it('a recurrence is cancelled payment by payment, refused, expired and concluded', async () => {
    const { type } = await open(4, 200, { recurrenceEvents: 'events' });
    await type(
      'reject-recurrence order-1 => 0 The recurrence of order-1 … → recurrence REJECTED delivery-1',
      'expire-recurrence order-2 => 0 … → recurrence EXPIRED delivery-2',
      'pay order-3 => 0 Paid order-3 … → payment delivery-3 … → recurrence AUTHORIZED delivery-4',
      'cancel-scheduled order-3 --reason "moved away" => 0 … CANCELLED',
      'conclude-recurrence => 0 … order-3 … → recurrence CONCLUDED delivery-5',
      'pay order-1 => 1 … The recurrence is REJECTED',
    );
  });

  it('without events, a charge sends nothing, and says so', async () => {
    const { type } = await open(1);
    await type(
      'pay => 0',
      'charge => 0 Charged order-1 (UUID-1), due DATE: R$ 59.70, paid … No notification is sent: the document shows none for this.',
    );
  });

  it('`pay` says that there is no journey', async () => {
    const { type } = await open(0);
    await type('pay => 1 … The sandbox has no journey yet: create one');
  });

  it('`pay` pays the newest journey that is not paid, and tells how the listener answered', async () => {
    const { type, uuids, listener, client } = await open(2);
    const answered = '→ payment delivery-1  HTTP 200  N ms  delivered';
    await type(`pay => 0 Paid order-2 (UUID-2): R$ 59.70 … scheduled: UUID, due DATE … ${answered}`);
    expect(listener.received[0]?.body).toMatchObject({ saleToken: uuids[1], newStatus: 'PAID' });
    expect((await client.getTransaction(uuids[1] ?? '')).situation).toBe('PAID');
  });

  it('`pay` takes a reference code or a uuid, and ends with 1 when the listener did not answer 200', async () => {
    const { type, json, uuids } = await open(2, 500);
    const notifications = [{ kind: 'payment', httpStatus: 500, status: 'pending' }];
    expect(await json('pay order-1')).toMatchObject({
      uuid: 'UUID-1',
      referenceCode: 'order-1',
      notifications,
    });
    await type(`pay ${uuids[1]} => 1 Paid order-2`);
  });

  it('`refund` refunds a part, and then all that is left', async () => {
    const { type, listener } = await open(1);
    await type(
      'refund => 1 … No transaction of the sandbox is paid: pay one with',
      'pay => 0',
      'refund --amount 9.70 --reason 007 => 0 Refunded R$ 9.70 of order-1 (UUID-1)',
      'refund order-1 => 0 Refunded R$ 50.00',
      'refund => 1',
    );
    expect(listener.received[1]?.body).toMatchObject({ reason: '007', refund: { amount: 9.7 } });
  });

  it('`refund` and `reverse` take the sale of a month, and `list` shows it', async () => {
    const listener = await startRecorder(200);
    const inventions = { recurrenceEvents: 'payments' as const };
    const sandbox = await start({ credentials, webhookUrl: listener.url, inventions });
    const { uuid } = sandbox.createTestJourney({ referenceCode: 'order-1' });
    sandbox.pay(uuid);
    const { saleUUID = '' } = sandbox.charge(uuid);
    await sandbox.idle();
    const run = async (...args: string[]) => (await runCli([...args, '--sandbox', sandbox.url])).stdout;
    expect(await run('list')).toContain(`PAID  R$ 29.90  sale ${saleUUID}`);
    expect(await run('refund', saleUUID, '--amount', '10')).toContain(
      `Refunded R$ 10.00 of order-1 (${saleUUID})`,
    );
    expect(await run('reverse', saleUUID)).toContain(`order-1 (${saleUUID})`);
    expect(
      listener.received.map(({ body }) => body['saleToken'] ?? Object(body['sale'])['uuid']).slice(2),
    ).toEqual([saleUUID, saleUUID]);
  });

  it('an amount in the place of a sale, and an unknown reversal, are answered with what to type', async () => {
    const { type } = await open(1);
    await type(
      'pay order-1 => 0',
      'refund 10 => 2 … There is no sale `10`. Did you mean `--amount 10`?',
      'refund 10,50 => 2 … Did you mean `--amount 10.50`?',
      'pay 10 => 1 … No transaction of the sandbox has that uuid or reference code.',
      'reverse --amount 10 => 0',
      'list => 0 … reversal  UUID  R$ 10.00  PENDING',
      'complete-reversal 123 => 1 … No reversal has this uuid. `pix-automatic-sdk list` shows them all.',
      'complete-reversal => 0',
    );
  });

  it('`reverse` starts a reversal, and ends it with --complete or --cancel', async () => {
    const { type, listener } = await open(2);
    await type(
      'pay order-1 => 0',
      'reverse --amount 10 => 0 Reversal UUID of order-1 … R$ 10.00, PENDING',
      'reverse order-1 --amount 5 --complete --reason "unknown sale" => 0 … R$ 5.00, PAID',
      'reverse --amount 1 --cancel => 0 … R$ 1.00, CANCELLED',
      'reverse --cancel --complete => 2',
    );
    const bodies = listener.received.slice(1).map(({ body }) => body);
    const statuses = bodies.map(({ status }) => status);
    expect(statuses).toEqual(['PENDING', 'PENDING', 'PAID', 'PENDING', 'CANCELLED']);
    expect(bodies[2]).toMatchObject({ reason: 'unknown sale' });
  });

  it('`pay-out` pays out, or fails with a code', async () => {
    const { type, listener } = await open(0);
    await type(
      'pay-out --amount 150 => 0 Payout UUID: R$ 150.00, made',
      'pay-out --amount 1.5 --fail pe0003 --reason "Account closed" => 0 … failed with PE0003',
      'pay-out => 2 … Expected `--amount`',
      'pay-out --amount 1 --fail PE0009 => 2 … one of PE0001',
      'pay-out --amount 1,50 => 2 … such as 29.90',
    );
    expect(listener.received.at(-1)?.body).toMatchObject({ success: false, error_code: 'PE0003' });
  });

  it('`notify`, `cancel` and `complete-reversal` do what the page can do', async () => {
    const { type, listener, sandbox } = await open(2);
    await type(
      'notify --payload {"own":1} --query type=own => 0',
      'notify --payload {own} => 2 … to be a JSON object',
      'cancel order-2 => 0 Cancelled order-2',
      'pay order-1 => 0',
      'reverse order-1 --amount 5 => 0',
      'complete-reversal => 0 Reversal UUID: R$ 5.00, PAID',
    );
    expect(listener.received[0]).toMatchObject({ url: '/webhooks?type=own', body: { own: 1 } });
    expect(sandbox.transactions[0]?.reversals).toMatchObject([{ status: 'PAID' }]);
  });

  it('prints JSON with `--json`: of `list` without payloads, filtered, and of what was done', async () => {
    const { type, json } = await open(2);
    await type('pay order-2 => 0');
    const { transactions, deliveries } = await json('list');
    expect(transactions).toMatchObject([{ uuid: 'UUID-1' }, { uuid: 'UUID-2' }]);
    expect(deliveries).toMatchObject([{ id: 'delivery-1', kind: 'payment' }]);
    expect(JSON.stringify(deliveries)).not.toContain('saleToken');
    const paid = { transactions: [{ referenceCode: 'order-2' }], deliveries: [{}] };
    expect(await json('list ORDER --state PAID')).toMatchObject(paid);
    expect(await json('refund order-2')).toMatchObject({ refund: { amount: 59.7 } });
    expect(await json('resend')).toMatchObject({ delivery: 'delivery-2', httpStatus: 200 });
    const declined = { referenceCode: 'order-2', scheduledPayment: { status: 'FAILED' } };
    expect(await json('charge order-2 --fails AM04')).toMatchObject(declined);
    const set = {
      id: 'fault-1',
      operation: 'getTransaction',
      fault: { kind: 'status', status: 504, times: 2 },
    };
    expect(await json('fault getTransaction status --status 504 --times 2')).toEqual(set);
  });

  it('`resend` sends the newest notification, or the one named, once more', async () => {
    const { type, listener } = await open(1);
    await type(
      'resend => 1 … has sent no notification yet',
      'pay => 0',
      'refund => 0',
      'resend => 0 Sent delivery-2 once more: HTTP 200',
      'resend delivery-1 => 0 Sent delivery-1 once more: HTTP 200',
      'resend delivery-9 => 1',
      'resend zz => 1 … `pix-automatic-sdk list` shows them all',
    );
    expect(listener.received.map(({ body }) => 'refund' in body)).toEqual([false, true, true, false]);
  });

  it('`resend` says what an answer other than 200 means, as `pay` does', async () => {
    const { type } = await open(1, 401);
    await type(
      'pay => 1 … HTTP 401  N ms  will be retried  your listener has another pair',
      'resend => 1 Sent delivery-1 once more: HTTP 401, N ms  your listener has another pair',
    );
  });

  it('`fault` lets the next calls fail, and can be taken back', async () => {
    const { type, create, client, uuids, sandbox } = await open(1);
    await type('fault createRecurringCheckout status --status 504 --times 2 => 0');
    await expect(create('order-9')).rejects.toMatchObject({ httpStatus: 504 });
    await type('fault --clear => 0');
    await create('order-9');
    await type('fault createRecurringCheckout status --status 504 --takes-effect => 0');
    await expect(create('order-9')).rejects.toMatchObject({ httpStatus: 504 });
    expect(sandbox.transactions).toHaveLength(3);
    // The client asks again at once what a kept connection did not answer, so one fault is not enough.
    await type('fault getTransaction body-status --status -1 --times 2 => 0');
    await expect(client.getTransaction(uuids[0] ?? '')).rejects.toMatchObject({ status: -1 });
  });

  it('`create` meets an armed fault, as a client does, and says so', async () => {
    const { type, sandbox } = await open(0);
    await type('fault createRecurringCheckout status --status 504 => 0');
    await type('create => 1 … An armed fault met this call, as it meets those of a client: HTTP 504.');
    expect([sandbox.transactions, sandbox.pendingFaults]).toEqual([[], []]);
    await type('fault createRecurringCheckout reset-before-read => 0');
    await type('create => 1 … An armed fault may have met the call');
    await type('create => 0 … Created');
    expect(sandbox.transactions).toHaveLength(1);
  });

  it('`set-listener` takes the URL as its argument, and asks for it only in a terminal', async () => {
    const { type, sandbox } = await open(1);
    await type('set-listener http://127.0.0.1:9/new => 0', 'set-listener => 2 … Expected <url>.');
    expect(sandbox.webhookUrl).toBe('http://127.0.0.1:9/new');
    await type('set-listener "" => 0', 'pay => 0 … not sent: the sandbox has no listener.');
    expect(sandbox.webhookUrl).toBeUndefined();
    await type('resend => 1 … There is no listener URL to send it to');
  });

  it('`create` and `set-listener` do not speak of a notification, because they never send one', async () => {
    const { sandbox } = await open(0);
    const run = async (...args: string[]) => (await runCli([...args, '--sandbox', sandbox.url])).stdout;
    expect(await run('create', '--reference-code', 'order-1')).toMatch(
      /^Created order-1 \(.*\): R\$ 59\.70\n$/,
    );
    expect(await run('set-listener', '')).toBe('Saved\n');
  });

  it('`list` prints the last result of a delivery, and that it was delivered before', async () => {
    const { type, sandbox, listener } = await open(1);
    await type('pay => 0');
    listener.stop();
    await sandbox.redeliver('delivery-1');
    await type('list => 0 … payment delivery-1  no answer (ECONNREFUSED)  N ms  delivered before');
  });

  it('`pay` ends when a slow listener has answered', async () => {
    const { type, sandbox } = await open(1);
    const slow = await listen(
      (_request, response) => void setTimeout(() => response.end(), 6_000),
      () => 0,
    );
    sandbox.setWebhookUrl(slow.url);
    await type('pay => 0 … HTTP 200 … Still waiting for the answer of the listener, up to 30 s.');
  });

  it('finds the sandbox by --sandbox, else by PAYMENTS_BASE_URL of this machine, else on port 4100', async () => {
    const { sandbox } = await open(1);
    const { sandbox: other } = await open(2);
    const env = { ...environment, PAYMENTS_BASE_URL: sandbox.url };
    expect((await runCli(['list'], env)).stdout).not.toContain('order-2');
    expect((await runCli(['list', '--sandbox', other.url], env)).stdout).toContain('order-2');
    const service = { ...environment, PAYMENTS_BASE_URL: 'https://api.example' };
    expect((await runCli(['list'], service)).stderr).toContain('are sent to http://127.0.0.1:4100/');
  });
});

describe('a command that no sandbox accepts', { timeout: 60_000 }, () => {
  it.each(['pay', 'refund', 'reverse', 'pay-out --amount 1', 'list', 'resend', 'fault --clear'])(
    'says how to start it: `%s`',
    async (typed) => {
      const { status, stderr } = await runCli([...typed.split(' '), '--sandbox', 'http://127.0.0.1:2'], {});
      expect(status).toBe(1);
      expect(stderr).toBe(
        'pix-automatic-sdk: The sandbox is not running at http://127.0.0.1:2: start it with `npx pix-automatic-sdk sandbox`, or name the one that runs by `--sandbox <url>` or PAYMENTS_BASE_URL (no file `.env` is read).\n',
      );
    },
  );

  it.each([
    ['something else answers there with 200', 200, '{}', 'not that of a sandbox of this version'],
    ['something else answers there with 404', 404, 'nothing here', 'No sandbox of this version answers'],
  ])('says when %s', async (_what, status, answer, message) => {
    const { url } = await startRecorder(status, answer);
    expect((await runCli(['list', '--sandbox', url])).stderr).toContain(message);
  });

  it('says when the sandbox expects another pair', async () => {
    const sandbox = await start({ credentials: { apiKey: 'another-key', apiToken: 'another-token' } });
    const { status, stderr } = await runCli(['list', '--sandbox', sandbox.url]);
    expect(status).toBe(1);
    expect(stderr).toContain('expects other credentials');
  });
});
