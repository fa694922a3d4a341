import { createServer, type ServerResponse } from 'node:http';
import { toNodeListener } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { deliver } from '../helpers/deliver';
import { listen } from '../helpers/listen';
import { createListener, notificationRequest, refundPayload, salePayload, statusOf } from './support';

describe('drain', () => {
  it('resolves at once when nothing runs', async () => {
    const { handler } = createListener();
    expect(await handler.drain()).toBeUndefined();
  });

  it('answers new notifications 503 with Retry-After over HTTP, and neither runs nor stores them', async () => {
    const { handler, acted, reports } = createListener();
    const url = await listen(createServer(toNodeListener(handler)));
    await handler.drain();
    const answer = await deliver(url, salePayload());
    expect([answer.status, answer.body]).toEqual([503, 'Try again later']);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(await statusOf(handler(notificationRequest(salePayload())))).toBe(503);
    expect(acted).toEqual([]);
    expect(reports).toMatchObject([{ code: 'draining' }, { code: 'draining' }]);
  });

  it('resolves when every running callback has been answered, and leaves those answers as they were', async () => {
    const finish: (() => void)[] = [];
    const { handler } = createListener({
      on: {
        payment: () => new Promise<void>((resolve) => void finish.push(resolve)),
        refund: () => new Promise<void>((_, reject) => void finish.push(() => reject(new Error('late')))),
      },
    });
    const order: string[] = [];
    const running = [salePayload(), refundPayload()].map(async (body) => {
      const status = await statusOf(handler(notificationRequest(body)));
      order.push(String(status));
    });
    await expect.poll(() => finish).toHaveLength(2);

    const drained = [handler.drain(), handler.drain()].map(async (drain) => {
      await drain;
      order.push('drained');
    });
    expect(await statusOf(handler(notificationRequest({ ...salePayload(), saleToken: 's-2' })))).toBe(503);
    expect(order).toEqual([]);
    finish[0]?.();
    await running[0];
    expect(order).toEqual(['200']);
    finish[1]?.();
    await Promise.all([...running, ...drained]);
    expect(order.slice(0, 2)).toEqual(['200', '500']);
    expect(order.slice(2)).toEqual(['drained', 'drained']);
  });

  it('does not resolve at the first answer while another callback runs', async () => {
    const finish: (() => void)[] = [];
    const on = { payment: () => new Promise<void>((resolve) => void finish.push(resolve)) };
    const { handler } = createListener({ on });
    const running = ['s-1', 's-2', 's-3'].map((saleToken) =>
      statusOf(handler(notificationRequest({ ...salePayload(), saleToken }))),
    );
    await expect.poll(() => finish).toHaveLength(3);
    let drained = false;
    const drain = handler.drain().then(() => {
      drained = true;
    });
    for (const [index, end] of finish.entries()) {
      expect(drained).toBe(false);
      end();
      expect(await running[index]).toBe(200);
      // Longer than drain gives the runtime to send an answer.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await drain;
    expect(drained).toBe(true);
  });

  it('resolves once the answers are handed over, so that the process may end then', async () => {
    let finish = () => {};
    const { handler } = createListener({
      on: { payment: () => new Promise<void>((resolve) => (finish = resolve)) },
    });
    const answer = toNodeListener(handler);
    const responses: ServerResponse[] = [];
    const server = createServer((request, response) => {
      responses.push(response);
      answer(request, response);
    });
    const delivery = deliver(await listen(server), salePayload());
    await expect.poll(() => responses).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const drained = handler.drain();
    finish();
    await drained;
    expect(responses.map(({ writableEnded }) => writableEnded)).toEqual([true]);
    expect((await delivery).status).toBe(200);
  });

  it('waits for a body that is still arriving, and its notification is acted on', async () => {
    const { handler, acted } = createListener();
    let end = () => {};
    const body = new ReadableStream({
      start(controller) {
        end = () => {
          controller.enqueue(new TextEncoder().encode(JSON.stringify(salePayload())));
          controller.close();
        };
      },
    });
    const headers = notificationRequest('').headers;
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
    const status = statusOf(handler(new Request('https://merchant.example', init)));
    let drained = false;
    const drain = handler.drain().then(() => {
      drained = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(drained).toBe(false);
    end();
    expect(await status).toBe(200);
    await drain;
    expect(acted).toEqual(['payment:s-1:PAID']);
  });
});
