import { expect, it } from 'vitest';
import { startListeners } from './helpers/start-listeners';
import { installExample } from './runner/install-example';

it('hono-workers: one journey an order in workerd, and its payment acted on once, even in a new isolate', async () => {
  const directory = await installExample('hono-workers');
  const { sandbox, programs, add, deliverAllAgain, stop } = await startListeners(directory, 1);
  const [, origin] = (await programs[0]?.printed(/(http:\/\/localhost:\d+)/)) ?? [];
  const subscribe = async (referenceCode: string) => {
    const body = JSON.stringify({ referenceCode });
    return (await fetch(`${origin}/subscriptions`, { method: 'POST', body })).json() as Promise<{
      uuid: string;
    }>;
  };

  const journey = await subscribe('order-1');
  expect(journey).toEqual({
    state: 'open',
    uuid: expect.stringMatching(/^[\da-f-]{36}$/),
    copyAndPaste: expect.stringMatching(/^000201/),
  });
  expect(await subscribe('order-1')).toEqual(journey);

  sandbox.pay(journey.uuid);
  await deliverAllAgain();
  expect(await subscribe('order-1')).toEqual({ state: 'paid', uuid: journey.uuid });
  const forged = await fetch(`${origin}/webhooks`, { method: 'POST', body: '{}' });
  expect(forged.status).toBe(401);

  // The cron finds a payment whose notification never came.
  const second = await subscribe('order-2');
  const listener = sandbox.webhookUrl;
  sandbox.setWebhookUrl(undefined);
  sandbox.pay(second.uuid);
  sandbox.setWebhookUrl(listener);
  expect((await fetch(`${origin}/cdn-cgi/handler/scheduled`)).ok).toBe(true);
  const before = await stop();
  expect(before.stdout).toEqual([
    'Listening on http://localhost:PORT',
    'order-1 is paid',
    'order-2 is paid',
    expect.stringMatching(/^Maintained .*"asked":1,"paid":1/),
  ]);

  // A new isolate knows what was done: the store is in D1.
  await add();
  await deliverAllAgain();
  const after = await stop();
  expect(after).toEqual({
    status: [143], // Miniflare’s own exit status after SIGTERM
    stdout: ['Listening on http://localhost:PORT'],
    stderr: [],
  });
});
