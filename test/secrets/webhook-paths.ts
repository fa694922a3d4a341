import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type AnyDefinition,
  checkAuthorization,
  constructNotification,
  createWebhookHandler,
  defineNotification,
  MemoryStore,
  parseNotification,
  toNodeListener,
  type WebhookHandlerOptions,
  type WebhookReport,
} from 'pix-automatic-sdk/webhooks';
import { onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { deliver } from '../helpers/deliver';
import { hang, salePayload, WatchedStore } from '../webhooks/support';
import { badPairs } from './client-paths';
import { authorization, credentials, marked } from './marks';
import type { Path } from './path';

const { apiKey, apiToken, cpf, email, account } = marked;
const text = `${apiKey} ${apiToken} ${cpf} ${email} ${account}`;
const sale = {
  ...salePayload(),
  shopper: { id: cpf, email, account, firstName: text },
  [cpf]: email,
  headers: { authorization },
};

const bodies: Readonly<Record<string, unknown>> = {
  'no JSON': `{"email": "${email}", ${cpf}`,
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

/** A notification that was parsed is the merchant's data, and meant to be read; its key is meant for logs. */
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
      [
        `createWebhookHandler: ${what}`,
        () => createWebhookHandler({ credentials: [credentials, pair], on: {} }),
      ],
    ];
  }),
];

const quoting = defineNotification({
  kind: 'quoting',
  match: (body) => 'instructionId' in body,
  schema: z.looseObject({ instructionId: z.string({ error: ({ input }) => JSON.stringify(input) }) }),
  subject: ({ instructionId }) => instructionId,
});

const definitions: Path[] = [
  [
    'a schema of the merchant’s that quotes what it refuses',
    () => parseNotification({ body: { instructionId: { [email]: cpf } }, kinds: [quoting] }),
  ],
  [
    'createWebhookHandler: an option that cannot be',
    () => createWebhookHandler({ credentials, on: {}, maxBodyBytes: text as never }),
  ],
  [
    'createWebhookHandler: a callback that is none',
    () => createWebhookHandler({ credentials, on: { payment: text as never } }),
  ],
  [
    'a memory store that is full',
    async () => {
      const store = new MemoryStore({ maxEntries: 1 });
      await store.claim('payment:1', 'PAID', 1_000);
      return store.claim('payment:2', 'PAID', 1_000);
    },
  ],
];

interface Delivered {
  readonly options?: Partial<WebhookHandlerOptions<readonly AnyDefinition[]>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly method?: string;
}

/** One for each code of a report; what is thrown is marked where the library should not pass it on. */
const deliveries: Readonly<Record<string, Delivered>> = {
  'method not allowed': { method: 'PUT' },
  'unauthorized: no credentials': { headers: { authorization: '' } },
  'unauthorized: others': { headers: { authorization: `Basic ${btoa(`${apiToken}:${apiKey}`)}` } },
  'body too large': { options: { maxBodyBytes: 10 } },
  'no JSON': { body: bodies['no JSON'] },
  contradiction: { body: bodies['a contradiction'] },
  'a contradiction that is handed on': {
    body: bodies['a contradiction'],
    options: { on: { unrecognized: () => Promise.reject(new Error('failed')) } },
  },
  'wrong types': { body: bodies['a sale with wrong types'] },
  'contradiction with the query': { query: `?type=refund&email=${email}` },
  unhandled: { options: { on: {} } },
  'callback failed': { options: { on: { payment: () => Promise.reject(new Error('failed')) } } },
  'callback timeout': { options: { callbackTimeoutMs: 20, on: { payment: hang } } },
  'store failed': { options: { store: storeThat('claim', () => Promise.reject(new Error('failed'))) } },
  'store too slow': { options: { storeTimeoutMs: 20, store: storeThat('claim', hang) } },
  'lease lost': { options: { store: storeThat('complete', async () => false) } },
  busy: { options: { store: storeThat('claim', async () => ({ status: 'busy' })) } },
  internal: {
    options: {
      getAuthorization: () => {
        throw new Error('failed');
      },
    },
  },
};

const reports: Path[] = Object.entries(deliveries).map(([what, delivered]) => [
  `handler over HTTP: ${what}: the report and the answer`,
  async () => {
    const reports: WebhookReport[] = [];
    const answer = await answerTo(delivered, { onError: (report) => reports.push(report) });
    if (answer.status !== 200 && reports.length === 0) throw new Error('nothing was reported');
    return [answer, ...reports];
  },
]);

/** With the default `onError`, which writes to the console; that is looked at for every path. */
const defaultLog: Path[] = Object.entries(deliveries).map(([what, delivered]) => [
  `handler over HTTP: ${what}: the default log`,
  () => answerTo(delivered, {}),
]);

const marksThrown: Readonly<Record<string, Delivered>> = {
  'a callback that throws marks': {
    options: {
      on: {
        payment: () => {
          throw Object.assign(new Error(text), { sale });
        },
      },
    },
  },
  'a callback that rejects with text': { options: { on: { payment: () => Promise.reject(text) } } },
  'a store that throws marks': {
    options: { store: storeThat('claim', () => Promise.reject(new Error(text))) },
  },
  'a schema of the merchant’s that throws marks': {
    options: {
      kinds: [
        {
          ...quoting,
          match: () => {
            throw new Error(text);
          },
        },
      ],
    },
  },
  'an onError that throws marks': {
    body: '[]',
    options: {
      onError: () => {
        throw new Error(text);
      },
    },
  },
};

/** Their errors are the merchant's, and `report.error` gives them back; the answer and the default log do not. */
const passedOn: Path[] = Object.entries(marksThrown).map(([what, delivered]) => [
  `handler over HTTP: ${what}`,
  () => answerTo(delivered, {}),
]);

async function answerTo(
  { options, body = sale, headers, query = '', method = 'POST' }: Delivered,
  more: Partial<WebhookHandlerOptions>,
) {
  const handler = createWebhookHandler({
    credentials,
    store: new MemoryStore(),
    on: { payment: () => undefined },
    ...more,
    ...options,
  } as WebhookHandlerOptions);
  const server = createServer(toNodeListener(handler)).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${query}`;
  return deliver(url, body, { method, headers: { authorization, ...headers } });
}

function storeThat(step: 'claim' | 'complete', instead: () => Promise<unknown>): WatchedStore {
  const store = new WatchedStore();
  store.faults[step].push(instead, instead, instead);
  return store;
}

const objects: Path[] = [
  [
    'a handler, its listener and its store, after a delivery',
    async () => {
      const store = new MemoryStore();
      const handler = createWebhookHandler({ credentials, store, on: { payment: () => undefined } });
      const listener = toNodeListener(handler);
      await handler.handle({ method: 'POST', url: '/', headers: { authorization }, body: sale });
      return [handler, listener, store];
    },
  ],
];

export const webhookPaths: readonly Path[] = [
  ...parsing,
  ...authentication,
  ...definitions,
  ...reports,
  ...defaultLog,
  ...passedOn,
  ...objects,
];
