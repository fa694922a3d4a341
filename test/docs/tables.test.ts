import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PaymentsClientOptions, PaymentsErrorCode } from 'pix-automatic-sdk';
import * as sdk from 'pix-automatic-sdk';
import * as orders from 'pix-automatic-sdk/orders';
import type { Notification, WebhookHandlerOptions } from 'pix-automatic-sdk/webhooks';
import * as webhooks from 'pix-automatic-sdk/webhooks';
import { expect, test } from 'vitest';
import { REASONS } from '../../examples/nextjs/lib/reasons';
import { ENDED_BY } from '../../src/orders/case-reasons';
import { severityOf } from '../../src/webhooks/report-texts';
import { reportCodes } from '../helpers/report-codes';
import { sections } from './markdown';

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? unknown : never) : never;

/** The words of a text. It does not compile when one of the names is missing, or one is not a name. */
const all =
  <Name extends string>() =>
  <Text extends string>(text: Text & Same<Words<Text>, Name>): string[] =>
    text.split(' ');

const codes = all<PaymentsErrorCode>()(
  'configuration invalid_request api_error invalid_response connection_failed timeout aborted webhook_authentication_failed invalid_notification store_failed order_busy order_conflict',
);
const kinds = all<Notification['kind']>()(
  'payment saleStatus reversal refund payout recurrence unrecognized',
);
const clientOptions = all<keyof PaymentsClientOptions>()(
  'baseUrl apiKey apiToken previous timeoutMs totalTimeoutMs maxRetries maxResponseBytes fetch dispatcher allowInsecureHttp userAgent onRequest onResponse onRetry',
);
const handlerOptions = all<keyof WebhookHandlerOptions>()(
  'credentials on kinds store maxBodyBytes bodyTimeoutMs callbackTimeoutMs storeTimeoutMs retentionMs deadLetters confirm getAuthorization onReport onDone',
);

test.each([
  ['every option', 'docs/client.md', 'Options', clientOptions],
  ['every option', 'docs/listener.md', 'Options', handlerOptions],
  ['every kind of notification', 'docs/listener.md', 'Kinds of notifications', kinds],
  ['every code of a report', 'docs/going-live.md', 'What the listener reports', reportCodes],
  ['every reason of a case', 'docs/orders.md', 'Cases', [...ENDED_BY.keys()]],
  ['every reason of a case', 'docs/pt/orders.md', 'Casos', [...ENDED_BY.keys()]],
])('the page lists %s: %s, %s', (_, file, heading, names) => {
  const listed = tableOf(file, heading).flatMap(([cell = '']) => cell.split(', '));
  expect(listed.sort()).toEqual(names.toSorted());
});

test.each([
  ['docs/going-live.md', 'What the listener reports'],
  ['docs/pt/going-live.md', 'O que o listener relata'],
])('the page tells the severity of every report: %s', (file, heading) => {
  const told = tableOf(file, heading).flatMap(([codes = '', severity]) =>
    codes.split(', ').map((code) => [code, severity]),
  );
  expect(Object.fromEntries(told)).toEqual(
    Object.fromEntries(reportCodes.map((code) => [code, severityOf(code)])),
  );
});

test('the page about errors lists every error, by class and by code', () => {
  const isErrorClass = Object.prototype.isPrototypeOf.bind(sdk.PaymentsError);
  const classes = Object.entries({ ...sdk, ...webhooks, ...orders }).filter(([, value]) =>
    isErrorClass(Object(value)),
  );
  const rows = tableOf('docs/errors.md', 'Errors', 1);

  expect(classes).toHaveLength(codes.length);
  expect(rows.map(([name]) => name).sort()).toEqual(classes.map(([name]) => name).sort());
  expect(rows.map(([, code]) => code)).toEqual(codes);
});

test('the framework tests run each line that the guide shows for a framework', () => {
  const tests = readdirSync('test/frameworks').map((name) =>
    readFileSync(join('test/frameworks', name), 'utf8'),
  );
  const [table = []] =
    sections('docs/listener.md').find(({ heading }) => heading === 'In your framework')?.tables ?? [];
  const lines = table.flatMap(([, cell = '']) => [...cell.matchAll(/`(?:export )?([^`]+)`/g)]);
  expect(lines.length).toBeGreaterThanOrEqual(9);
  expect(lines.filter(([, line = '']) => !tests.some((code) => code.includes(line)))).toEqual([]);
});

test('the admin page of the example has words for every reason of a case, in both languages', () => {
  expect(Object.keys(REASONS).sort()).toEqual([...ENDED_BY.keys()].sort());
  const words = Object.values(REASONS).flat();
  expect(new Set(words).size).toBe(2 * new Set(Object.values(REASONS)).size);
});

test('the list of examples names every example', () => {
  const examples = readdirSync('examples', { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'demo')
    .map(({ name }) => name);
  const named = tableOf('examples/README.md', 'Examples').map(([name]) => name);
  expect(named.sort()).toEqual(examples.sort());
});

/** The cells of a table’s rows, without the head, code marks and link targets. */
function tableOf(file: string, heading: string, index = 0): string[][] {
  const section = sections(file).find((candidate) => candidate.heading === heading);
  const [, ...rows] = section?.tables[index] ?? [];
  return rows.map((cells) =>
    cells.map((cell) => cell.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '')),
  );
}
