import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runTests } from './helpers/run-tests';
import { installExample } from './runner/install-example';

it('testing-vitest: its tests pass, and fail for a shop that shows two QR codes, or forgets the refunds', async () => {
  const directory = await installExample('testing-vitest');
  const { status, tests, output } = await runTests(directory, '--reporter=verbose');
  expect(tests, output).toEqual([
    '✓ shop.test.ts > a notification > adds a refund once, however often it is delivered',
    '✓ shop.test.ts > a notification > of somebody else is refused',
    '✓ shop.test.ts > a subscription > shows the same QR code to two clicks at once',
    '✓ shop.test.ts > a subscription > goes on under a second reference when nobody knows what became of the first',
    '✓ shop.test.ts > a subscription > is paid with the retry when the database was away, a minute later and in no time',
    '✓ shop.test.ts > a subscription > is marked as paid again, and not sent to a person, after a crash',
    '✓ shop.test.ts > a subscription > is not paid because somebody who knows the credentials says so',
  ]);
  expect(status).toBe(0);

  const shop = join(directory, 'shop.ts');
  const source = await readFile(shop, 'utf8');
  const failedWith = async (searched: string, replacement: string) => {
    expect(source).toContain(searched);
    await writeFile(shop, source.replace(searched, replacement));
    const broken = await runTests(directory, '--reporter=verbose');
    expect(broken.status).toBe(1);
    return broken.tests.filter((test) => test.startsWith('×'));
  };
  const [refund, , same, second] = tests.map((test) => test.replace('✓', '×'));
  const twice = 'orders.open(orderKey + Math.random(), request)';
  expect(await failedWith('orders.open(orderKey, request)', twice)).toEqual(
    expect.arrayContaining([same, second]),
  );
  const ignored = "returned: 'ignore'";
  expect(
    await failedWith('returned: ({ sale, amount }) => database.addRefund(sale, amount)', ignored),
  ).toEqual([refund]);
});
