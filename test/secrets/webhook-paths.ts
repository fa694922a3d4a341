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
import { lease } from '../stores/limits';
import { salePayload } from '../webhooks/support';
import { badPairs } from './configuration-paths';
import { authorization, credentials, marked } from './marks';
import type { Path } from './path';

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

const parsing = Object.entries(bodies).flatMap(([what, body]): Path[] =>
  queries.flatMap((url): Path[] => [
    [`parseNotification: ${what} ${url.slice(0, 12)}`, () => unlessParsed(parseNotification({ body, url }))],
    [
      `constructNotification: ${what} ${url.slice(0, 12)}`,
      () => unlessParsed(constructNotification({ body, url, authorization }, credentials)),
    ],
  ]),
);

/** A parsed notification is the merchant's data, which is meant to be read; only its key is meant for logs. */
function unlessParsed({ key }: { readonly key: string }): string {
  return key;
}

const authentication: Path[] = [
  ...[
    `Basic ${apiKey}`,
    `Bearer ${apiToken}`,
    `${authorization}=`,
    authorization.toLowerCase(),
    text,
  ].flatMap((header): Path[] => [
    [`checkAuthorization: ${header.slice(0, 10)}…`, () => checkAuthorization(header, credentials)],
    [
      `constructNotification: ${header.slice(0, 10)}…`,
      () => constructNotification({ authorization: header, body: sale }, credentials),
    ],
  ]),
  ...badPairs.flatMap(([what, key, token]): Path[] => {
    const pair = { apiKey: key as string, apiToken: token as string };
    return [
      [`checkAuthorization: ${what}`, () => checkAuthorization(authorization, pair)],
      [`verifyAuthorization: ${what}`, () => verifyAuthorization(authorization, pair)],
      [
        `createWebhookHandler: ${what}`,
        () => createWebhookHandler({ credentials: [credentials, pair], on: {} }),
      ],
    ];
  }),
];

const mistakes: Path[] = [
  ['credentialsFromEnv: a missing variable', () => credentialsFromEnv({ PAYMENTS_API_TOKEN: apiToken })],
  [
    'credentialsFromEnv: an empty key',
    () => credentialsFromEnv({ PAYMENTS_API_KEY: '', PAYMENTS_API_TOKEN: text }),
  ],
  ['createWebhookHandler: a string instead of options', () => createWebhookHandler(text as never)],
  ['parseNotification: only the body', () => parseNotification(text as never)],
  ['constructNotification: only the body', () => constructNotification(text as never, credentials)],
  ['defineNotification: a string', () => defineNotification(text as never)],
];

export const quoting = defineNotification({
  kind: 'quoting',
  match: (body) => 'instructionId' in body,
  schema: z.looseObject({ instructionId: z.string({ error: ({ input }) => JSON.stringify(input) }) }),
  subject: ({ instructionId }) => instructionId,
});

const definitions: Path[] = [
  ...[salePayloadSchema, reversalPayloadSchema, refundPayloadSchema, payoutPayloadSchema].flatMap(
    (schema, index): Path[] =>
      Object.entries(bodies).map(([what, body]) => [
        `the public schema ${index + 1}: ${what}`,
        () => Reflect.get(schema['~standard'].validate(body), 'issues'),
      ]),
  ),
  [
    'defineNotification: a reserved kind and an invalid schema',
    () =>
      defineNotification({ kind: 'payment', match: () => true, schema: text as never, subject: () => text }),
  ],
  [
    'defineNotification: an invalid schema',
    () => defineNotification({ kind: text, match: () => true, schema: text as never, subject: () => text }),
  ],
  ['new MemoryStore: an invalid option', () => new MemoryStore({ maxEntries: text as never })],
  [
    'parseNotification: a merchant’s schema that quotes what it refuses',
    () => parseNotification({ body: { instructionId: { [email]: cpf } }, kinds: [quoting] }),
  ],
  [
    'createWebhookHandler: an invalid option',
    () => createWebhookHandler({ credentials, on: {}, maxBodyBytes: text as never }),
  ],
  [
    'createWebhookHandler: an invalid callback',
    () => createWebhookHandler({ credentials, on: { payment: text as never } }),
  ],
  [
    'MemoryStore: a full store',
    async () => {
      const store = new MemoryStore({ maxEntries: 1 });
      await store.claim('payment:1', 'PAID', lease(1_000));
      return store.claim('payment:2', 'PAID', lease(1_000));
    },
  ],
];

export const webhookPaths: readonly Path[] = [...parsing, ...authentication, ...mistakes, ...definitions];
