import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { NothingWritten } from '../../src/stores/nothing-written';
import { watchQueries } from '../../src/stores/prisma-queries';

/** A transaction as Prisma's: a query is sent when it is awaited, once. `test/orms` has the real one. */
function transactionOf(sent: string[]) {
  const query = (name: string, ms = 1) => {
    let running: Promise<string> | undefined;
    const run = () => {
      running ??= (async () => {
        sent.push(name);
        await sleep(ms);
        if (name === 'failing') throw new Error('failing');
        return name;
      })();
      return running;
    };
    return {
      [Symbol.toStringTag]: 'PrismaPromise',
      // biome-ignore lint/suspicious/noThenProperty: as Prisma's queries have it
      then: (...given: Parameters<Promise<string>['then']>) => run().then(...given),
      catch: (...given: Parameters<Promise<string>['catch']>) => run().catch(...given),
      finally: (...given: Parameters<Promise<string>['finally']>) => run().finally(...given),
      payments: () => query(`${name} payments`),
    };
  };
  return {
    payment: { create: () => query('create'), update: () => query('update', 20), fields: { id: 'a field' } },
    order: { find: () => query('find'), fail: () => query('failing') },
    $executeRaw: () => query('raw'),
    $on: () => 'no query',
  };
}

type Transaction = ReturnType<typeof transactionOf>;

async function endOf(callback: (tx: Transaction) => unknown) {
  const sent: string[] = [];
  const { watched, end } = watchQueries(transactionOf(sent));
  const given = await callback(watched);
  const failure = await end().then(
    () => undefined,
    (error: unknown) => error,
  );
  return { sent, given, failure: failure as Error | undefined };
}

describe('a callback that awaits each query ends well', () => {
  it.each<[string, (tx: Transaction) => unknown, string[]]>([
    [
      'one after the other',
      async (tx) => [await tx.payment.create(), await tx.order.find()],
      ['create', 'find'],
    ],
    ['by Promise.all', (tx) => Promise.all([tx.payment.create(), tx.order.find()]), ['create', 'find']],
    ['by returning it', (tx) => tx.payment.create(), ['create']],
    ['in raw SQL', async (tx) => void (await tx.$executeRaw()), ['raw']],
    ['by `then`, `catch` and `finally`', (tx) => tx.payment.create().finally(() => undefined), ['create']],
    ['after a failure that it catches', (tx) => tx.order.fail().catch(() => undefined), ['failing']],
    ['of a relation', async (tx) => void (await tx.order.find().payments()), ['find payments']],
    [
      'twice',
      async (tx) => {
        const query = tx.payment.create();
        return [await query, await query];
      },
      ['create'],
    ],
    ['and makes none', async () => 'nothing', []],
  ])('%s', async (_, callback, expected) => {
    const { sent, failure } = await endOf(callback);
    expect(failure).toBeUndefined();
    expect(sent).toEqual(expected);
  });

  it('and gets what the transaction has', async () => {
    const { given } = await endOf(async (tx) => [tx.$on(), tx.payment.fields.id, await tx.payment.create()]);
    expect(given).toEqual(['no query', 'a field', 'create']);
  });
});

describe('a callback fails by name', () => {
  it.each<[string, (tx: Transaction) => unknown, string]>([
    ['that awaits none', async (tx) => void tx.payment.create(), '`payment.create`'],
    [
      'that awaits the second of two',
      async (tx) => {
        tx.payment.create();
        await tx.order.find();
      },
      '`payment.create`',
    ],
    [
      'that awaits the first of two',
      async (tx) => {
        await tx.order.find();
        tx.payment.create();
      },
      '`payment.create`',
    ],
    ['that leaves raw SQL', async (tx) => void tx.$executeRaw(), '`$executeRaw`'],
    ['that leaves a relation', async (tx) => void tx.order.find().payments(), '`order.find`'],
    [
      'that leaves several, each named once',
      async (tx) => void [tx.payment.create(), tx.payment.create(), tx.order.find()],
      '`payment.create`, `order.find`',
    ],
    [
      'that loops by forEach',
      async (tx) => [1, 2].forEach(async () => void (await tx.payment.create())),
      '`payment.create`',
    ],
  ])('%s', async (_, callback, names) => {
    const { failure } = await endOf(callback);
    expect(failure).toBeInstanceOf(NothingWritten);
    expect(failure?.message).toContain(`before ${names}, which nothing awaited`);
  });

  it('after what still runs has ended, and leaves it pending, so that nothing of it is thrown or made later', async () => {
    const made: string[] = [];
    const { sent, failure } = await endOf(async (tx) => {
      [1, 2].forEach(async () => {
        await tx.order.fail();
        made.push('later');
      });
      void tx.payment.update().then(() => made.push('updated'));
    });
    expect(failure).toBeInstanceOf(NothingWritten);
    expect(sent.sort()).toEqual(['failing', 'failing', 'update']);
    await sleep(50);
    // A rejection that nobody handles fails the run of the tests.
    expect(made).toEqual([]);
  });
});
