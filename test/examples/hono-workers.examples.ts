import { expect, it } from 'vitest';
import { startListeners } from './helpers/start-listeners';
import { installExample } from './runner/install-example';

it('hono-workers: creates a journey in workerd, and acts once on its payment, even in a new isolate', async () => {
  const directory = await installExample('hono-workers');
  const { sandbox, programs, add, deliverAllAgain, stop } = await startListeners(directory, 1);
  const [, origin] = (await programs[0]?.printed(/(http:\/\/localhost:\d+)/)) ?? [];

  const response = await fetch(`${origin}/subscriptions`, {
    method: 'POST',
    body: JSON.stringify({ referenceCode: 'order-1' }),
  });
  const journey = (await response.json()) as { uuid: string };
  expect(journey).toEqual({
    uuid: expect.stringMatching(/^[\da-f-]{36}$/),
    copyAndPaste: expect.stringMatching(/^000201/),
  });

  sandbox.pay(journey.uuid);
  await deliverAllAgain();
  const forged = await fetch(`${origin}/webhooks`, { method: 'POST', body: '{}' });
  expect(forged.status).toBe(401);
  const before = await stop();
  expect(before.stdout).toEqual(['Listening on http://localhost:PORT', 'order-1 is paid']);

  // The memory store of the new isolate is empty.
  await add();
  await deliverAllAgain();
  const after = await stop();
  expect(after).toEqual({
    status: [143], // Miniflare’s own exit status after SIGTERM
    stdout: ['Listening on http://localhost:PORT', 'order-1 was paid before'],
    stderr: [],
  });
});
