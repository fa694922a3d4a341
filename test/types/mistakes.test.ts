import { describe, expect, it } from 'vitest';
import { Editor } from './editor';

const editor = new Editor();

const given = `
import { PaymentsClient } from 'pix-automatic-sdk';
import { PostgresStore, RedisStore } from 'pix-automatic-sdk/stores';
import { fixtures } from 'pix-automatic-sdk/testing';
import { createWebhookHandler } from 'pix-automatic-sdk/webhooks';
import { Client } from 'pg';
declare const client: PaymentsClient;
const credentials = { apiKey: 'key', apiToken: 'token' };
const order = { currency: 'BRL', referenceCode: 'order-1', shopper: {} };
`;

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
      `'WebhookCallbacks<readonly [], undefined>'.`,
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

describe('the compiler', () => {
  it.each(mistakes)('explains %s', { timeout: 60_000 }, (_, code, complaint) => {
    expect(editor.complaints(`${given}\n${code}`)).toEqual([complaint]);
  });

  it('reports nothing about a program without a mistake', { timeout: 60_000 }, () => {
    const right = `
      client.createRecurringCheckout({ ...order, recurrence: { immediatePayment: false } });
      createWebhookHandler({ credentials, on: { payment: ({ payload }) => console.log(payload.saleToken) } });
      console.log(fixtures.payment().amount, Client, PostgresStore, RedisStore);`;
    expect(editor.complaints(given + right)).toEqual([]);
  });
});
