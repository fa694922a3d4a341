import {
  amountFromMinorUnits,
  confirmPayment,
  decodeQrCode,
  type Fetch,
  PaymentsClient,
  type PaymentsClientOptions,
  parseDateTime,
  reconcile,
  recurringCheckoutRequestSchema,
  recurringCheckoutSchema,
  scheduledPaymentCancellationRequestSchema,
  scheduledPaymentCancellationSchema,
  toMinorUnits,
  transactionSchema,
} from 'pix-automatic-sdk';
import { checkoutAnswer, checkoutRequest, operations } from '../client/support';
import { reply, stall, startHttpServer, unusedPort } from '../helpers/http-server';
import { credentials, marked } from './marks';
import type { Path } from './path';

const { apiKey, apiToken, cpf, email, account } = marked;
const baseUrl = 'https://service.example';

/** All marks, in every place of a body where the service could quote them. */
const echo = {
  message: `${apiKey} ${apiToken} ${cpf} ${email} ${account}`,
  [apiKey]: apiToken,
  [cpf]: email,
  headers: { 'x-api-key': apiKey, 'x-api-token': apiToken },
  shopper: { document: cpf, email, bankDetails: { account } },
};
const text = JSON.stringify(echo);

const answers: Readonly<Record<string, () => Response>> = {
  ...Object.fromEntries(
    [400, 401, 403, 404, 409, 422, 429, 500, 503].map((status) => [
      `HTTP ${status}`,
      () => Response.json(echo, { status, headers: { 'retry-after': '999', 'x-echo': apiToken } }),
    ]),
  ),
  'a redirect to a host name with the credentials': () =>
    new Response(text, {
      status: 302,
      headers: { location: `https://${apiKey}.${apiToken}.example/${cpf}` },
    }),
  'a redirect with user-info': () =>
    new Response(text, { status: 307, headers: { location: `https://${apiKey}:${apiToken}@other.example` } }),
  'a redirect to an invalid URL': () =>
    new Response(text, { status: 301, headers: { location: `http://[${apiKey}` } }),
  'a body status of 999': () => Response.json({ ...echo, status: 999 }),
  'a success without its essential fields': () =>
    Response.json({ ...echo, status: 'marked', response: echo }),
  'a uuid that is a credential': () => Response.json({ ...echo, response: { uuid: apiToken } }),
  'a success with wrong types everywhere': () => Response.json(wrongTypes(checkoutAnswer())),
  'text instead of JSON': () => new Response(`<h1>${text}</h1>`),
  // The error of `JSON.parse` quotes a short text as a whole.
  'a short text instead of JSON': () => new Response(`x${cpf}`),
  'JSON that breaks off': () => new Response(text.slice(0, -3)),
  'an array': () => Response.json([echo]),
  'a string': () => Response.json(text),
  'a response that is too large': () => new Response(text.repeat(100)),
  'a body that fails': () => new Response(failing(new Error(text))),
};

/** Replaces every text by a list with marks, and every other scalar by a text of marks. */
function wrongTypes(value: unknown): unknown {
  if (typeof value === 'string') return [{ [email]: cpf, number: Number(cpf) }];
  if (typeof value !== 'object' || value === null) return `${cpf} ${email}`;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, wrongTypes(field)]));
}

function failing(error: Error): ReadableStream {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      controller.error(error);
    },
  });
}

/** What the platform or a custom fetch may throw. Most of these hold the request. */
const failures: Readonly<Record<string, (init: unknown) => unknown>> = {
  'the request itself': (init) => init,
  'an error with the request': (init) => Object.assign(new Error(text), { request: init, config: init }),
  'an error with a cause': (init) => new TypeError(text, { cause: Object.assign(new Error(text), { init }) }),
  'several errors': (init) => new AggregateError([Object.assign(new Error(text), { init }), text], text),
  'a refusal': (init) => Object.assign(new Error(text), { code: 'ECONNREFUSED', syscall: 'connect', init }),
  'a code that is a credential': () => Object.assign(new Error(text), { code: apiToken, syscall: apiKey }),
  text: () => text,
};

function clientWith(fetch: Fetch, options: Partial<PaymentsClientOptions> = {}): PaymentsClient {
  return new PaymentsClient({
    baseUrl,
    ...credentials,
    fetch,
    maxRetries: 0,
    maxResponseBytes: 4_096,
    ...options,
  });
}

const answered = operations.flatMap(({ name, call }): Path[] =>
  Object.entries(answers).map(([what, answer]) => [
    `${name}: ${what}`,
    // The value of a success is the merchant's data, which is meant to be read.
    () => call(clientWith(async () => answer())).then(() => 'a success'),
  ]),
);

const failed = operations.flatMap(({ name, call }): Path[] =>
  Object.entries(failures).map(([what, failure]) => [
    `${name}: fetch throws ${what}`,
    () => call(clientWith(async (_, init) => Promise.reject(failure(init)))),
  ]),
);

const onTheWire = operations.flatMap(({ name, call }): Path[] => [
  [
    `${name}: refused`,
    async () => {
      const url = `http://127.0.0.1:${await unusedPort()}`;
      return call(new PaymentsClient({ baseUrl: url, ...credentials, maxRetries: 0 }));
    },
  ],
  [
    `${name}: a response that never comes`,
    async () => {
      const { url } = await startHttpServer(stall);
      return call(new PaymentsClient({ baseUrl: url, ...credentials, timeoutMs: 50, maxRetries: 0 }));
    },
  ],
  [
    `${name}: an echo of everything over HTTP`,
    async () => {
      const { url } = await startHttpServer(reply(400, echo, { [apiToken]: apiKey, 'x-echo': text }));
      return call(new PaymentsClient({ baseUrl: url, ...credentials, maxRetries: 0 }));
    },
  ],
  [
    `${name}: aborted`,
    () => {
      const controller = new AbortController();
      const client = clientWith(() => new Promise(() => controller.abort()));
      return call(client, { signal: controller.signal });
    },
  ],
]);

const { createRecurringCheckout } = PaymentsClient.prototype;
type Order = Parameters<typeof createRecurringCheckout>[0];
const never: Fetch = () => Promise.reject(new Error('a request was sent'));
const cyclic: Record<string, unknown> = { [email]: cpf };
cyclic['self'] = cyclic;

const requests: Path[] = [
  ...Object.entries({
    'wrong types everywhere': wrongTypes(checkoutRequest()),
    'marks instead of dates, URL and currency': {
      ...checkoutRequest(),
      currency: cpf,
      callbackURL: `${email}://${account}`,
      recurrence: { immediatePayment: true, calendar: { initialDate: cpf, finalDate: email } },
    },
    'a cycle': { ...checkoutRequest(), cyclic },
    'a BigInt': { ...checkoutRequest(), [email]: BigInt(cpf) },
    'a toJSON that throws': {
      toJSON() {
        throw new Error(text);
      },
    },
    'not an object': `${cpf} ${email}`,
  }).map(
    ([what, request]): Path => [
      `createRecurringCheckout: ${what}`,
      () => clientWith(never).createRecurringCheckout(request as Order),
    ],
  ),
  [
    'createRecurringCheckout: extraFields of wrong types',
    () =>
      clientWith(never).createRecurringCheckout(checkoutRequest(), {
        extraFields: { shopper: { email: { [email]: cpf } }, currency: account },
      }),
  ],
  ['getTransaction: half a character', () => clientWith(never).getTransaction(`${cpf}\ud800`)],
  ['getTransaction: not a string', () => clientWith(never).getTransaction({ [cpf]: email } as never)],
  [
    'cancelScheduledPayment: a reason of another type',
    () => clientWith(never).cancelScheduledPayment(cpf, { reason: { [cpf]: email } as never }),
  ],
  [
    'getTransaction: an invalid limit',
    () => clientWith(never).getTransaction('t', { timeoutMs: cpf as never }),
  ],
];

const helpers: Path[] = [
  ['decodeQrCode', () => decodeQrCode(`data:image/png;base64,${email}!`)],
  ['parseDateTime: value', () => parseDateTime(`${cpf} ${email}`, 'America/Sao_Paulo')],
  ['parseDateTime: zone', () => parseDateTime('2026-11-21 09:30:00', `${email}/${cpf}`)],
  ['amountFromMinorUnits', () => amountFromMinorUnits(Number(`${cpf}.5`), email)],
  ['toMinorUnits: amount', () => toMinorUnits(Number(`${cpf}.555`), 'BRL')],
  ['toMinorUnits: currency', () => toMinorUnits(cpf as unknown as number, email)],
  [
    'confirmPayment: not a payment',
    () =>
      confirmPayment(clientWith(never), {
        kind: cpf as never,
        payload: { saleToken: email, newStatus: cpf },
      }),
  ],
  [
    'confirmPayment: the query fails',
    () =>
      confirmPayment(
        clientWith(async () => Response.json(echo, { status: 400 })),
        {
          kind: 'payment',
          payload: { saleToken: 't', newStatus: 'PAID' },
        },
      ),
  ],
  [
    'waitForTransaction: the query fails',
    () => clientWith(async () => Response.json(echo, { status: 400 })).waitForTransaction('t'),
  ],
  [
    'waitForTransaction: a timeout',
    () =>
      clientWith(async () => Response.json({ situation: 'PENDING', shopper: { email } })).waitForTransaction(
        't',
        {
          timeoutMs: 20,
          intervalMs: 5,
        },
      ),
  ],
  [
    'reconcile: the query fails',
    async () => {
      const client = clientWith(async () => Response.json(echo, { status: 400 }));
      for await (const { error } of reconcile(client, ['t'])) return error;
    },
  ],
  ...[
    recurringCheckoutRequestSchema,
    recurringCheckoutSchema,
    scheduledPaymentCancellationRequestSchema,
    scheduledPaymentCancellationSchema,
    transactionSchema,
  ].map(
    (schema, index): Path => [
      `the public schema ${index + 1}`,
      () => {
        const given = { ...(wrongTypes(checkoutRequest()) as object), ...echo, status: cpf };
        const result = schema['~standard'].validate(given);
        // The value is the merchant's data, which is meant to be read.
        return [Reflect.get(result, 'issues'), Reflect.get(result, 'leftOut')];
      },
    ],
  ),
];

const observers: Path[] = operations.map(({ name, call }) => [
  `${name}: the events of the observers`,
  async () => {
    const events: unknown[] = [];
    const note = (event: unknown) => events.push(event);
    let count = 0;
    const fetch: Fetch = async () => {
      count += 1;
      return Response.json(echo, { status: count < 3 ? 429 : 500, headers: { 'retry-after': '0' } });
    };
    const options = { maxRetries: 2, onRequest: note, onResponse: note, onRetry: note };
    await call(clientWith(fetch, options)).catch(note);
    return events;
  },
]);

/** Calls of `client.request` whose path, query, body and answers are full of marks, in every spelling of a URL. */
const undocumented: Path[] = [encodeURIComponent, encodeURI, allPercentEncoded].flatMap((encode) =>
  [400, 401, 404, 500].map(
    (status): Path => [
      `client.request: HTTP ${status} for a path with the credentials, by ${encode.name}`,
      async () => {
        const events: unknown[] = [];
        const note = (event: unknown) => events.push(event);
        const answer = {
          ...echo,
          errors: [
            { field: apiToken, message: cpf },
            { field: encode(apiKey) },
            { field: `x.${cpf} ${email}` },
          ],
        };
        const headers = { 'x-request-id': encode(`${apiKey}/${apiToken}`) };
        const client = clientWith(async () => Response.json(answer, { status, headers }), {
          onRequest: note,
          onResponse: note,
          onRetry: note,
        });
        const path = `/v1/${encode(apiKey)}/${encode(apiToken)}`;
        await client
          .request({ method: 'POST', path, query: { cpf, email }, body: { ...echo, account } })
          .catch(note);
        return events;
      },
    ],
  ),
);

/** `%41` for `A`: URLs may write every character so. */
function allPercentEncoded(text: string): string {
  return [...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');
}

const objects: Path[] = [
  [
    'PaymentsClient: a client, before and after calls',
    async () => {
      const client = clientWith(async () => Response.json(echo, { status: 400 }));
      const before = new PaymentsClient({ baseUrl, ...credentials });
      await client.getTransaction(cpf).catch(() => undefined);
      return [client, before];
    },
  ],
];

export const clientPaths: readonly Path[] = [
  ...answered,
  ...failed,
  ...onTheWire,
  ...requests,
  ...helpers,
  ...observers,
  ...undocumented,
  ...objects,
];
