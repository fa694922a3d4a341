import { confirmPayment, reconcile } from 'pix-automatic-sdk';
import { expect, it } from 'vitest';
import { reply, startHttpServer } from '../helpers/http-server';
import { clientFor, failureOf } from './support';

const paid = { uuid: 'uuid-1', situation: 'PAID' };
const payment = { kind: 'payment', payload: { saleToken: 'uuid-1', newStatus: 'PAID' } } as const;

const calls = {
  getTransaction: (client, signal) => client.getTransaction('uuid-1', { signal }),
  waitForTransaction: (client, signal) => client.waitForTransaction('uuid-1', { signal }),
  confirmPayment: (client, signal) => confirmPayment(client, payment, { signal }),
  reconcile: async (client, signal) => {
    for await (const _ of reconcile(client, ['uuid-1'], { signal }));
  },
} satisfies Record<string, (client: ReturnType<typeof clientFor>, signal: never) => Promise<unknown>>;

it.each(
  Object.entries(calls).flatMap(([name, call]) =>
    [{}, 'abort', new AbortController()].map((signal) => [name, signal, call] as const),
  ),
)('%s refuses the signal %s, and sends nothing', async (_name, signal, call) => {
  const server = await startHttpServer(reply(200, paid));
  expect(await failureOf(call(clientFor(server), signal as never))).toMatchObject({ code: 'configuration' });
  expect(server.requests).toEqual([]);
});

it.each(
  ['onRequest', 'onResponse', 'onRetry'].flatMap((name) => [{}, 'log', 1].map((value) => [name, value])),
)('the observer %s is refused where it is %j when the client is created', (name, value) => {
  expect(() => clientFor({ url: 'https://service.example' }, { [name as string]: value })).toThrow(
    expect.objectContaining({
      code: 'configuration',
      message: expect.stringContaining(`Expected \`${name}\` to be a function: \`(event) => void\``),
    }),
  );
});

it.each([undefined, null])('observers that are %s count as none', async (none) => {
  const server = await startHttpServer(reply(200, paid));
  const observers = { onRequest: none, onResponse: none, onRetry: none };
  expect(await clientFor(server, observers as never).getTransaction('uuid-1')).toEqual(paid);
});

it.each([{}, 'fetch', null, 1])(
  'a `fetch` that is %j is refused when the client is created',
  async (fetch) => {
    expect(() => clientFor({ url: 'https://service.example' }, { fetch: fetch as never })).toThrow(
      expect.objectContaining({ code: 'configuration' }),
    );
  },
);
