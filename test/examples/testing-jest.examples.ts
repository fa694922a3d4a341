import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runTests } from './helpers/run-tests';
import { installExample } from './runner/install-example';

it('testing-jest: its tests pass, and fail for a shop that cancels nothing', async () => {
  const directory = await installExample('testing-jest');
  const { status, tests, output } = await runTests(directory);
  expect(tests, output).toEqual([
    '✓ of a reversal is acted on once, when the money is back',
    '✓ of somebody else is refused',
    '✓ is paid with the retry when the database was away, a minute later and in no time',
    '✓ is not paid because somebody who knows the credentials says so',
    '✓ that ends leaves nothing scheduled',
  ]);
  expect(status).toBe(0);

  const shop = join(directory, 'shop.js');
  const source = await readFile(shop, 'utf8');
  await writeFile(shop, source.replace('of instructionIds', 'of []'));
  const broken = await runTests(directory);
  expect(broken.tests.filter((test) => test.startsWith('✕'))).toEqual([tests[4]?.replace('✓', '✕')]);
  expect(broken.status).toBe(1);
});
