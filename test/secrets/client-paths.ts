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
import { type Paths, pathsOver } from './path';

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

const redirect = (status: number, location: string) => () =>
  new Response(text, { status, headers: { location } });
const quoting = { 'retry-after': '999', 'x-echo': apiToken };

const answers: Readonly<Record<string, () => Response>> = {
  ...Object.fromEntries(
    [400, 401, 403, 404, 409, 422, 429, 500, 503].map((status) => [
      `HTTP ${status}`,
      () => Response.json(echo, { status, headers: quoting }),
    ]),
  ),
  'a redirect to a host name with the credentials': redirect(
    302,
    `https://${apiKey}.${apiToken}.example/${cpf}`,
  ),
  'a redirect with user-info': redirect(307, `https://${apiKey}:${apiToken}@other.example`),
  'a redirect to an invalid URL': redirect(301, `http://[${apiKey}`),
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

type Options = Partial<PaymentsClientOptions>;

const clientOf = (url: string, options: Options = {}) =>
  new PaymentsClient({ baseUrl: url, ...credentials, maxRetries: 0, maxResponseBytes: 4_096, ...options });

const clientWith = (fetch: Fetch, options: Options = {}) => clientOf(baseUrl, { fetch, ...options });

const ofOperations = operations.map(
  ({ name, call }): Paths => ({
    ...pathsOver(name, answers, (answer) =>
      // The value of a success is the merchant's data, which is meant to be read.
      call(clientWith(async () => answer())).then(() => 'a success'),
    ),
    ...pathsOver(`${name}: fetch throws`, failures, (failure) =>
      call(clientWith(async (_, init) => Promise.reject(failure(init)))),
    ),
    [`${name}: refused`]: async () => call(clientOf(`http://127.0.0.1:${await unusedPort()}`)),
    [`${name}: a response that never comes`]: async () => {
      const { url } = await startHttpServer(stall);
      return call(clientOf(url, { timeoutMs: 50 }));
    },
    [`${name}: an echo of everything over HTTP`]: async () => {
      const { url } = await startHttpServer(reply(400, echo, { [apiToken]: apiKey, 'x-echo': text }));
      return call(clientOf(url));
    },
    [`${name}: aborted`]: () => {
      const controller = new AbortController();
      const client = clientWith(() => new Promise(() => controller.abort()));
      return call(client, { signal: controller.signal });
    },
    [`${name}: the events of the observers`]: () => {
      let count = 0;
      const fetch: Fetch = async () => {
        count += 1;
        return Response.json(echo, { status: count < 3 ? 429 : 500, headers: { 'retry-after': '0' } });
      };
      return eventsOf(fetch, (client) => call(client), { maxRetries: 2 });
    },
  }),
);

/** Everything that a client's observers are told of a call, and its error. */
async function eventsOf(
  fetch: Fetch,
  call: (client: PaymentsClient) => Promise<unknown>,
  options: Options = {},
): Promise<unknown[]> {
  const events: unknown[] = [];
  const note = (event: unknown) => events.push(event);
  await call(clientWith(fetch, { onRequest: note, onResponse: note, onRetry: note, ...options })).catch(note);
  return events;
}

const { createRecurringCheckout } = PaymentsClient.prototype;
type Order = Parameters<typeof createRecurringCheckout>[0];
const never = clientWith(() => Promise.reject(new Error('a request was sent')));
const refused = clientWith(async () => Response.json(echo, { status: 400 }));
const cyclic: Record<string, unknown> = { [email]: cpf };
cyclic['self'] = cyclic;

const orders: Readonly<Record<string, unknown>> = {
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
};

const schemas = [
  recurringCheckoutRequestSchema,
  recurringCheckoutSchema,
  scheduledPaymentCancellationRequestSchema,
  scheduledPaymentCancellationSchema,
  transactionSchema,
];

const notification = { kind: 'payment', payload: { saleToken: 't', newStatus: 'PAID' } } as const;

const others: Paths = {
  ...pathsOver('createRecurringCheckout', orders, (order) => never.createRecurringCheckout(order as Order)),
  'createRecurringCheckout: extraFields of wrong types': () =>
    never.createRecurringCheckout(checkoutRequest(), {
      extraFields: { shopper: { email: { [email]: cpf } }, currency: account },
    }),
  'getTransaction: half a character': () => never.getTransaction(`${cpf}\ud800`),
  'getTransaction: not a string': () => never.getTransaction({ [cpf]: email } as never),
  'cancelScheduledPayment: a reason of another type': () =>
    never.cancelScheduledPayment(cpf, { reason: { [cpf]: email } as never }),
  'getTransaction: an invalid limit': () => never.getTransaction('t', { timeoutMs: cpf as never }),
  decodeQrCode: () => decodeQrCode(`data:image/png;base64,${email}!`),
  'parseDateTime: value': () => parseDateTime(`${cpf} ${email}`, 'America/Sao_Paulo'),
  'parseDateTime: zone': () => parseDateTime('2026-11-21 09:30:00', `${email}/${cpf}`),
  amountFromMinorUnits: () => amountFromMinorUnits(Number(`${cpf}.5`), email),
  'toMinorUnits: amount': () => toMinorUnits(Number(`${cpf}.555`), 'BRL'),
  'toMinorUnits: currency': () => toMinorUnits(cpf as unknown as number, email),
  'confirmPayment: not a payment': () =>
    confirmPayment(never, { kind: cpf as never, payload: { saleToken: email, newStatus: cpf } }),
  'confirmPayment: the query fails': () => confirmPayment(refused, notification),
  async 'reconcile: the query fails'() {
    for await (const { error } of reconcile(refused, ['t'])) return error;
  },
  ...pathsOver('the public schema of the client', schemas, (schema) => {
    const given = { ...(wrongTypes(checkoutRequest()) as object), ...echo, status: cpf };
    const result = schema['~standard'].validate(given);
    // The value is the merchant's data, which is meant to be read.
    return [Reflect.get(result, 'issues'), Reflect.get(result, 'leftOut')];
  }),
  async 'PaymentsClient: a client, before and after calls'() {
    const client = clientWith(async () => Response.json(echo, { status: 400 }));
    const before = new PaymentsClient({ baseUrl, ...credentials });
    await client.getTransaction(cpf).catch(() => undefined);
    return [client, before];
  },
};

/** Calls of `client.request` whose path, query, body and answers are full of marks, in every spelling of a URL. */
const undocumented = [encodeURIComponent, encodeURI, allPercentEncoded].map((encode) => {
  const path = `/v1/${encode(apiKey)}/${encode(apiToken)}`;
  const errors = [
    { field: apiToken, message: cpf },
    { field: encode(apiKey) },
    { field: `x.${cpf} ${email}` },
  ];
  const headers = { 'x-request-id': encode(`${apiKey}/${apiToken}`) };
  return pathsOver(
    `client.request: a path with the credentials, by ${encode.name}`,
    { 'HTTP 400': 400, 'HTTP 401': 401, 'HTTP 404': 404, 'HTTP 500': 500 },
    (status) =>
      eventsOf(
        async () => Response.json({ ...echo, errors }, { status, headers }),
        (client) =>
          client.request({ method: 'POST', path, query: { cpf, email }, body: { ...echo, account } }),
      ),
  );
});

/** `%41` for `A`: URLs may write every character so. */
function allPercentEncoded(text: string): string {
  return [...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');
}

export const clientPaths: Paths = Object.assign({}, others, ...ofOperations, ...undocumented);
