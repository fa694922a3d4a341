import {
  checkAuthorization,
  constructNotification,
  createWebhookHandler,
  credentialsFromEnv,
  defineNotification,
  MemoryStore,
  parseNotification,
  payoutPayloadSchema,
  refundPayloadSchema,
  reversalPayloadSchema,
  salePayloadSchema,
  verifyAuthorization,
} from 'pix-automatic-sdk/webhooks';
import * as z from 'zod/mini';
import { stepsOf } from '../../src/stores/steps';
import { lease } from '../stores/limits';
import { salePayload } from '../webhooks/payloads';
import { badPairs } from './configuration-paths';
import { authorization, credentials, marked } from './marks';
import { type Paths, pathsOver } from './path';

const { apiKey, apiToken, cpf, email, account } = marked;
/** Every mark. */
export const text = `${apiKey} ${apiToken} ${cpf} ${email} ${account}`;
export const sale = {
  ...salePayload(),
  shopper: { id: cpf, email, account, firstName: text },
  [cpf]: email,
  headers: { authorization },
};

export const bodies: Readonly<Record<string, unknown>> = {
  'no JSON': `{"email": "${email}", ${cpf}`,
  // The error of `JSON.parse` quotes a short text as a whole.
  'no JSON, and short': `x${cpf}`,
  text: JSON.stringify(text),
  'an array': [sale],
  'a contradiction': { ...sale, refund: { uuid: text }, success: true },
  'a sale without its identity': { ...sale, saleToken: null },
  'a sale with wrong types': {
    ...sale,
    saleToken: { [cpf]: email },
    amount: text,
    shopper: text,
    newStatus: [cpf],
  },
  'a payout with wrong types': { success: true, uuid: [email], status: Number(cpf), bankDetails: text },
  'a payout with a success of another type': { success: text, uuid: 'p-1', error_code: text },
  'a refund with wrong types': { refund: [text], saleToken: Number(cpf), status: { account } },
  'nesting without end': `{"email": "${email}", "a": ${'['.repeat(500)}${']'.repeat(500)}}`,
};

const queries = ['', '?type=refund', '?payout=true', `?reversing=true&email=${email}&type=${cpf}`];

const parsing = queries.flatMap((url) => [
  // A parsed notification is the merchant's data, which is meant to be read; only its key is meant for logs.
  pathsOver(`parseNotification ${url.slice(0, 12)}`, bodies, (body) => parseNotification({ body, url }).key),
  pathsOver(
    `constructNotification ${url.slice(0, 12)}`,
    bodies,
    (body) => constructNotification({ body, url, authorization }, credentials).key,
  ),
]);

const headers = [
  `Basic ${apiKey}`,
  `Bearer ${apiToken}`,
  `${authorization}=`,
  authorization.toLowerCase(),
  text,
];

const authentication = [
  pathsOver('checkAuthorization: header', headers, (header) => checkAuthorization(header, credentials)),
  pathsOver('constructNotification: header', headers, (header) =>
    constructNotification({ authorization: header, body: sale }, credentials),
  ),
  pathsOver('checkAuthorization', badPairs, (pair) => checkAuthorization(authorization, pair)),
  pathsOver('verifyAuthorization', badPairs, (pair) => verifyAuthorization(authorization, pair)),
  pathsOver('createWebhookHandler', badPairs, (pair) =>
    createWebhookHandler({ credentials: [credentials, pair], on: {} }),
  ),
];

export const quoting = defineNotification({
  kind: 'quoting',
  match: (body) => 'instructionId' in body,
  schema: z.looseObject({ instructionId: z.string({ error: ({ input }) => JSON.stringify(input) }) }),
  subject: ({ instructionId }) => instructionId,
});
const badDefinition = { match: () => true, schema: text as never, subject: () => text };

const mistakes: Paths = {
  'credentialsFromEnv: a missing variable': () => credentialsFromEnv({ PAYMENTS_API_TOKEN: apiToken }),
  'credentialsFromEnv: an empty key': () =>
    credentialsFromEnv({ PAYMENTS_API_KEY: '', PAYMENTS_API_TOKEN: text }),
  'createWebhookHandler: a string instead of options': () => createWebhookHandler(text as never),
  'parseNotification: only the body': () => parseNotification(text as never),
  'constructNotification: only the body': () => constructNotification(text as never, credentials),
  'defineNotification: a string': () => defineNotification(text as never),
  'defineNotification: a reserved kind and an invalid schema': () =>
    defineNotification({ kind: 'payment', ...badDefinition }),
  'defineNotification: an invalid schema': () => defineNotification({ kind: text, ...badDefinition }),
  'new MemoryStore: an invalid option': () => new MemoryStore({ maxEntries: text as never }),
  'parseNotification: a merchant’s schema that quotes what it refuses': () =>
    parseNotification({ body: { instructionId: { [email]: cpf } }, kinds: [quoting] }),
  'createWebhookHandler: an invalid option': () =>
    createWebhookHandler({ credentials, on: {}, maxBodyBytes: text as never }),
  'createWebhookHandler: an invalid callback': () =>
    createWebhookHandler({ credentials, on: { payment: text as never } }),
  async 'MemoryStore: a full store'() {
    const store = stepsOf(new MemoryStore({ maxEntries: 1 }));
    await store.claim('payment:1', 'PAID', lease(1_000));
    return store.claim('payment:2', 'PAID', lease(1_000));
  },
};

const schemas = [salePayloadSchema, reversalPayloadSchema, refundPayloadSchema, payoutPayloadSchema].map(
  (schema, index) =>
    pathsOver(`the public schema ${index + 1}`, bodies, (body) =>
      Reflect.get(schema['~standard'].validate(body), 'issues'),
    ),
);

export const webhookPaths: Paths = Object.assign({}, mistakes, ...parsing, ...authentication, ...schemas);
