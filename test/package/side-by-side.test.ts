import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { node } from './run';

const consumer = inject('consumer');

/** Runs a program that has both copies of the package as `esm` and `cjs`, and gives what the program returns. */
async function withBothCopies(program: string): Promise<unknown> {
  const file = join(consumer, 'side-by-side.mjs');
  await writeFile(
    file,
    `import { createRequire } from 'node:module';
    import * as client from 'pix-automatic-sdk';
    import * as listener from 'pix-automatic-sdk/webhooks';
    const require = createRequire(import.meta.url);
    const esm = { ...client, ...listener };
    const cjs = { ...require('pix-automatic-sdk'), ...require('pix-automatic-sdk/webhooks') };
    console.log(JSON.stringify(await (async () => { ${program} })()));`,
  );
  return JSON.parse(await node(consumer, file));
}

const errors = [
  'PaymentsError',
  'ConfigurationError',
  'InvalidRequestError',
  'ApiError',
  'InvalidResponseError',
  'ConnectionError',
  'TimeoutError',
  'AbortedError',
  'WebhookAuthenticationError',
  'InvalidNotificationError',
];

it('a program that imports and requires the package has two copies of each error class', async () => {
  const shared = await withBothCopies(
    `return ${JSON.stringify(errors)}.filter((name) => esm[name] === cjs[name])`,
  );
  expect(shared).toEqual([]);
});

it('an error of one copy is an instance of the other copy’s class, and of no sibling class', async () => {
  const related = await withBothCopies(`
    const names = ${JSON.stringify(errors)};
    const relate = (from, to) => names.map((made) =>
      [made, names.filter((name) => Object.create(from[made].prototype) instanceof to[name])]);
    return [relate(esm, cjs), relate(cjs, esm)];`);

  const expected = errors.map((name) => [name, name === 'PaymentsError' ? [name] : ['PaymentsError', name]]);
  expect(related).toEqual([expected, expected]);
});

it('an error caught by the other copy’s class has its code and outcome', async () => {
  const caught = await withBothCopies(`
    const { createServer } = await import('node:http');
    const server = createServer((request, response) => response.writeHead(404).end('{"message":"unknown"}'));
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const caught = [];
    for (const [mine, other] of [[esm, cjs], [cjs, esm]]) {
      const options = { baseUrl: 'http://127.0.0.1:' + server.address().port, apiKey: 'key', apiToken: 'token' };
      const describe = (error) => Object.keys(other).filter((name) => name.endsWith('Error') && error instanceof other[name])
        .concat(error.code, error.outcome ?? null);
      try { new mine.PaymentsClient({ ...options, baseUrl: 'ftp://x' }) } catch (error) { caught.push(describe(error)) }
      const client = new mine.PaymentsClient(options);
      await client.createRecurringCheckout({}).catch((error) => caught.push(describe(error)));
      await client.getTransaction('t-1').catch((error) => caught.push(describe(error)));
      server.closeAllConnections();
    }
    server.close();
    return caught.map((names) => names.sort((a, b) => String(a).localeCompare(String(b))));`);

  const each = [
    ['configuration', 'ConfigurationError', 'PaymentsError', 'not-sent'],
    ['InvalidRequestError', 'PaymentsError', 'invalid_request', 'not-sent'],
    ['ApiError', 'PaymentsError', 'api_error', 'refused'],
  ];
  const tidy = (rows: unknown[][]) =>
    rows.map((row) =>
      row
        .filter((value) => value !== null)
        .map(String)
        .sort(),
    );
  expect(tidy(caught as unknown[][])).toEqual(tidy([...each, ...each]));
});
