import { describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox';
import { findPostgres } from '../helpers/postgres';
import { openDatabase } from './helpers/open-database';
import { startListeners } from './helpers/start-listeners';
import { installOnce } from './runner/install-example';
import { runExample, uuidIn } from './runner/run-example';

/** Events of a recurrence would be reported beside what is looked at here. */
const inventions = { recurrenceEvents: 'none' } as const;

describe.skipIf(!(await findPostgres()))('nextjs', () => {
  // Built once: most of what this costs is the compiler.
  const directory = installOnce('nextjs');

  it('shows a QR code until the payment arrives, acts once on it, and finishes running work at SIGTERM', async () => {
    const { env, query } = await openDatabase();
    const options = { directory: directory(), retryIntervalMs: 3_000, env, inventions };
    const { origin, sandbox, program, deliverAllAgain, forge, stop } = await runExample('nextjs', options);
    const { page, subscribe } = visitor(origin);
    const saleOf = saleIn(sandbox);

    const order = await subscribe();
    expect(order).toMatch(/^\/subscriptions\//);
    const waiting = await page(order);
    expect(waiting).toContain('<img src="data:image/png;base64,iVBORw0KGgo');
    expect(waiting).not.toContain('<p>Paid</p>');

    // Sent with the right credentials, although nobody has paid.
    sandbox.notify({ saleToken: saleOf(order), newStatus: 'PAID' });
    await program.reported(/The service says otherwise/);
    sandbox.pay(saleOf(order));
    await deliverAllAgain();
    expect(await page(order)).toContain('<p>Paid</p>');
    await forge({ saleToken: saleOf(order), newStatus: 'PAID' });

    const second = await subscribe();
    await page(second);
    sandbox.fault('getTransaction', { kind: 'latency', ms: 1_000 });
    sandbox.pay(saleOf(second));
    await expect.poll(() => sandbox.pendingFaults).toEqual([]); // the service is being asked about this payment
    const { status, stderr } = await stop();

    // Next.js ends with this status after SIGTERM, once all requests are answered.
    expect(status).toBe(143);
    const booked = [order, second].map((each) => ({ sale: saleOf(each), amount: 59.7 }));
    const rows = await query('SELECT sale, amount::float FROM payments');
    expect(rows).toHaveLength(2);
    expect(rows).toEqual(expect.arrayContaining(booked));
    // The first is reported once more if it is sent again before the payment.
    expect([...new Set(stderr)]).toEqual([
      expect.stringMatching(/^The service says otherwise .* Fields: situation\..* payment:\S+$/),
      expect.stringMatching(/did not prove/),
    ]);
    expect(sandbox.deliveries.at(-1)).toMatchObject({ status: 'delivered', attempts: [{ httpStatus: 200 }] });
  });

  it('shows one QR code in two processes, books once, and lets the staff decide a case', async () => {
    const { env, query } = await openDatabase();
    const listeners = await startListeners(directory(), 2, env, { inventions });
    const { sandbox, programs } = listeners;
    const visitors = await Promise.all(programs.map(async (program) => visitor(await originOf(program))));
    const [first, second] = visitors as [Visitor, Visitor];

    const order = await first.subscribe();
    const codes = await Promise.all([first, second, first, second].map(({ page }) => page(order)));
    expect(new Set(codes.map(codeIn)).size).toBe(1);
    // Every visitor has a QR code of their own: no page is static.
    expect(codeIn(await second.page(await second.subscribe()))).not.toBe(codeIn(codes[0] ?? ''));
    expect(await first.page('/admin')).not.toContain('Dismiss');

    sandbox.pay(saleIn(sandbox)(order));
    await listeners.deliverAllAgain();
    expect(await second.page(order)).toContain('<p>Paid</p>');

    // A payment of no order is a case, which the other process shows and ends.
    const stray = await listeners.order('elsewhere-1');
    sandbox.pay(stray);
    await listeners.deliverAllAgain();
    const admin = await second.page('/admin');
    expect(admin).toContain('Money of no order.');
    await second.decide(admin, 'dismiss');
    expect(await first.page('/admin')).not.toContain('Dismiss');
    expect(await query('SELECT subscription FROM payments')).toEqual([{ subscription: uuidIn(order) }]);
    expect(await first.page(`/admin?key=${uuidIn(order)}`)).toContain('&quot;state&quot;: &quot;paid&quot;');
    expect((await listeners.stop()).status).toEqual([143, 143]);
  });
});

/** The sale of a subscription's page: its order's key is the journey's reference. */
const saleIn = (sandbox: Sandbox) => (page: string) =>
  sandbox.transactions.find(({ referenceCode }) => referenceCode === uuidIn(page))?.uuid ?? '';

type Visitor = ReturnType<typeof visitor>;

/** A browser without JavaScript. */
function visitor(origin: string) {
  const page = async (path: string) => (await fetch(`${origin}${path}`)).text();
  const send = async (path: string, body: FormData) =>
    fetch(`${origin}${path}`, { method: 'POST', headers: { origin }, body, redirect: 'manual' });
  return {
    page,
    async subscribe() {
      const body = new FormData();
      body.set(actionIn(await page('/')), '');
      return (await send('/', body)).headers.get('location') ?? '';
    },
    async decide(html: string, decision: string) {
      const body = new FormData();
      body.set(actionIn(html), '');
      body.set('id', /name="id" value="([^"]+)"/.exec(html)?.[1] ?? '');
      body.set('decision', decision);
      expect((await send('/admin', body)).status).toBeLessThan(400);
    },
  };
}

const actionIn = (html: string) => /name="(\$ACTION_ID_\w+)"/.exec(html)?.[1] ?? '';
const codeIn = (html: string) => /000201[^<"\\]+/.exec(html)?.[0];

async function originOf(program: { printed(pattern: RegExp): Promise<RegExpExecArray> }): Promise<string> {
  const [, port = ''] = await program.printed(/http:\/\/localhost:(\d+)/);
  return `http://127.0.0.1:${port}`;
}
