import { decodeQrCode, PaymentsClient, PaymentsError } from 'pix-automatic-sdk';
import {
  constructNotification,
  createWebhookHandler,
  defineNotification,
  parseNotification,
  toLambda,
} from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';

// The mistakes of a first day. A handler called with something else is tested in test/webhooks/handler.test.ts.
const credentials = { apiKey: 'key', apiToken: 'token' };
type Call = (...given: unknown[]) => unknown;

const calls: ReadonlyArray<readonly [what: string, call: Call, says: string]> = [
  ['new PaymentsClient', (options) => new PaymentsClient(options as never), 'PaymentsClient.fromEnv()'],
  ['createWebhookHandler', createWebhookHandler as Call, 'createWebhookHandler({ credentials, on:'],
  ['toLambda', toLambda as Call, '`createWebhookHandler` returns'],
  ['parseNotification', parseNotification as Call, 'parseNotification({ url, body })'],
  [
    'constructNotification',
    (input) => constructNotification(input as never, credentials),
    'constructNotification({ authorization, url, body }, credentials)',
  ],
  ['defineNotification', defineNotification as Call, 'defineNotification({ kind, match, schema, subject })'],
  ['decodeQrCode', decodeQrCode as Call, '`response.instructions.qrCode` of a checkout'],
];

describe.each(calls)('%s', (_what, call, says) => {
  it.each([[undefined], [null], [7]])(
    'called with %s, says how to call it, and throws no raw TypeError',
    (given) => {
      let thrown: unknown;
      try {
        call(given);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(PaymentsError);
      expect((thrown as PaymentsError).message).toContain(says);
    },
  );
});
