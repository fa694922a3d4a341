import { describe, expect, it } from 'vitest';
import { Editor } from './editor';

const editor = new Editor();

const given = `
import { PaymentsClient, PaymentsError, type Transaction, type RecurringCheckout } from 'pix-automatic-sdk';
import { PostgresStore, RedisStore, SqliteStore } from 'pix-automatic-sdk/stores';
import { fixtures, notificationRequest } from 'pix-automatic-sdk/testing';
import { startSandbox } from 'pix-automatic-sdk/sandbox';
import * as w from 'pix-automatic-sdk/webhooks';
declare const client: PaymentsClient, transaction: Transaction, checkout: RecurringCheckout, error: PaymentsError;
declare const sale: w.SalePayload, reversal: w.ReversalPayload, failed: w.FailedPayout, report: w.WebhookReport;
const credentials = { apiKey: 'key', apiToken: 'token' };
const charge = w.defineNotification({ kind: 'charge', match: () => true, schema: w.salePayloadSchema, subject: () => '' });
`;

// `|` is the cursor.
describe('an editor offers the documented values of open lists', () => {
  it.each([
    ["transaction.situation === '|'", ['PENDING', 'CANCELLED', 'PAID']],
    ["transaction.type === '|'", ['SALE']],
    ["transaction.shopper?.document?.type === '|'", ['CPF']],
    ["checkout.response.instructions.chosen === '|'", ['PIX_RECURRENCE']],
    ["sale.newStatus === '|'", ['PAID', 'REVERSAL']],
    ["reversal.status === '|'", ['PENDING', 'PAID', 'CANCELLED']],
    ["failed.error_code === '|'", ['PE0001', 'PE0002', 'PE0003', 'PE0004']],
    ["client.createRecurringCheckout({ shopper: { document: { type: '|' } } })", ['CPF']],
    ["client.createRecurringCheckout({ shopper: { phone: { type: '|' } } })", ['MOBILE']],
    ["client.createRecurringCheckout({ recurrence: { calendar: { periodicity: '|' } } })", ['MONTHLY']],
    ["error.outcome === '|'", ['not-sent', 'refused', 'unknown']],
    ["error.code === '|'", ['api_error', 'timeout', 'store_failed']],
    ["report.code === '|'", ['unauthorized', 'unhandled', 'store_failed']],
    ["notificationRequest('|')", ['payment', 'saleStatus', 'failedPayout', 'custom']],
    ["w.createWebhookHandler({ credentials, on: { payment: '|' } })", ['ignore']],
  ])('at %s', { timeout: 60_000 }, (code, values) => {
    expect(editor.completions(given + code)).toEqual(expect.arrayContaining(values));
  });
});

describe('an editor offers the names of fields and options', () => {
  it.each([
    [
      'new PaymentsClient({ | })',
      ['baseUrl', 'apiKey', 'timeoutMs', 'totalTimeoutMs', 'maxRetries', 'onRetry'],
    ],
    ["client.getTransaction('uuid', { | })", ['signal', 'timeoutMs', 'totalTimeoutMs', 'maxRetries']],
    ["client.cancelScheduledPayment('id', { | })", ['reason']],
    ["client.cancelScheduledPayment('id', { reason: '' }, { | })", ['extraFields', 'signal']],
    ["client.waitForTransaction('uuid', { | })", ['until', 'intervalMs', 'timeoutMs', 'signal']],
    [
      'client.createRecurringCheckout({ | })',
      ['currency', 'referenceCode', 'amount', 'maxAge', 'recurrence'],
    ],
    ['client.createRecurringCheckout({ recurrence: { | } })', ['immediatePayment', 'calendar', 'retry']],
    [
      'w.createWebhookHandler({ | })',
      ['credentials', 'on', 'store', 'kinds', 'onReport', 'callbackTimeoutMs'],
    ],
    ['w.createWebhookHandler({ credentials: { | } })', ['apiKey', 'apiToken']],
    [
      'w.createWebhookHandler({ credentials, kinds: [charge], on: { | } })',
      ['payment', 'saleStatus', 'reversal', 'refund', 'payout', 'unrecognized', 'charge'],
    ],
    ['new RedisStore({} as never, { | })', ['prefix', 'namespace']],
    [
      'new PostgresStore({} as never, { | })',
      ['schema', 'table', 'transactional', 'stepTimeoutMs', 'maxTransactions'],
    ],
    ['new SqliteStore({} as never, { | })', ['table', 'busyTimeoutMs']],
    ['new w.MemoryStore({ | })', ['maxEntries', 'clock']],
    ['fixtures.refund({ refund: { | } })', ['uuid', 'amount', 'creditDate']],
    ['startSandbox({ | })', ['port', 'webhookUrl', 'inventions', 'retryIntervalMs', 'publicUrl']],
    ['startSandbox({ inventions: { | } })', ['unknownTransaction', 'utcOffsetMinutes']],
  ])('at %s', { timeout: 60_000 }, (code, names) => {
    expect(editor.completions(given + code)).toEqual(expect.arrayContaining(names));
  });
});
