// The checks that run on every runtime. They use only the web platform in plain JavaScript: no `node:` modules, no
// `Deno`, no `Bun`. `world.service` is the URL of the test’s service (../test-service.ts), whose paths say how it
// answers.
import * as imported from 'pix-automatic-sdk';
import * as importedWebhooks from 'pix-automatic-sdk/webhooks';

/** Part of every secret and of nothing else, so that one search finds any leak. */
const MARK = 'M4RK';
const apiKey = `key-${MARK}`;
const apiToken = `token:${MARK}-é`;
const credentials = { apiKey, apiToken };
// Base64 of the UTF-8 of `key-M4RK:token:M4RK-é`, written out because the encoder is under test.
const authorization = 'Basic a2V5LU00Uks6dG9rZW46TTRSSy3DqQ==';

const uuid = '0b9c5a7e-1f0a-4f2e-9a53-6d2f0c1b2a3d';
const checkout = {
  currency: 'BRL',
  referenceCode: 'pedido-ção-1',
  amount: 59.7,
  shopper: { name: 'Ana', document: { type: 'CPF', number: '00000000000' } },
  recurrence: { immediatePayment: true, amount: { recurrenceAmount: 29.9 } },
};
const payment = { saleToken: uuid, newStatus: 'PAID', amount: 59.7, currency: 'BRL' };

/** Runs every check, and returns what is wrong with each: `null`, or a text. */
export async function runSuite(world) {
  const context = { sdk: imported, webhooks: importedWebhooks, inspect: () => '', errors: [], ...world };
  const results = [];
  for (const [name, check] of Object.entries(checks)) {
    try {
      await withinSeconds(20, check(context));
      results.push({ name, problem: null });
    } catch (error) {
      results.push({ name, problem: String(error?.stack ?? error) });
    }
  }
  return results;
}

/** A time limit, so that the report names a check that hangs. */
async function withinSeconds(seconds, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`took longer than ${seconds} s`)), seconds * 1000);
  });
  await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

const checks = {
  async 'createRecurringCheckout sends exactly its method, path, headers and body'(world) {
    const { client, seen } = connect(world, 'ok');
    const { response } = await client.createRecurringCheckout(checkout);
    equal(response.uuid, uuid);
    const [request, ...more] = await seen();
    equal(more, []);
    equal([request.method, request.path], ['POST', '/v1.1/checkout/pix-automatic']);
    equal(ownHeaders(request), { ...expectedHeaders(world), 'content-type': 'application/json' });
    equal(request.body, JSON.stringify(checkout));
  },

  async 'getTransaction sends exactly its method, path and headers'(world) {
    const { client, seen } = connect(world, 'ok');
    const transaction = await client.getTransaction('a/b ü');
    equal(transaction.situation, 'PAID');
    const [request] = await seen();
    equal([request.method, request.path], ['GET', '/v1.1/transactions/a%2Fb%20%C3%BC']);
    equal(ownHeaders(request), expectedHeaders(world));
    equal(request.body, '');
  },

  async 'cancelScheduledPayment sends exactly its method, path, headers and body'(world) {
    const { client, seen } = connect(world, 'ok');
    equal((await client.cancelScheduledPayment('i-1', { reason: 'não quero' })).status, 0);
    const [request] = await seen();
    equal([request.method, request.path], ['PUT', '/v1.1/pix-automatic/scheduled-payments/i-1/cancel']);
    equal(ownHeaders(request), { ...expectedHeaders(world), 'content-type': 'application/json' });
    equal(request.body, '{"reason":"não quero"}');
  },

  async 'a query is tried again after 429 and 503'(world) {
    const { client, seen } = connect(world, '429.503.ok');
    equal((await client.getTransaction('t-1')).uuid, 't-1');
    equal((await seen()).length, 3);
  },

  async 'a journey is tried again after 429'(world) {
    const { client, seen } = connect(world, '429.ok');
    await client.createRecurringCheckout(checkout);
    const bodies = (await seen()).map(({ body }) => body);
    equal(bodies, [JSON.stringify(checkout), JSON.stringify(checkout)]);
  },

  async 'a journey that is answered 503 is sent once, and its outcome is unknown'(world) {
    const { client, seen } = connect(world, '503.ok');
    const error = await failure(world, client.createRecurringCheckout(checkout));
    isA(world, error, 'ApiError');
    equal([error.httpStatus, error.outcome, error.attempts], [503, 'unknown', 1]);
    equal((await seen()).length, 1);
  },

  async 'a refusal keeps its body'(world) {
    const { client } = connect(world, '422');
    const error = await failure(world, client.createRecurringCheckout(checkout));
    isA(world, error, 'ApiError');
    equal([error.httpStatus, error.outcome, error.body.message], [422, 'refused', 'no']);
  },

  // Node 25.9 hides it, because the body of the request is a stream.
  async 'a 401 refuses a journey'(world) {
    const { client } = connect(world, '401');
    const error = await failure(world, client.createRecurringCheckout(checkout));
    isA(world, error, 'ApiError');
    equal([error.httpStatus, error.outcome, error.attempts], [401, 'refused', 1]);
  },

  'a refused connection fails as the platform reports it': (world) =>
    cannotConnect(world, world.refused, world.expected.refused),

  'a name that does not resolve fails as the platform reports it': (world) =>
    cannotConnect(world, 'https://pix-automatic-sdk.invalid', world.expected.unresolved),

  'an untrusted certificate fails as the platform reports it': (world) =>
    cannotConnect(world, world.untrusted, world.expected.untrusted),

  async 'a lost connection leaves the outcome of a change unknown, and the call is not repeated'(world) {
    for (const step of ['close', 'reset']) {
      const calls = {
        POST: (client) => client.createRecurringCheckout(checkout),
        PUT: (client) => client.cancelScheduledPayment('i-1', { reason: 'r' }),
      };
      for (const [method, call] of Object.entries(calls)) {
        const { client, seen } = connect(world, `ok.${step}`);
        // Leaves a kept connection behind, which some platforms use for the next call, and then send that call again.
        await client.getTransaction('t-1');
        const error = await failure(world, call(client));
        isA(world, error, 'ConnectionError');
        equal([error.outcome, error.attempts], ['unknown', 1]);
        equal(
          (await seen()).map((request) => request.method),
          ['GET', method],
        );
      }
    }
  },

  async 'a query survives a connection that is lost'(world) {
    const { client, seen } = connect(world, 'reset.ok');
    equal((await client.getTransaction('t-1')).uuid, 't-1');
    equal((await seen()).length, 2);
  },

  async 'a body that stalls is given up after timeoutMs'(world) {
    const { client } = connect(world, 'stall', { timeoutMs: 300, maxRetries: 0 });
    const startedAt = Date.now();
    const error = await failure(world, client.createRecurringCheckout(checkout));
    isA(world, error, 'TimeoutError');
    equal(error.outcome, 'unknown');
    assert(Date.now() - startedAt < 3_000, `took ${Date.now() - startedAt} ms`);
  },

  async 'headers that never come are given up after totalTimeoutMs'(world) {
    const { client } = connect(world, 'silence', { totalTimeoutMs: 300 });
    const error = await failure(world, client.getTransaction('t-1'));
    isA(world, error, 'TimeoutError');
    assert(error.message.includes('totalTimeoutMs'), error.message);
  },

  async 'a redirect to another origin is not followed'(world) {
    const { client, seen } = connect(world, 'redirect');
    const calls = [() => client.getTransaction('t-1'), () => client.createRecurringCheckout(checkout)];
    for (const call of calls) {
      const error = await failure(world, call());
      isA(world, error, 'ApiError');
      equal([error.httpStatus, error.outcome], [307, 'unknown']);
    }
    const methods = (await seen()).map(({ method }) => method);
    equal(methods, ['GET', 'POST']);
    equal(await (await fetch(`${world.service}/seen/elsewhere`)).json(), []);
  },

  async 'an abort ends the call at once, with its reason as the cause'(world) {
    const { client } = connect(world, 'silence');
    const controller = new AbortController();
    const reason = new Error('the customer left');
    setTimeout(() => controller.abort(reason), 100);
    const error = await failure(
      world,
      client.createRecurringCheckout(checkout, { signal: controller.signal }),
    );
    isA(world, error, 'AbortedError');
    assert(error.cause === reason, 'the cause is another');
    equal([error.name, error.outcome], ['AbortError', 'unknown']);
  },

  async 'a signal that has fired sends nothing'(world) {
    const { client, seen } = connect(world, 'ok');
    const error = await failure(
      world,
      client.createRecurringCheckout(checkout, { signal: AbortSignal.abort('no') }),
    );
    isA(world, error, 'AbortedError');
    equal([error.cause, error.outcome], ['no', 'not-sent']);
    equal(await seen(), []);
  },

  async 'an answer above maxResponseBytes is cut off'(world) {
    const { client } = connect(world, 'endless', { maxResponseBytes: 100_000 });
    const error = await failure(world, client.getTransaction('t-1'));
    isA(world, error, 'InvalidResponseError');
  },

  async 'a request that cannot be right is not sent'(world) {
    const { client, seen } = connect(world, 'ok');
    const error = await failure(world, client.createRecurringCheckout({ ...checkout, amount: 3 * 19.9 }));
    isA(world, error, 'InvalidRequestError');
    equal(error.issues[0].path, ['amount']);
    equal(await seen(), []);
  },

  async 'observers see each attempt'(world) {
    const events = [];
    const { client, seen } = connect(world, '503.503.ok', {
      onResponse: ({ attempt, status }) => events.push([attempt, status]),
    });
    await client.getTransaction('t-1');
    equal(events, [
      [1, 503],
      [2, 503],
      [3, 200],
    ]);
    equal((await seen()).length, 3);
  },

  async 'credentials that cannot work are refused without being shown'(world) {
    const { PaymentsClient } = world.sdk;
    const make = async () =>
      new PaymentsClient({ baseUrl: 'https://api.example.com', apiKey: `${apiKey}\n`, apiToken });
    isA(world, await failure(world, make()), 'ConfigurationError');
  },

  async 'dates and amounts are converted'({ sdk }) {
    const { amountFromMinorUnits, decodeQrCode, parseDateTime, toMinorUnits } = sdk;
    equal(amountFromMinorUnits(5970, 'BRL'), 59.7);
    equal(toMinorUnits(59.7, 'BRL'), 5970);
    equal(
      parseDateTime('2026-11-21 09:30:00', 'America/Sao_Paulo').toISOString(),
      '2026-11-21T12:30:00.000Z',
    );
    equal(decodeQrCode({ base64: 'iVBORw0KGgo=' }).mediaType, 'image/png');
    equal(decodeQrCode({ plain: '00020126' }), undefined);
  },

  'verifyAuthorization tells the right credentials from others'({ webhooks }) {
    const { verifyAuthorization, checkAuthorization } = webhooks;
    equal(verifyAuthorization(authorization, credentials), true);
    equal(checkAuthorization(authorization, [{ apiKey: 'old', apiToken: 'old' }, credentials]).index, 1);
    equal(verifyAuthorization(authorization.replace('a2V5', 'a2V6'), credentials), false);
    equal(verifyAuthorization(null, credentials), false);
  },

  'parseNotification tells the kinds, from text, bytes and objects'({ webhooks: { parseNotification } }) {
    const text = JSON.stringify(payment);
    for (const body of [text, new TextEncoder().encode(text), payment]) {
      const { kind, key } = parseNotification({ body });
      equal([kind, key], ['payment', `payment:${uuid}:PAID`]);
    }
    const refund = { saleToken: uuid, status: 'PAID', refund: { uuid: 'r-1' } };
    equal(parseNotification({ url: '/hook?type=refund', body: refund }).key, 'refund:r-1:PAID');
  },

  async 'constructNotification verifies, then parses'(world) {
    const { constructNotification } = world.webhooks;
    equal(constructNotification({ authorization, body: payment }, credentials).kind, 'payment');
    const construct = async (input) => constructNotification(input, credentials);
    const unknown = await failure(world, construct({ authorization: 'Basic eDp5', body: payment }));
    isA(world, unknown, 'WebhookAuthenticationError');
    const unreadable = await failure(world, construct({ authorization, body: '[1]' }));
    isA(world, unreadable, 'InvalidNotificationError');
  },

  'an unrecognized body has the same key everywhere'({ webhooks: { parseNotification } }) {
    const { kind, key } = parseNotification({ body: '{"b":"ção","a":[1e21,0.1,"\\u2028"]}' });
    equal(kind, 'unrecognized');
    // Made with `sha256sum` of the JSON {"b":"ção","a":[1e+21,0.1,"\u2028"]}, with the line separator unescaped.
    equal(key, 'unrecognized:969c048e93572eebb97289ada4217c6df9874a9ca6268634bd148337fb96efca');
  },

  async 'the handler answers 200, and does not act twice'(world) {
    const { acted, send } = listen(world);
    const [first, second] = [await send(payment), await send(payment)];
    equal([first.status, await first.text(), second.status], [200, 'OK', 200]);
    equal(acted, [`payment:${uuid}:PAID`]);
  },

  async 'the handler answers 401, 405 and 400 without acting'(world) {
    const { acted, send, reports } = listen(world);
    const refused = await send(payment, { headers: { authorization: 'Basic eDp5' } });
    equal([refused.status, refused.headers.get('www-authenticate')?.slice(0, 5)], [401, 'Basic']);
    equal((await send(undefined, { method: 'GET' })).status, 405);
    equal((await send('{"saleToken":')).status, 400);
    equal(acted, []);
    equal(
      reports.map(({ code }) => code),
      ['unauthorized', 'method_not_allowed', 'invalid_body'],
    );
  },

  async 'the handler answers 413 to a body that grows too large'(world) {
    const { acted, send } = listen(world, { maxBodyBytes: 1000 });
    const body = stream((controller) => controller.enqueue(new Uint8Array(600).fill(32)));
    equal((await send(body)).status, 413);
    equal(acted, []);
  },

  async 'the handler answers 408 to a body that does not end'(world) {
    const { acted, send } = listen(world, { bodyTimeoutMs: 100 });
    // This pull never ends, so the stream waits for ever.
    equal((await send(stream(() => new Promise(() => undefined)))).status, 408);
    equal(acted, []);
  },

  async 'the handler answers 503 while another has the subject'(world) {
    const { acted, send } = listen(world);
    const slow = { ...payment, saleToken: 'slow-1' };
    const answers = await Promise.all([send(slow), send(slow)]);
    equal(answers.map(({ status }) => status).sort(), [200, 503]);
    equal(answers.find(({ status }) => status === 503).headers.get('retry-after'), '5');
    equal(acted, ['payment:slow-1:PAID']);
  },

  async 'the handler answers 500 when the callback throws, and acts the next time'(world) {
    const { acted, send } = listen(world);
    const failing = { ...payment, saleToken: 'fails-once' };
    equal([(await send(failing)).status, (await send(failing)).status], [500, 200]);
    equal(acted, ['payment:fails-once:PAID']);
  },

  async 'a handler that drains answers 503'(world) {
    const { handler, send } = listen(world);
    await handler.drain();
    equal((await send(payment)).status, 503);
  },

  'no error, and nothing made of one, holds a credential'({ errors, inspect }) {
    assert(errors.length > 15, `only ${errors.length} errors were seen`);
    for (const error of errors) {
      const shown = [...everythingOf(error), inspect(error)].join('\n');
      assert(!shown.includes(MARK), `shown by ${error.name}: ${error.message}`);
    }
  },
};

let connections = 0;

/** A client whose requests are answered one after another as the script says, and the requests that the service saw. */
function connect({ sdk, service }, script, options = {}) {
  connections += 1;
  const id = `${Date.now().toString(36)}-${connections}`;
  const baseUrl = `${service}/${id}/${script}`;
  const client = new sdk.PaymentsClient({ baseUrl, ...credentials, ...options });
  return { client, seen: async () => (await fetch(`${service}/seen/${id}`)).json() };
}

async function cannotConnect(world, baseUrl, { outcome, reason }) {
  const client = new world.sdk.PaymentsClient({ baseUrl, ...credentials, maxRetries: 1 });
  const error = await failure(world, client.createRecurringCheckout(checkout));
  isA(world, error, 'ConnectionError');
  equal(
    { outcome: error.outcome, reason: error.reason ?? null, attempts: error.attempts },
    { outcome, reason, attempts: 1 },
  );
}

/** A handler that acts on payments, and a function that sends it a request. */
function listen({ webhooks }, options = {}) {
  const acted = [];
  const reports = [];
  let failed = false;
  const handler = webhooks.createWebhookHandler({
    credentials,
    on: {
      async payment({ payload: { saleToken } }, { key }) {
        if (saleToken.startsWith('slow')) await new Promise((resolve) => setTimeout(resolve, 150));
        if (saleToken === 'fails-once' && !failed) {
          failed = true;
          throw new Error('the database is away');
        }
        acted.push(key);
      },
    },
    onReport: (report) => reports.push(report),
    ...options,
  });
  const send = (notification, { method = 'POST', headers } = {}) => {
    const isBody = typeof notification === 'string' || notification instanceof ReadableStream;
    const request = new Request('https://shop.example.com/hook', {
      method,
      headers: { authorization, 'content-type': 'application/json', ...headers },
      ...(notification === undefined ? {} : { body: isBody ? notification : JSON.stringify(notification) }),
      ...(notification instanceof ReadableStream ? { duplex: 'half' } : {}),
    });
    return handler(request);
  };
  return { handler, acted, reports, send };
}

function stream(pull) {
  return new ReadableStream({ pull });
}

function expectedHeaders({ sdk, expected }) {
  return {
    accept: 'application/json',
    'user-agent': `pix-automatic-sdk/${sdk.VERSION}`,
    'x-api-key': apiKey,
    // Node reads headers as Latin-1, byte by byte.
    'x-api-token': expected.utf8Headers ? apiToken.replace('é', 'Ã©') : apiToken,
  };
}

/** The headers that the client decides. */
function ownHeaders({ headers }) {
  const names = ['accept', 'content-type', 'user-agent', 'x-api-key', 'x-api-token', 'authorization'];
  return Object.fromEntries(names.flatMap((name) => (name in headers ? [[name, headers[name]]] : [])));
}

/** The error of a rejected promise. It is kept for the last check, which searches for credentials. */
async function failure({ errors }, promise) {
  const error = await promise.then(
    () => {
      throw new Error('nothing was thrown');
    },
    (thrown) => thrown,
  );
  errors.push(error);
  return error;
}

function isA({ sdk, webhooks }, error, name) {
  const classes = { ...webhooks, ...sdk };
  assert(error instanceof classes[name], `expected ${name}, got ${error?.stack ?? error}`);
  assert(error instanceof sdk.PaymentsError && error instanceof Error, 'is no PaymentsError');
  const others = Object.keys(classes).filter((other) => other.endsWith('Error') && other !== name);
  equal(
    others.filter((other) => error instanceof classes[other]),
    ['PaymentsError'],
  );
}

function* everythingOf(value, depth = 0) {
  yield String(value);
  if (typeof value !== 'object' || value === null || depth > 5) return;
  yield JSON.stringify(value);
  for (const key of Reflect.ownKeys(value)) yield* everythingOf(value[key], depth + 1);
}

function assert(holds, message) {
  if (!holds) throw new Error(message);
}

/** Compares as JSON, with the members of objects sorted. */
function equal(actual, expected) {
  const [got, wanted] = [sorted(actual), sorted(expected)].map((value) => JSON.stringify(value));
  assert(got === wanted, `expected ${wanted}, got ${got}`);
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}
