import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PaymentsClientOptions, PaymentsErrorCode } from 'pix-automatic-sdk';
import * as sdk from 'pix-automatic-sdk';
import type { Notification } from 'pix-automatic-sdk/webhooks';
import { expect, test } from 'vitest';
import { reportCodes } from '../helpers/report-codes';
import { sections } from './markdown';

// Each list is complete, because the compiler says when it is not: a name that is new has to go into its table, too.

test('the README has every error, by class and by code', () => {
  const codes = Object.keys({
    configuration: true,
    invalid_request: true,
    api_error: true,
    invalid_response: true,
    connection_failed: true,
    timeout: true,
    aborted: true,
    webhook_authentication_failed: true,
    invalid_notification: true,
    store_failed: true,
  } satisfies Record<PaymentsErrorCode, true>);
  const isErrorClass = Object.prototype.isPrototypeOf.bind(sdk.PaymentsError);
  const classes = Object.entries(sdk).filter(([, value]) => isErrorClass(Object(value)));
  const rows = tableOf('README.md', 'When a call fails');

  expect(classes).toHaveLength(codes.length);
  expect(rows.map(([name]) => name).sort()).toEqual(classes.map(([name]) => name).sort());
  expect(rows.map(([, code]) => code)).toEqual(codes);
});

test('the README has every option of the client', () => {
  const options = Object.keys({
    baseUrl: true,
    apiKey: true,
    apiToken: true,
    timeoutMs: true,
    totalTimeoutMs: true,
    maxRetries: true,
    maxResponseBytes: true,
    fetch: true,
    allowInsecureHttp: true,
    userAgent: true,
    onRequest: true,
    onResponse: true,
    onRetry: true,
  } satisfies Record<keyof PaymentsClientOptions, true>);
  expect(tableOf('README.md', 'Configuration').flatMap(([names = '']) => names.split(', '))).toEqual(options);
});

test('each line that the README has for a framework is one that its tests run', () => {
  const directory = 'test/frameworks';
  const tests = readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8'));
  const [table = []] =
    sections('README.md').find(({ heading }) => heading === 'Receiving notifications')?.tables ?? [];
  const lines = table.flatMap(([, cell = '']) => [...cell.matchAll(/`(?:export )?([^`]+)`/g)]);
  expect(lines.length).toBeGreaterThanOrEqual(9);
  for (const [, line = ''] of lines) {
    expect(
      tests.some((code) => code.includes(line)),
      line,
    ).toBe(true);
  }
});

test('the README has every kind of notification', () => {
  const kinds = Object.keys({
    payment: true,
    saleStatus: true,
    reversal: true,
    refund: true,
    payout: true,
    unrecognized: true,
  } satisfies Record<Notification['kind'], true>);
  expect(tableOf('README.md', 'Receiving notifications', 1).map(([kind]) => kind)).toEqual(kinds);
});

test('the page on observability has every code of a report', () => {
  const rows = tableOf('docs/observability.md', 'What the listener reports');
  expect(rows.map(([code]) => code)).toEqual(reportCodes);
});

test('the README has every example', () => {
  const examples = readdirSync('examples', { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'demo')
    .map(({ name }) => name);
  const named = tableOf('README.md', 'Examples').flatMap(([names = '']) => names.split(', '));
  expect(named.sort()).toEqual(examples.sort());
});

/** The cells of a table's rows, without the head, the marks of code and what is linked to. */
function tableOf(file: string, heading: string, index = 0): string[][] {
  const section = sections(file).find((candidate) => candidate.heading === heading);
  const [, ...rows] = section?.tables[index] ?? [];
  return rows.map((cells) =>
    cells.map((cell) => cell.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '')),
  );
}
