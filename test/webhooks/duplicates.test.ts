import { Agent, createServer } from 'node:http';
import { toNodeListener } from 'pix-automatic-sdk/webhooks';
import { expect, it, onTestFinished } from 'vitest';
import { deliver } from '../helpers/deliver';
import { listen } from '../helpers/listen';
import { createListener, queries, refundPayload, reversalPayload } from './support';

const COUNT = 100;

it(`of ${COUNT} simultaneous deliveries over HTTP, one runs, the rest get 503 at once, and later all get 200`, async () => {
  let finish = () => {};
  let runs = 0;
  const { handler, reports } = createListener({
    on: {
      refund: () => {
        runs += 1;
        return new Promise<void>((resolve) => (finish = resolve));
      },
    },
  });
  const url = `${await listen(createServer(toNodeListener(handler)))}/${queries.refund}`;
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const statuses: number[] = [];
  const deliverAll = () =>
    Array.from({ length: COUNT }, async () => {
      const answer = await deliver(url, refundPayload(), { agent });
      expect(answer.status === 503).toBe(answer.headers['retry-after'] !== undefined);
      statuses.push(answer.status);
    });

  const first = deliverAll();
  // All but one are answered while the callback runs: no delivery waits for another.
  await expect.poll(() => statuses.length, { timeout: 10_000 }).toBe(COUNT - 1);
  expect(new Set(statuses)).toEqual(new Set([503]));
  expect(runs).toBe(1);
  finish();
  await Promise.all(first);
  expect(statuses.at(-1)).toBe(200);
  expect(reports.map(({ code }) => code)).toEqual(Array.from({ length: COUNT - 1 }, () => 'busy'));

  statuses.length = 0;
  await Promise.all(deliverAll());
  expect(statuses).toEqual(Array.from({ length: COUNT }, () => 200));
  expect(runs).toBe(1);
});

it('simultaneous deliveries about different subjects do not wait for each other', async () => {
  const running: (() => void)[] = [];
  const { handler } = createListener({
    on: { reversal: () => new Promise<void>((resolve) => void running.push(resolve)) },
  });
  const url = await listen(createServer(toNodeListener(handler)));
  const answers = Array.from({ length: 20 }, (_, index) =>
    deliver(url, { ...reversalPayload(), uuid: `v-${index}` }),
  );
  await expect.poll(() => running).toHaveLength(20);
  for (const finish of running) finish();
  expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([200]));
});
