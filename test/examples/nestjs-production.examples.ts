import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { freePort, listen } from '../helpers/listen';
import { findPostgres } from '../helpers/postgres';
import { run } from '../package/run';
import { openDatabase } from './helpers/open-database';
import { firstAnswer, type Listeners, startListeners } from './helpers/start-listeners';
import { playWholeMerchant } from './helpers/whole-merchant';
import { installOnce } from './runner/install-example';
import { Program } from './runner/program';

const EXAMPLE = 'examples/nestjs-production';

describe.skipIf(!(await findPostgres()))('nestjs-production', () => {
  const directory = installOnce('nestjs-production');

  it('gives an order one QR code, books each payment once, and shows a person the rest', async () => {
    await playWholeMerchant(directory());
  });

  it('sells at a new price, after a QR code is over, and asks a person about a different amount and cancelled orders', async () => {
    const { query, listeners, call } = await startMerchant({ processes: 1, env: { DRAIN_DELAY_MS: '0' } });
    const { sandbox } = listeners;
    const subscribe = async (referenceCode: string): Promise<{ state: string; uuid: string }> =>
      (await call('POST', '/subscriptions', { referenceCode })).json();
    const pay = async (uuid: string) => {
      sandbox.pay(uuid);
      await sandbox.idle();
    };
    const cases = async () => (await call('GET', '/support')).json();
    const decide = async (id: string, decision: string, more: object = {}) =>
      (await call('POST', '/support/decide', { id, decision, ...more })).json();
    const payments = (key: string) =>
      query(`SELECT sale, amount::float, is_first FROM payments WHERE order_key = '${key}' ORDER BY id`);

    // The price changes, and somebody pays the old QR code: a person decides.
    const old = await subscribe('order-1');
    await query("UPDATE orders SET price = 69.7 WHERE key = 'order-1'");
    const current = await subscribe('order-1');
    expect(current.uuid).not.toBe(old.uuid);
    expect(await subscribe('order-1')).toEqual(current);
    await pay(old.uuid);
    expect(await payments('order-1')).toEqual([]);
    const [other, recurrence] = await cases();
    expect(other).toMatchObject({ reason: 'other_amount', order: 'order-1', sale: old.uuid, amount: 59.7 });
    // Its recurrence would be charged at the old price.
    expect(recurrence).toMatchObject({ kind: 'recurrence', reason: 'other_amount', order: 'order-1' });
    expect(await decide(recurrence.id, 'dismiss')).toEqual({ status: 'dismissed' });
    expect(await subscribe('order-1')).toMatchObject({ state: 'review' });
    expect(await decide(other.id, 'book')).toEqual({ status: 'booked' });
    expect(await payments('order-1')).toEqual([{ sale: old.uuid, amount: 59.7, is_first: true }]);
    // It was sold at the old price: at the new one, it is another sale.
    expect(await subscribe('order-1')).toMatchObject({ statusCode: 409 });
    await query("UPDATE orders SET price = 59.7 WHERE key = 'order-1'");
    expect(await subscribe('order-1')).toMatchObject({ state: 'paid' });

    // A QR code is over, and the next one is paid. The half hour passes in the record of the order.
    const first = await subscribe('order-2');
    const passed = `regexp_replace(record, '"aliveUntil":[0-9]+', '"aliveUntil":1')`;
    await query(`UPDATE pix_automatic SET record = ${passed} WHERE id LIKE '%order:order-2'`);
    const second = await subscribe('order-2');
    expect(second.uuid).not.toBe(first.uuid);
    await pay(second.uuid);
    expect(await payments('order-2')).toEqual([{ sale: second.uuid, amount: 59.7, is_first: true }]);

    // A late payer of a QR code that is over: the money is still what the order costs.
    const late = await subscribe('order-3');
    await query(`UPDATE pix_automatic SET record = ${passed} WHERE id LIKE '%order:order-3'`);
    expect((await subscribe('order-3')).uuid).not.toBe(late.uuid);
    await pay(late.uuid);
    expect(await payments('order-3')).toEqual([{ sale: late.uuid, amount: 59.7, is_first: true }]);

    // A cancelled order is paid: the callback asks a person, and nothing of it stays.
    const cancelled = await subscribe('order-4');
    await query("UPDATE orders SET cancelled = true WHERE key = 'order-4'");
    await pay(cancelled.uuid);
    expect(await query("SELECT paid FROM orders WHERE key = 'order-4'")).toEqual([{ paid: false }]);
    const [asked, ...rest] = await cases();
    expect(rest).toEqual([]);
    expect(asked).toMatchObject({ reason: 'needs_person', order: 'order-4', retries: false });
    expect(asked.note).toMatch(/^The customer has cancelled/);
    // The money has come: it is dismissed only once somebody has it sent back.
    expect(await decide(asked.id, 'dismiss')).toMatchObject({ statusCode: 422 });
    expect(await decide(asked.id, 'dismiss', { evenIfPaid: true })).toEqual({ status: 'dismissed' });
    expect([await payments('order-4'), await cases()]).toEqual([[], []]);
    await listeners.stop();
  });

  it('runs a year: each month once, a failure that is made up for, one that is not, a refund, the cancellation', async () => {
    let day = 0;
    const { query, listeners, call } = await startMerchant({
      processes: 1,
      env: { DRAIN_DELAY_MS: '0' },
      now: () => Date.now() + day * 86_400_000,
    });
    const { sandbox } = listeners;
    const order = async () =>
      (await query("SELECT paid, overdue, ended FROM orders WHERE key = 'order-1'"))[0];
    const payments = () => query('SELECT sale, amount::float, is_first FROM payments ORDER BY id');
    const opened = await call('POST', '/subscriptions', { referenceCode: 'order-1' });
    const { uuid } = await opened.json();
    const charge = async (options?: Parameters<typeof sandbox.charge>[1]) => {
      const charged = sandbox.charge(uuid, options);
      await sandbox.idle();
      return charged;
    };

    sandbox.pay(uuid);
    await sandbox.idle();
    const booked: object[] = [{ sale: uuid, amount: 59.7, is_first: true }];
    const months: string[] = [];
    const active = { paid: true, overdue: false, ended: false };
    for (let month = 2; month <= 12; month++) {
      day += 30;
      if (month === 5) {
        // It fails twice, and is tried again: nobody is bothered.
        for (const _try of [1, 2]) {
          await charge({ fails: 'AM04', willRetry: true });
          expect(await order()).toEqual(active);
          day += 1;
        }
      }
      if (month === 8) {
        // It fails for good: the order is overdue until a later month is paid.
        await charge({ fails: 'AC06' });
        expect(await order()).toEqual({ ...active, overdue: true });
        continue;
      }
      const { saleUUID: sale = '', dueDate } = await charge();
      months.push(dueDate.slice(0, 7));
      booked.push({ sale, amount: 29.9, is_first: false });
      expect([await payments(), await order()], `month ${month}`).toEqual([booked, active]);
      if (month === 6) {
        sandbox.refund(sale, { amount: 10 });
        await sandbox.idle();
        expect(await query('SELECT sale, amount::float, left_of_sale::float FROM returns')).toEqual([
          { sale, amount: 10, left_of_sale: 19.9 },
        ]);
      }
    }
    expect(new Set(months).size).toBe(10);

    sandbox.cancelByPayer(uuid);
    await sandbox.idle();
    expect(await order()).toEqual({ ...active, ended: true });
    expect(() => sandbox.charge(uuid)).toThrow(/CANCELLED/);

    // Everything comes again: nothing is booked twice, nothing is undone, and nobody has anything to decide.
    await listeners.deliverAllAgain();
    expect([await payments(), await order()]).toEqual([booked, { ...active, ended: true }]);
    expect(await query('SELECT count(*)::int FROM returns')).toEqual([{ count: 1 }]);
    expect(await (await call('GET', '/support')).json()).toEqual([]);
    expect((await listeners.stop()).status).toEqual([0]);
  });

  it('turns red at SIGTERM, serves on for a moment, then drains: under load no notification is refused', async () => {
    const { query, listeners, call } = await startMerchant({
      processes: 2,
      env: { DRAIN_DELAY_MS: '5000' },
      readiness: '/health/ready',
    });
    const { sandbox, programs } = listeners;
    const uuids: string[] = [];
    for (let order = 1; order <= 60; order++) {
      const opened = await call('POST', '/subscriptions', { referenceCode: `order-${order}` });
      uuids.push((await opened.json()).uuid);
    }

    const [first, second] = programs;
    const port = await portOf(first);
    const payments = (async () => {
      for (const [index, uuid] of uuids.entries()) {
        // Some callbacks are still running when the process is told to end, and when it ends.
        if (index % 7 === 0) sandbox.fault('getTransaction', { kind: 'latency', ms: 400 });
        sandbox.pay(uuid);
        await sleep(50);
      }
    })();
    await sleep(500);
    const ended = first?.stop();
    const health = async (path: string) => (await fetch(`http://127.0.0.1:${port}/health/${path}`)).status;
    await expect.poll(() => health('ready')).toBe(503);
    expect(await health('live')).toBe(200);
    expect(await ended).toMatchObject({ status: 0 });
    await payments;
    await sandbox.idle();

    const answers = sandbox.deliveries.map(({ attempts }) => attempts.map(({ httpStatus }) => httpStatus));
    // Of each, the payment and the event of its recurrence.
    expect(answers).toEqual([...uuids, ...uuids].map(() => [200]));
    const [paid] = await query('SELECT count(*)::int, count(DISTINCT sale)::int AS sales FROM payments');
    expect(paid).toEqual({ count: 60, sales: 60 });
    const { stdout } = (await ended) ?? {};
    const labels = ['kind="payment"', 'repeat="false"'];
    const served = metric(await metrics(second), 'payments_done_seconds_count', ...labels);
    expect(served).toBeGreaterThan(20);
    expect(served).toBeLessThan(60); // the other process did the rest
    expect(stdout?.map((line) => JSON.parse(line).message)).toEqual([
      expect.stringMatching(/^Listening/),
      'SIGTERM: not ready any more',
      'Drained',
    ]);
  });

  it('counts, traces and reports what fails, shows it to support staff alone, and lets them decide', async () => {
    const sentry = await startRecorder();
    const collector = await startRecorder();
    const { query, listeners, call } = await startMerchant({
      processes: 1,
      env: {
        SENTRY_DSN: sentry.url.replace('http://', 'http://key@').concat('/1'),
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        DRAIN_DELAY_MS: '0',
      },
      retryIntervalMs: 60_000, // nothing comes again while this test looks
    });
    const { sandbox, programs } = listeners;
    const [program] = programs;

    // A call that fails.
    sandbox.fault('createRecurringCheckout', { kind: 'status', status: 500 });
    expect(await call('POST', '/subscriptions', { referenceCode: 'order-0' })).toMatchObject({ status: 503 });
    await expect.poll(sentry.fingerprints).toEqual([['api_error', 'createRecurringCheckout', '500']]);

    // A callback that fails.
    const { uuid } = await (await call('POST', '/subscriptions', { referenceCode: 'order-1' })).json();
    await query('ALTER TABLE payments ADD CONSTRAINT bug CHECK (false)');
    const [scheduled] = sandbox.pay(uuid);
    await firstAnswer(sandbox);
    await expect.poll(sentry.fingerprints).toContainEqual(['callback_failed', 'payment', '500']);
    await program?.printed(/"code":"callback_failed".*"message":"The callback threw\. /);
    const key = `payment:${uuid}:PAID`;
    const cases = async () => (await call('GET', '/support')).json();
    const about = { id: key, reason: 'callback_failed', order: 'order-1', sale: uuid, amount: 59.7 };
    expect(await cases()).toMatchObject([{ ...about, kind: 'payment', retries: true, attempts: 1 }]);
    const before = await metrics(program);
    expect(metric(before, 'payments_cases')).toBe(1);
    expect(metric(before, 'payments_reports_total', 'code="callback_failed"', 'kind="payment"')).toBe(1);
    expect(metric(before, 'payments_credentials_total', 'pair="0"')).toBe(1);
    expect(metric(before, 'payments_delivery_seconds_count', 'status="500"')).toBe(1);

    // Only with the token.
    expect(await call('GET', '/support', undefined, 'Bearer another')).toMatchObject({ status: 401 });
    const book = { id: key, decision: 'book' };
    expect(await call('POST', '/support/decide', book, '')).toMatchObject({ status: 401 });

    // Once its cause is fixed, it is booked. What nobody needs is dismissed.
    expect(await call('POST', '/support/decide', book)).toMatchObject({ status: 503 });
    await query('ALTER TABLE payments DROP CONSTRAINT bug');
    expect(await (await call('POST', '/support/decide', book)).json()).toEqual({ status: 'booked' });
    expect(await query('SELECT sale, is_first FROM payments')).toEqual([{ sale: uuid, is_first: true }]);
    sandbox.notify({ event: 'recurrence' });
    await firstAnswer(sandbox);
    const [unknown] = await cases();
    expect(unknown).toMatchObject({ reason: 'unhandled' });
    const dismissed = await call('POST', '/support/decide', { id: unknown.id, decision: 'dismiss' });
    expect(await dismissed.json()).toEqual({ status: 'dismissed' });
    expect(await cases()).toEqual([]);
    expect(metric(await metrics(program), 'payments_cases')).toBe(0);

    const cancel = () => call('DELETE', `/subscriptions/payments/${scheduled?.instructionId}`);
    expect(await cancel()).toMatchObject({ status: 204 });
    expect(await cancel()).toMatchObject({ status: 409 });

    const { stdout, stderr } = await listeners.stop();
    const spans = collector.bodies.flatMap(spansOf);
    const asked = spans.find(({ name }) => name === 'GET /v1.1/transactions/{transactionUUID}');
    const delivery = spans.find(({ spanId }) => spanId === asked?.parentSpanId);
    expect(delivery).toMatchObject({ name: 'notification', traceId: asked?.traceId });
    expect(JSON.stringify(delivery)).toContain(key);

    // None of it holds a credential, the payer, or a QR code.
    const everything = [...stdout, ...stderr, ...sentry.bodies, ...collector.bodies].join('\n');
    expect(everything).not.toMatch(/Maria|12345678909|example-api-(key|token)|authorization|000201/i);
    expect(everything).toContain(uuid);
  });

  it('has a Dockerfile whose commands make a program that starts, and ends at SIGTERM', async () => {
    const { env } = await openDatabase();
    const image = await mkdtemp(join(dirname(directory()), 'image-'));
    onTestFinished(() => rm(image, { recursive: true, force: true, maxRetries: 5 }));
    const [build = [], final = []] = (await stages()).map((stage) => stage.instructions);
    for (const [instruction, rest] of build) {
      if (instruction === 'COPY') {
        const sources = rest.split(' ').slice(0, -1);
        await run(image, 'sh', '-c', `cp ${sources.map((source) => join(directory(), source)).join(' ')} .`);
      }
      if (instruction === 'RUN')
        await run(image, 'sh', '-c', `export npm_config_prefer_offline=true; ${rest}`);
    }
    const copied = final.filter(([instruction]) => instruction === 'COPY');
    const names = copied.map(([, rest]) => /^--from=build \/app\/(\S+) \.\/\S*$/.exec(rest)?.[1]);
    expect(names).toEqual(['package.json', 'node_modules', 'dist']);
    const files = await mkdtemp(join(dirname(directory()), 'image-'));
    onTestFinished(() => rm(files, { recursive: true, force: true, maxRetries: 5 }));
    for (const name of names) await cp(join(image, name ?? ''), join(files, name ?? ''), { recursive: true });

    const command = JSON.parse(final.find(([instruction]) => instruction === 'CMD')?.[1] ?? '[]');
    const program = new Program(command, files, {
      PATH: process.env['PATH'],
      ...env,
      PORT: '0',
      DRAIN_DELAY_MS: '0',
      SUPPORT_TOKEN: 'token',
      PAYMENTS_BASE_URL: 'https://service.example',
      PAYMENTS_API_KEY: 'key',
      PAYMENTS_API_TOKEN: 'token',
    });
    await program.printed(/Listening/);
    expect(await program.stop()).toMatchObject({ status: 0, stderr: [] });
  });

  it('has a compose.yaml whose services run with their own arguments and environment', async () => {
    const [compose] = await manifests('compose.yaml');
    const { database, sandbox, migrate, shop, ...others } = compose.services;
    expect(others).toEqual({});
    expect(database.environment).toEqual({ POSTGRES_HOST_AUTH_METHOD: 'trust' });
    expect(migrate.environment.DATABASE_URL).toBe('postgres://postgres@database:5432/postgres');
    const { query, env } = await openDatabase();

    // The names of the services are on loopback here, and the ports are free ones. All else is as in the manifest.
    const [ofSandbox, ofShop] = await Promise.all([freePort(), freePort()]);
    const here = (words: string) =>
      words
        .replace(/(?<=\/\/sandbox:)4100$/, String(ofSandbox))
        .replace(/(?<=\/\/shop:)3000(?=\/)/, String(ofShop));
    const hosts = join(directory(), 'hosts.cjs');
    await writeFile(hosts, HOSTS);
    const start = ({ command, environment }: Service, more: string[] = [], variables = {}) => {
      const [program = '', ...args] = command.map(here);
      const own = Object.entries<string>(environment ?? {}).map(([name, value]) => [name, here(value)]);
      return new Program([program, ...args, ...more], directory(), {
        PATH: process.env['PATH'],
        NODE_ENV: 'production',
        NODE_OPTIONS: `--require ${hosts}`,
        ...Object.fromEntries(own),
        ...('DATABASE_URL' in (environment ?? {}) && env),
        ...variables,
      });
    };
    const [, final] = await stages();
    const image = JSON.parse(final?.instructions.find(([instruction]) => instruction === 'CMD')?.[1] ?? '[]');

    const service = start(sandbox, [`--port=${ofSandbox}`]);
    await service.printed(/The sandbox is up/);
    expect(await start(migrate).ended()).toMatchObject({ status: 0 });
    const merchant = start({ command: image, ...shop }, [], { PORT: String(ofShop) });
    await merchant.printed(/Listening/);

    const subscribe = async () => {
      const body = JSON.stringify({ referenceCode: 'order-1' });
      const headers = { 'content-type': 'application/json' };
      const url = `http://127.0.0.1:${ofShop}/subscriptions`;
      return (await fetch(url, { method: 'POST', headers, body })).json();
    };
    expect(await subscribe()).toMatchObject({ state: 'open', qrCode: expect.stringMatching(/^000201/) });
    // What the README runs by `docker compose exec sandbox`.
    const pay = { command: [sandbox.command[0], 'pay'], environment: sandbox.environment };
    const paidIn = await start(pay, ['--sandbox', `http://127.0.0.1:${ofSandbox}`]).ended();
    expect(paidIn).toMatchObject({ status: 0 });
    await expect.poll(() => query('SELECT key FROM orders WHERE paid')).toEqual([{ key: 'order-1' }]);
    expect(await subscribe()).toMatchObject({ state: 'paid' });
    expect(await merchant.stop()).toMatchObject({ status: 0 });
    expect(await service.stop()).toMatchObject({ status: 0 });
  });

  interface Merchant {
    readonly processes: number;
    readonly env: NodeJS.ProcessEnv;
    readonly readiness?: string;
    readonly retryIntervalMs?: number;
    readonly now?: () => number;
  }

  async function startMerchant({ processes, env, ...options }: Merchant) {
    const database = await openDatabase();
    const complete = { ...database.env, SUPPORT_TOKEN: 'support-token', ...env };
    await new Program(['npm', 'run', 'migrate'], directory(), { ...process.env, ...complete }).ended();
    const listeners = await startListeners(directory(), processes, complete, options);
    const call = (
      method: string,
      path: string,
      body?: object,
      authorization = 'Bearer support-token',
      // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asks for
    ): Promise<Omit<Response, 'json'> & { json(): Promise<any> }> =>
      fetch(new URL(path, String(listeners.sandbox.webhookUrl)), {
        method,
        headers: { 'content-type': 'application/json', authorization },
        body: JSON.stringify(body) ?? null,
      });
    return { query: database.query, listeners, call };
  }
});

describe('the manifests of nestjs-production', () => {
  it('have an image that runs as another user than root, from versions that are pinned', async () => {
    const [build, final] = await stages();
    expect(build?.from).toBe(final?.from);
    expect(build?.from).toMatch(/^node:\d+\.\d+\.\d+-/);
    expect(build?.instructions).toContainEqual(['RUN', 'npm ci --ignore-scripts']);
    expect(final?.instructions).toContainEqual(['USER', 'node']);
    const [{ services }] = await manifests('compose.yaml');
    const images = Object.values<{ image?: string }>(services).flatMap(({ image }) => image ?? []);
    for (const image of images) expect(image).toMatch(/^\w+:\d+\.\d+/);
  });

  it('fit the code: ports, probes, commands and every variable', async () => {
    const source = await code();
    const read = new Set([...source.matchAll(/process\.env\['(\w+)'\]/g)].map(([, name]) => name));
    // Read by the library, and by the exporter of spans.
    for (const name of ['BASE_URL', 'API_KEY', 'API_TOKEN', 'ALLOW_INSECURE_HTTP'])
      read.add(`PAYMENTS_${name}`);
    read.add('OTEL_SERVICE_NAME');
    const [compose] = await manifests('compose.yaml');
    const { shop, migrate } = compose.services;
    for (const name of Object.keys({ ...shop.environment, ...migrate.environment }))
      expect(read).toContain(name);
    expect(shop.ports).toEqual(['127.0.0.1:3000:3000']);

    const { Deployment, Service, CronJob } = await kubernetes();
    const { containers, terminationGracePeriodSeconds } = Deployment.spec.template.spec;
    const [container] = containers;
    for (const { name } of container.env) expect(read).toContain(name);
    expect(source).toContain("process.env['PORT'] ?? 3000");
    expect(container.ports).toEqual([{ name: 'http', containerPort: 3000 }]);
    expect(Service.spec.ports).toEqual([{ name: 'http', port: 80, targetPort: 'http' }]);
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      const { path, port } = container[probe].httpGet;
      expect(port).toBe('http');
      expect(source).toContain(`@Get('${path.replace('/health/', '')}')`);
    }
    expect(source).toContain("@Controller('health')");
    const [job] = CronJob.spec.jobTemplate.spec.template.spec.containers;
    expect(job).toMatchObject({ image: container.image, command: ['node', 'dist/maintain.js'] });

    // The load balancer knows before the delay is over, and the platform waits for delay, callback and commit.
    const delayMs = Number(
      container.env.find(({ name }: { name: string }) => name === 'DRAIN_DELAY_MS').value,
    );
    const { periodSeconds, failureThreshold, timeoutSeconds } = container.readinessProbe;
    expect(periodSeconds * failureThreshold + timeoutSeconds).toBeLessThan(delayMs / 1000);
    expect(terminationGracePeriodSeconds).toBeGreaterThan(delayMs / 1000 + 25 + 15 + 2 * 5);
  });

  it('keep two processes through a rollout and a drained node, and every secret in the secret', async () => {
    const { Deployment, PodDisruptionBudget, Service } = await kubernetes();
    const { replicas, selector, template, strategy } = Deployment.spec;
    expect(replicas).toBeGreaterThan(PodDisruptionBudget.spec.minAvailable);
    expect(PodDisruptionBudget.spec.minAvailable).toBeGreaterThanOrEqual(2);
    expect(strategy.rollingUpdate.maxUnavailable).toBe(0);
    expect(template.metadata.labels).toEqual(selector.matchLabels);
    expect(PodDisruptionBudget.spec.selector.matchLabels).toEqual(selector.matchLabels);
    expect(Service.spec.selector).toEqual(selector.matchLabels);
    const [container] = template.spec.containers;
    expect(container.envFrom).toEqual([{ secretRef: { name: 'payments' } }]);
    for (const { name } of container.env) expect(name).not.toMatch(/KEY|TOKEN|SECRET|PASSWORD|DSN|DATABASE/);
    expect(Object.keys(container.resources)).toEqual(['requests', 'limits']);
    expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true });
    expect(template.spec.securityContext).toEqual({ runAsNonRoot: true, runAsUser: 1000 });
  });
});

/** What a service of compose.yaml runs. */
interface Service {
  readonly command: string[];
  readonly environment?: Record<string, string>;
}

/** Loaded before a program: it finds the services of compose.yaml on loopback. */
const HOSTS = `
const dns = require('node:dns');
const { lookup } = dns;
dns.lookup = (name, ...rest) => lookup(/^(sandbox|shop|database)$/.test(name) ? '127.0.0.1' : name, ...rest);
`;

/** A server that takes everything and keeps what it got, in the place of Sentry or of a collector of spans. */
async function startRecorder() {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(JSON.stringify(request.headers) + (await text(request)));
    response.setHeader('content-type', 'application/json').end('{}');
  });
  const url = await listen(server);
  const fingerprints = () =>
    bodies.flatMap((body) =>
      [...body.matchAll(/"fingerprint":(\[[^\]]*\])/g)].map(([, json = '']) => JSON.parse(json)),
    );
  return { url, bodies, fingerprints };
}

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

function spansOf(body: string): Span[] {
  const { resourceSpans } = JSON.parse(body.slice(body.indexOf('}{') + 1));
  return resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: Span[] }[] }) =>
    scopeSpans.flatMap(({ spans }) => spans),
  );
}

async function portOf(program: Listeners['programs'][number] | undefined) {
  const [, port] = (await program?.printed(/localhost:(\d+)/)) ?? [];
  return port;
}

async function metrics(program: Listeners['programs'][number] | undefined): Promise<string> {
  return (await fetch(`http://127.0.0.1:${await portOf(program)}/metrics`)).text();
}

/** The value of a metric that has these labels, among others. */
function metric(page: string, name: string, ...labels: string[]): number | undefined {
  const ofName = page
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  const line = ofName.find((each) => labels.every((label) => each.includes(label)));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
}

async function code(): Promise<string> {
  const names = (await readdir(EXAMPLE)).filter((name) => name.endsWith('.ts'));
  return (await Promise.all(names.map((name) => readFile(join(EXAMPLE, name), 'utf8')))).join('\n');
}

// biome-ignore lint/suspicious/noExplicitAny: what a manifest holds is what the tests look at
async function manifests(name: string): Promise<any[]> {
  const documents = parseAllDocuments(await readFile(join(EXAMPLE, name), 'utf8'), { merge: true });
  return documents.map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS();
  });
}

// biome-ignore lint/suspicious/noExplicitAny: as above
async function kubernetes(): Promise<Record<string, any>> {
  return Object.fromEntries(
    (await manifests('kubernetes.yaml')).map((manifest) => [manifest.kind, manifest]),
  );
}

/** The stages of the Dockerfile, with the instructions of each. */
async function stages() {
  const lines = (await readFile(join(EXAMPLE, 'Dockerfile'), 'utf8')).split('\n');
  const instructions = lines
    .filter((line) => /^[A-Z]/.test(line))
    .map((line): [string, string] => [line.split(' ')[0] ?? '', line.slice(line.indexOf(' ') + 1)]);
  const starts = instructions.flatMap(([instruction], index) => (instruction === 'FROM' ? [index] : []));
  return starts.map((start, index) => ({
    from: instructions[start]?.[1].split(' ')[0],
    instructions: instructions.slice(start + 1, starts[index + 1]),
  }));
}
