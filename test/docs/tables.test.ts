import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PaymentsClientOptions, PaymentsErrorCode } from 'pix-automatic-sdk';
import * as sdk from 'pix-automatic-sdk';
import * as journal from 'pix-automatic-sdk/journal';
import type { Notification, WebhookHandlerOptions } from 'pix-automatic-sdk/webhooks';
import * as webhooks from 'pix-automatic-sdk/webhooks';
import { expect, test } from 'vitest';
import { reportCodes } from '../helpers/report-codes';
import { sections } from './markdown';

// The compiler rejects an incomplete list here, so a new name must also go into its table.

test('the page about errors lists every error, by class and by code', () => {
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
    journey_busy: true,
    journey_conflict: true,
  } satisfies Record<PaymentsErrorCode, true>);
  const isErrorClass = Object.prototype.isPrototypeOf.bind(sdk.PaymentsError);
  const classes = Object.entries({ ...sdk, ...webhooks, ...journal }).filter(([, value]) =>
    isErrorClass(Object(value)),
  );
  const rows = tableOf('docs/errors.md', 'Errors', 1);

  expect(classes).toHaveLength(codes.length);
  expect(rows.map(([name]) => name).sort()).toEqual(classes.map(([name]) => name).sort());
  expect(rows.map(([, code]) => code)).toEqual(codes);
});

test('the guide to the client lists every option', () => {
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
  expect(tableOf('docs/client.md', 'Options').flatMap(([names = '']) => names.split(', '))).toEqual(options);
});

test('the framework tests run each line that the guide shows for a framework', () => {
  const directory = 'test/frameworks';
  const tests = readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8'));
  const [table = []] =
    sections('docs/listener.md').find(({ heading }) => heading === 'In your framework')?.tables ?? [];
  const lines = table.flatMap(([, cell = '']) => [...cell.matchAll(/`(?:export )?([^`]+)`/g)]);
  expect(lines.length).toBeGreaterThanOrEqual(9);
  for (const [, line = ''] of lines) {
    expect(
      tests.some((code) => code.includes(line)),
      line,
    ).toBe(true);
  }
});

test('the guide to the listener lists every kind of notification', () => {
  const kinds = Object.keys({
    payment: true,
    saleStatus: true,
    reversal: true,
    refund: true,
    payout: true,
    unrecognized: true,
  } satisfies Record<Notification['kind'], true>);
  expect(tableOf('docs/listener.md', 'Kinds of notifications').map(([kind]) => kind)).toEqual(kinds);
});

test('the page on observability lists every code of a report', () => {
  const rows = tableOf('docs/observability.md', 'What the listener reports');
  expect(rows.map(([code]) => code)).toEqual(reportCodes);
});

test('the list of examples names every example', () => {
  const examples = readdirSync('examples', { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'demo')
    .map(({ name }) => name);
  const named = tableOf('examples/README.md', 'Examples').map(([name]) => name);
  expect(named.sort()).toEqual(examples.sort());
});

test('the guide to the listener lists every option of the handler', () => {
  const options = Object.keys({
    credentials: true,
    on: true,
    kinds: true,
    store: true,
    maxBodyBytes: true,
    bodyTimeoutMs: true,
    callbackTimeoutMs: true,
    storeTimeoutMs: true,
    retentionMs: true,
    deadLetters: true,
    confirm: true,
    getAuthorization: true,
    onReport: true,
  } satisfies Record<keyof WebhookHandlerOptions, true>);
  expect(tableOf('docs/listener.md', 'Options').map(([name]) => name)).toEqual(options);
});

/** The cells of a table’s rows, without the head, code marks and link targets. */
function tableOf(file: string, heading: string, index = 0): string[][] {
  const section = sections(file).find((candidate) => candidate.heading === heading);
  const [, ...rows] = section?.tables[index] ?? [];
  return rows.map((cells) =>
    cells.map((cell) => cell.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '')),
  );
}
