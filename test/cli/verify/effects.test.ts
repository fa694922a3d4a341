import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Effects } from '../../../src/cli/verify/effects';
import { selfSigned } from '../../client/self-signed';

/** Answers with each of these in turn, the last one again and again, and takes `delayMs` for each. */
async function answering(answers: readonly unknown[], delayMs = 0): Promise<URL> {
  let reads = 0;
  const server = createServer(async (_request, response) => {
    const answer = answers[Math.min(reads++, answers.length - 1)];
    await sleep(delayMs);
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

const row = { kind: 'payment', subject: 'a', amount: 1 };
const isComplete = ({ rows }: { rows: readonly unknown[] }) => rows.length === 1;

test.each([60, 200])(
  'a read of %i ms that takes longer than the wait is not the last one',
  async (delayMs) => {
    const effects = new Effects(await answering([[], [row]], delayMs), 50);
    expect((await effects.settled(isComplete)).rows).toEqual([row]);
  },
);

test('a row that never comes is missing after the wait', async () => {
  const effects = new Effects(await answering([[]]), 50);
  expect((await effects.settled(isComplete)).rows).toEqual([]);
});

test.each([
  ['amounts as text, and negative ones', [{ ...row, amount: '-19.90' }], [{ ...row, amount: 19.9 }]],
  ['subjects that are numbers', [{ ...row, subject: 7 }], [{ ...row, subject: '7' }]],
  ['rows without subject and amount', [{ kind: 'payment', subject: null }], [{ kind: 'payment' }]],
  ['rows of other kinds, which may hold anything', [{ kind: 'mail', amount: 'none' }, row], [row]],
  [
    'counts, as rows that say no more',
    { payment: 2, version: '1.4' },
    [{ kind: 'payment' }, { kind: 'payment' }],
  ],
])('reads %s', async (_what, answer, rows) => {
  expect((await new Effects(await answering([answer]), 50).read()).rows).toEqual(rows);
});

test('a count of 0 says that the kind is booked', async () => {
  const ledger = await new Effects(await answering([{ payment: 1, refund: 0, inbox: 3 }]), 50).read();
  expect(ledger).toEqual({
    rows: [{ kind: 'payment' }],
    inbox: 3,
    claimed: ['payment', 'refund'],
    others: [],
  });
});

test.each([
  [{ payment: '3' }],
  [{ payment: -1 }],
  [{ inbox: 'many' }],
  [[{ ...row, amount: 'R$ 10' }]],
  [[{ subject: 'a' }]],
  [{ rows: [] }],
  [{ pagamento: 2 }],
  [7],
  ['rows'],
])('refuses %j', async (answer) => {
  await expect(new Effects(await answering([answer]), 50).read()).rejects.toThrow(
    'Expected `--effects` to answer 200 with the rows',
  );
});

test('a certificate that nobody trusts is named, and so is a server without TLS', async () => {
  const server = createTlsServer(selfSigned, (_request, response) => response.end('[]'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;

  await expect(new Effects(new URL(`https://127.0.0.1:${port}`), 50).read()).rejects.toThrow(
    'The certificate of the `--effects` URL is not trusted',
  );
  const plain = await answering([[]]);
  plain.protocol = 'https:';
  await expect(new Effects(plain, 50).read()).rejects.toThrow('speaks another protocol');
  await expect(new Effects(new URL('http://127.0.0.1:1'), 50).read()).rejects.toThrow('cannot be reached');
});
