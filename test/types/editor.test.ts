import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { Editor } from './editor';
import { type Member, publicMembers } from './public-members';

const given = `
import { PaymentsClient, type RecurringCheckoutRequest } from 'pix-automatic-sdk';
import * as orders from 'pix-automatic-sdk/orders';
import * as pix from 'pix-automatic-sdk/pix';
import * as recurrence from 'pix-automatic-sdk/recurrence';
import * as sandbox from 'pix-automatic-sdk/sandbox';
import * as stores from 'pix-automatic-sdk/stores';
import * as testing from 'pix-automatic-sdk/testing';
import * as webhooks from 'pix-automatic-sdk/webhooks';
declare const client: PaymentsClient, request: RecurringCheckoutRequest;
`;
const givenResults = `
import { PaymentsClient, PaymentsError, type Transaction, type RecurringCheckout } from 'pix-automatic-sdk';
import { PostgresStore, RedisStore, SqliteStore } from 'pix-automatic-sdk/stores';
import { fixtures, notificationRequest } from 'pix-automatic-sdk/testing';
import { startSandbox } from 'pix-automatic-sdk/sandbox';
import * as w from 'pix-automatic-sdk/webhooks';
declare const client: PaymentsClient, transaction: Transaction, checkout: RecurringCheckout, error: PaymentsError;
declare const sale: w.SalePayload, reversal: w.ReversalPayload, failed: w.FailedPayout, recurrence: w.RecurrencePayload, report: w.WebhookReport;
const credentials = { apiKey: 'key', apiToken: 'token' };
const charge = w.defineNotification({ kind: 'charge', match: () => true, schema: w.salePayloadSchema, subject: () => '' });
`;
const givenOrder = `
import { PaymentsClient } from 'pix-automatic-sdk';
import { PostgresStore, RedisStore } from 'pix-automatic-sdk/stores';
import { fixtures } from 'pix-automatic-sdk/testing';
import { createWebhookHandler } from 'pix-automatic-sdk/webhooks';
import { Client } from 'pg';
declare const client: PaymentsClient;
const credentials = { apiKey: 'key', apiToken: 'token' };
const order = { currency: 'BRL', referenceCode: 'order-1', shopper: {} };
`;

// `|` is the cursor.
const openLists: ReadonlyArray<readonly [code: string, values: readonly string[]]> = [
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
  ["recurrence.eventType === '|'", ['RECURRENCE_AUTHORIZED', 'RECURRENCE_CHARGE_FAILED']],
  ["notificationRequest('|')", ['payment', 'saleStatus', 'failedPayout', 'custom']],
  ["w.createWebhookHandler({ credentials, on: { payment: '|' } })", ['ignore']],
];

const fieldsAndOptions: ReadonlyArray<readonly [code: string, names: readonly string[]]> = [
  [
    'new PaymentsClient({ | })',
    ['baseUrl', 'apiKey', 'timeoutMs', 'totalTimeoutMs', 'maxRetries', 'onRetry'],
  ],
  ["client.getTransaction('uuid', { | })", ['signal', 'timeoutMs', 'totalTimeoutMs', 'maxRetries']],
  ["client.cancelScheduledPayment('id', { | })", ['reason']],
  ["client.cancelScheduledPayment('id', { reason: '' }, { | })", ['extraFields', 'signal']],
  ['client.createRecurringCheckout({ | })', ['currency', 'referenceCode', 'amount', 'maxAge', 'recurrence']],
  ['client.createRecurringCheckout({ recurrence: { | } })', ['immediatePayment', 'calendar', 'retry']],
  ['w.createWebhookHandler({ | })', ['credentials', 'on', 'store', 'kinds', 'onReport', 'callbackTimeoutMs']],
  ['w.createWebhookHandler({ credentials: { | } })', ['apiKey', 'apiToken']],
  [
    'w.createWebhookHandler({ credentials, kinds: [charge], on: { | } })',
    ['payment', 'saleStatus', 'reversal', 'refund', 'payout', 'recurrence', 'unrecognized', 'charge'],
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
];

/** Common mistakes, and the whole message of the compiler, which must contain the wrong name. */
const mistakes: ReadonlyArray<readonly [mistake: string, code: string, complaint: string]> = [
  [
    'a misspelt field of a request',
    `client.createRecurringCheckout({ ...order, maxage: 30, recurrence: { immediatePayment: false } });`,
    `TS2561: Object literal may only specify known properties, but 'maxage' does not exist in type ` +
      `'RecurringCheckoutRequest'. Did you mean to write 'maxAge'?`,
  ],
  [
    'a misspelt field inside a request',
    `client.createRecurringCheckout({ ...order, recurrence: { immediatePayment: false, retries: true } });`,
    `TS2353: Object literal may only specify known properties, and 'retries' does not exist in type ` +
      `'RecurrenceRequest | (RecurrenceRequest & { immediatePayment: false; })'.`,
  ],
  [
    'an immediate payment without its amount',
    `const recurrence = { immediatePayment: true };
     client.createRecurringCheckout({ ...order, recurrence });`,
    `TS2345: Argument of type '{ recurrence: { immediatePayment: boolean; }; currency: string; referenceCode: string; ` +
      `shopper: {}; }' is not assignable to parameter of type 'RecurringCheckoutRequest'.
  Type '{ recurrence: { immediatePayment: boolean; }; currency: string; referenceCode: string; shopper: {}; }' is not ` +
      `assignable to type 'RecurringCheckoutRequestBase & { amount: number; }'.
    Property 'amount' is missing in type '{ recurrence: { immediatePayment: boolean; }; currency: string; ` +
      `referenceCode: string; shopper: {}; }' but required in type '{ amount: number; }'.`,
  ],
  [
    'an amount as text',
    `client.createRecurringCheckout({ ...order, amount: '59.70', recurrence: { immediatePayment: true } });`,
    `TS2322: Type 'string' is not assignable to type 'number'.`,
  ],
  [
    'a callback for a kind that does not exist',
    `createWebhookHandler({ credentials, on: { paid: () => undefined } });`,
    `TS2353: Object literal may only specify known properties, and 'paid' does not exist in type ` +
      `'WebhookCallbacks<readonly [], undefined, undefined, unknown>'.`,
  ],
  [
    'a field of another kind in a callback',
    `createWebhookHandler({ credentials, on: { payment: ({ payload }) => console.log(payload.uuid) } });`,
    `TS2339: Property 'uuid' does not exist on type 'SalePayload'.`,
  ],
  [
    "a wrong name among the client's credentials",
    `new PaymentsClient({ baseUrl: 'https://api.example.com', apiKey: 'key', token: 'token' });`,
    `TS2353: Object literal may only specify known properties, and 'token' does not exist in type ` +
      `'PaymentsClientOptions'.`,
  ],
  [
    "a wrong name among the listener's credentials",
    `createWebhookHandler({ credentials: { key: 'key', apiToken: 'token' }, on: {} });`,
    `TS2353: Object literal may only specify known properties, and 'key' does not exist in type ` +
      `'Credentials | readonly Credentials[]'.`,
  ],
  [
    'a cancellation without a reason',
    `client.cancelScheduledPayment('instruction-1', {});`,
    `TS2345: Argument of type '{}' is not assignable to parameter of type 'ScheduledPaymentCancellationRequest'.
  Property 'reason' is missing in type '{}' but required in type 'ScheduledPaymentCancellationRequest'.`,
  ],
  [
    'a connection where a store needs a pool',
    `new PostgresStore(new Client(), { transactional: true });`,
    `TS2345: Argument of type 'Client' is not assignable to parameter of type 'PostgresPool'.
  Property 'totalCount' is missing in type 'Client' but required in type 'PostgresPool'.`,
  ],
  [
    'a URL where a store needs a client',
    `new RedisStore('redis://127.0.0.1');`,
    `TS2345: Argument of type 'string' is not assignable to parameter of type 'RedisClient'.`,
  ],
  [
    'an option without its unit',
    `new PaymentsClient({ baseUrl: 'https://api.example.com', ...credentials, timeout: 1_000 });`,
    `TS2561: Object literal may only specify known properties, but 'timeout' does not exist in type ` +
      `'PaymentsClientOptions'. Did you mean to write 'timeoutMs'?`,
  ],
];

const withoutMistake = `
  client.createRecurringCheckout({ ...order, recurrence: { immediatePayment: false } });
  createWebhookHandler({ credentials, on: { payment: ({ payload }) => console.log(payload.saleToken) } });
  console.log(fixtures.payment().amount, Client, PostgresStore, RedisStore);`;

const hovered: ReadonlyArray<readonly [code: string, text: string]> = [
  ["client.createRecurringCheckout({ cur|rency: 'BRL' })", 'ISO 4217'],
  [
    'client.createRecurringCheckout({ recurrence: { immed|iatePayment: true } })',
    '`amount` is then required',
  ],
  ['client.createRecurringCheckout({ am|ount: 1 })', "currency's main unit"],
  ['client.createRecurringCheckout({ amount: 1, recur|rence: {} })', 'What recurs'],
  ['request.am|ount', "currency's main unit"],
  ["client.createRecurringCheckout({ recurrence: { calendar: { period|icity: '' } } })", 'MONTHLY'],
  ["client.cancelScheduledPayment('', { rea|son: '' })", 'A brief reason'],
  ["client.getTrans|action('')", '@throws `ApiError`'],
  ['new PaymentsClient({ time|outMs: 1 })', '@defaultValue 30_000'],
  ['webhooks.createWebhookHandler({ call|backTimeoutMs: 1 })', '@defaultValue 25_000'],
  ['new stores.PostgresStore({} as never, { trans|actional: true })', 'exactly once'],
  ['testing.fixtures.re|fund()', 'section 6.4'],
  ['sandbox.startSandbox({ retry|IntervalMs: 1 })', 'milliseconds'],
  ["pix.read|BrCode('')", '@throws `BrCodeError`'],
  ["pix.explainPixCode('AM02', 'charge')?.ends|Charge", 'for good'],
];

const inRequest = 'client.createRecurringCheckout({ | })';

const editor = new Editor([
  ...[...openLists, ...fieldsAndOptions].map(([code]) => givenResults + code),
  ...mistakes.map(([, code]) => givenOrder + code),
  givenOrder + withoutMistake,
  ...hovered.map(([code]) => given + code),
  given + inRequest,
]);

let hovers: (Omit<Member, 'declaration'> & { readonly text: string; readonly travels: boolean })[];

beforeAll(() => {
  hovers = publicMembers(editor.program()).map(({ declaration, ...member }) => {
    const { fileName } = declaration.getSourceFile();
    const position = (ts.getNameOfDeclaration(declaration) ?? declaration).getStart();
    const travels =
      fileName.includes('/src/service/') && member.name.includes('.') && !/Notification\./.test(member.name);
    return { ...member, text: editor.hoverAt(fileName, position), travels };
  });
}, 120_000);

/** Options that change nothing when they are left out. */
const WITHOUT_DEFAULT =
  /\.(?:signal|extraFields|kinds|deliverTo|webhookUrl|inventions|headers|referenceCode|fail|reason|log|onProgress|complete|cancel)$/;

describe('the hover text', () => {
  it('exists for every public export and each of its members', () => {
    // One name of each form, so that an incomplete list of members fails the test.
    expect(hovers.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'parseDateTime',
        'Credentials.apiKey',
        'RecurrenceRequest.calendar.periodicity',
        'CreditTransferDetails.saleUUID',
        'WebhookHandlerOptions.callbackTimeoutMs',
        'PaymentsClient.getTransaction',
        'ApiError.serviceMessage',
      ]),
    );
    expect(namesWhere(({ text }) => text === '')).toEqual([]);
  });

  it('is not broken by a brace that an editor reads as a type', () => {
    expect(namesWhere(({ text }) => /^@link/m.test(text))).toEqual([]);
  });

  it('names the section of the document once for each interface of a request, response or notification', () => {
    const fields = namesWhere(({ travels }) => travels);
    expect(fields.length).toBeGreaterThan(100);
    const interfaces = new Set(fields.map((name) => name.split('.')[0]));
    expect(
      namesWhere(({ name, text }) => interfaces.has(name) && !/document\s+sections? \d/.test(text)),
    ).toEqual([]);
  });

  it('names the unit of every time', () => {
    const isTime = ({ name }: { name: string }) => /(?:Ms|\.ms)$/.test(name);
    expect(namesWhere(isTime).length).toBeGreaterThan(15);
    expect(namesWhere((hover) => isTime(hover) && !hover.text.includes('milliseconds'))).toEqual([]);
  });

  it('names the unit of every amount of money', () => {
    const isAmount = ({ name, type }: { name: string; type: string }) =>
      /(?:amount|amountRefunded|total|shipping|discounts)$/i.test(name.split('.').at(-1) ?? '') &&
      type.startsWith('number');
    expect(namesWhere(isAmount).length).toBeGreaterThan(15);
    expect(namesWhere((hover) => isAmount(hover) && !/currency's\s+main\s+unit/.test(hover.text))).toEqual(
      [],
    );
  });

  it('names the default of every option that has one', () => {
    const isOption = ({ name, isOptional }: { name: string; isOptional: boolean }) =>
      isOptional && /^\w+(?:Options|Limits)\.\w+$/.test(name);
    expect(namesWhere(isOption).length).toBeGreaterThan(20);
    const isSilent = (text: string) => !/@defaultValue|Default/.test(text);
    const silent = namesWhere((hover) => isOption(hover) && isSilent(hover.text));
    expect(silent.filter((name) => !WITHOUT_DEFAULT.test(name))).toEqual([]);
  });

  it('says what every function throws, unless it throws nothing', () => {
    const isFunction = ({ name, type }: { name: string; type: string }) =>
      /^(?:[a-z]\w*|PaymentsClient\.\w+)$/.test(name) && type.includes('=>');
    expect(namesWhere(isFunction)).toEqual(
      expect.arrayContaining(['parseDateTime', 'PaymentsClient.fromEnv']),
    );
    const silent = namesWhere((hover) => isFunction(hover) && !hover.text.includes('@throws'));
    expect(silent.sort()).toEqual(['fakeClock', 'isCallError', 'sequentialIds']);
  });

  it.each(hovered)('is shown where a merchant writes %s', (code, text) => {
    expect(editor.hover(given + code)).toContain(text);
  });

  it.each([
    ['currency', 'ISO 4217'],
    ['amount', "currency's main unit"],
    ['recurrence', 'What recurs'],
  ])('is shown beside `%s` while a request is written', (name, text) => {
    expect(editor.completionText(given + inRequest, name)).toContain(text);
  });
});

describe('an editor', () => {
  it.each(openLists)('offers the documented values of an open list at %s', (code, values) => {
    expect(editor.completions(givenResults + code)).toEqual(expect.arrayContaining([...values]));
  });

  it.each(fieldsAndOptions)('offers the names of fields and options at %s', (code, names) => {
    expect(editor.completions(givenResults + code)).toEqual(expect.arrayContaining([...names]));
  });
});

describe('the compiler', () => {
  it.each(mistakes)('explains %s', (_, code, complaint) => {
    expect(editor.complaints(givenOrder + code)).toEqual([complaint]);
  });

  it('reports nothing about a program without a mistake', () => {
    expect(editor.complaints(givenOrder + withoutMistake)).toEqual([]);
  });
});

function namesWhere(matches: (hover: (typeof hovers)[number]) => boolean): string[] {
  return hovers.filter(matches).map(({ name }) => name);
}
