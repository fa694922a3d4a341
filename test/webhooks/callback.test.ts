import { once } from 'node:events';
import { createServer } from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { toNodeListener } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { deliver } from '../helpers/deliver';
import { listen } from '../helpers/listen';
import { authorization, createListener, salePayload, WatchedStore } from './support';

/** A query builder as ORMs have it: it runs when it is awaited, and each time it is. */
class LazyQuery implements PromiseLike<number> {
  constructor(
    readonly rows: string[],
    readonly fails = false,
  ) {}

  // biome-ignore lint/suspicious/noThenProperty: query builders of ORMs are thenables
  readonly then: PromiseLike<number>['then'] = (resolve, reject) => {
    const run = async () => {
      if (this.fails) throw new Error('injected: SQL failed');
      return this.rows.push('written');
    };
    return run().then(resolve, reject);
  };
}

describe('a callback', () => {
  const writing = async (callback: (rows: string[]) => unknown) => {
    const rows: string[] = [];
    const store = new WatchedStore();
    const { handler, reports } = createListener({ store, on: { payment: () => callback(rows) } });
    const url = await listen(createServer(toNodeListener(handler)));
    const { status } = await deliver(url, salePayload());
    return { status, rows, steps: store.steps, codes: reports.map(({ code }) => code) };
  };

  it.each<[string, (rows: string[]) => unknown]>([
    ['returns a lazy query', (rows) => new LazyQuery(rows)],
    ['returns a lazy query from an async function', async (rows) => new LazyQuery(rows)],
    ['awaits a lazy query', async (rows) => void (await new LazyQuery(rows))],
  ])('that %s has it run, and once', async (_, callback) => {
    expect(await writing(callback)).toEqual({
      status: 200,
      rows: ['written'],
      steps: ['claim', 'complete'],
      codes: [],
    });
  });

  it('that returns a lazy query which fails is answered 500', async () => {
    const written = await writing((rows) => new LazyQuery(rows, true));
    expect(written).toEqual({
      status: 500,
      rows: [],
      steps: ['claim', 'release'],
      codes: ['callback_failed'],
    });
  });

  it.each([
    ['a number', 7],
    ['text', 'ignored'],
    ['an object', { rowCount: 0 }],
    ['false', false],
  ])('may return %s', async (_, value) => {
    expect((await writing(() => value)).status).toBe(200);
  });

  it('does not begin once too little of its lease is left, whichever clock shows it', async () => {
    for (const clock of ['performance', 'Date'] as const) {
      let jump = 0;
      const now = performance.now.bind(performance);
      const wall = Date.now.bind(Date);
      const spy =
        clock === 'Date'
          ? vi.spyOn(Date, 'now').mockImplementation(() => wall() + jump)
          : vi.spyOn(performance, 'now').mockImplementation(() => now() + jump);
      onTestFinished(() => spy.mockRestore());
      const store = new WatchedStore();
      // The process is suspended after the claim was sent: timers do not see it.
      store.faults.claim.push(async (go) => {
        const claimed = await go();
        jump = 15_100;
        return claimed;
      });
      const { handler, acted, reports } = createListener({ store });
      const request = { method: 'POST', url: '/', headers: { authorization }, body: salePayload() };
      expect((await handler.handle(request)).status).toBe(503);
      expect([acted, store.steps]).toEqual([[], ['claim', 'release']]);
      expect(reports).toMatchObject([
        { code: 'store_failed', status: 503, error: { name: 'DeadlineExceeded' } },
      ]);
      expect((await handler.handle(request)).status).toBe(200);
      spy.mockRestore();
    }
  });
});

describe('over HTTP/2', () => {
  it('an answer before the end of the body has no connection header, which HTTP/2 does not know', async () => {
    const warnings: string[] = [];
    const note = (warning: Error) => void warnings.push(warning.message);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const { handler } = createListener({ maxBodyBytes: 5 });
    const listener = toNodeListener(handler);
    const server = http2
      .createServer((request, response) => listener(request, response))
      .listen(0, '127.0.0.1');
    await once(server, 'listening');
    const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    onTestFinished(() => {
      session.destroy();
      server.close();
    });
    const stream = session.request({ ':method': 'POST', ':path': '/', authorization });
    stream.write('x'.repeat(100));
    const [headers] = await once(stream, 'response');
    expect(headers[':status']).toBe(413);
    expect(headers['connection']).toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(warnings).toEqual([]);
  });
});
