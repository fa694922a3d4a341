import { http } from 'msw';
import { setupServer } from 'msw/node';
import { type Fault, sequentialIds, startSandbox } from 'pix-automatic-sdk/sandbox';
import { fakeClock, mockService } from 'pix-automatic-sdk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { credentials, headers, openListener, order, type Received, readJson } from './helpers';

// The HTTP server and the msw handlers share the model, the faults and the deliveries, which have tests of their own.
// Each reads requests and writes answers by itself: these are the same calls over both, and what must come back.

const options = () => ({ credentials, inventions: { maxBodyBytes: 5_000 }, ids: sequentialIds() });
const authorization = `Basic ${btoa(`${credentials.apiKey}:${credentials.apiToken}`)}`;

async function overHttp() {
  const { url: webhookUrl, received } = await openListener();
  const service = await startSandbox({ ...options(), webhookUrl });
  onTestFinished(() => service.close());
  return { service, received };
}

async function overMsw() {
  const received: Received[] = [];
  const service = mockService({
    ...options(),
    http,
    webhookUrl: 'https://merchant.example/hooks',
    clock: fakeClock(),
    async deliverTo(request) {
      const { pathname, search } = new URL(request.url);
      const sent = { headers: Object.fromEntries(request.headers), body: await request.text() };
      received.push({ method: request.method, url: pathname + search, ...sent });
      return new Response();
    },
  });
  const server = setupServer(...service.handlers);
  server.listen({ onUnhandledRequest: 'error' });
  onTestFinished(async () => {
    server.close();
    await service.close();
  });
  return { service, received };
}

/** The id of the first journey. */
const uuid = '00000000-0000-4000-8000-000000000001';
const checkout = '/v1.1/checkout/pix-automatic';
const transaction = `/v1.1/transactions/${uuid}`;
const cancellation = '/v1.1/pix-automatic/scheduled-payments/nope/cancel';
const image = `/sandbox/qr-codes/${uuid}.png`;

/** A call, and the fault that it meets. By default it queries the first journey. */
interface Call {
  readonly path?: string;
  readonly method?: string;
  readonly body?: object;
  readonly headers?: Record<string, string>;
  readonly fault?: Fault;
}

const post = (body: object, changed: Record<string, string> = {}): Call => {
  return { method: 'POST', path: checkout, body, headers: changed };
};

/** What came back in one line: the status, the headers, and how much of the body, by its `content-length`. */
async function trace(
  url: string,
  { path = transaction, method = 'GET', body, headers: changed, fault }: Call,
) {
  const stop = new AbortController();
  const init = { method, headers: { ...headers, ...changed }, signal: stop.signal };
  const sent = body === undefined ? init : { ...init, body: JSON.stringify(body) };
  const answer = await fetch(url + path, sent).catch(() => undefined);
  if (answer === undefined) return 'no answer';
  const shown = ['content-type', 'allow', 'retry-after', 'x-sandbox-invention'].map((name) =>
    answer.headers.get(name),
  );
  const length = Number(answer.headers.get('content-length') ?? Number.NaN);
  let size = 0;
  const ending = async () => {
    for await (const chunk of answer.body ?? []) {
      size += chunk.length;
      // Half a body either ends at once or never; after 5 s, Node would close a connection that is done.
      if (size === Math.floor(length / 2))
        setTimeout(() => stop.abort(), fault?.kind === 'stalled-body' ? 0 : 2_000);
    }
    return size === length ? 'whole' : `${size} of ${length} bytes`;
  };
  const failed = (error: Error) => (error.name === 'AbortError' ? 'half, and then nothing' : 'lost');
  return [answer.status, ...shown.filter(Boolean), await ending().catch(failed)].join(' ');
}

describe.each([
  ['the HTTP server', overHttp],
  ['the msw handlers', overMsw],
])('%s', (_name, open) => {
  it.each<[what: string, call: Call, expected: string]>([
    ['a call', {}, '200 application/json whole'],
    ['a query after the path', { path: `${transaction}?a=1` }, '200 application/json whole'],
    ['a slash in an id', { path: `${transaction}%2Fb` }, '404 application/json unknownTransaction whole'],
    ['a lone %', { path: '/v1.1/transactions/%' }, '404 application/json unknownPath whole'],
    ['another method', { method: 'DELETE' }, '405 application/json GET wrongMethod whole'],
    ['an image', { path: image }, '200 image/png whole'],
    ['a body beyond ASCII', post({ ...order, note: 'é🏠' }), '200 application/json whole'],
    [
      'fewer characters than the limit, but more bytes',
      post({ ...order, note: 'é'.repeat(2_500) }),
      '413 application/json bodyTooLarge whole',
    ],
    ['a wrong token', { headers: { 'x-api-token': 'other' } }, '401 application/json wrongCredentials whole'],
    [
      'another media type',
      post(order, { 'content-type': 'application/jsonp' }),
      '415 application/json wrongMediaType whole',
    ],
    [
      'another media type of a cancellation',
      { method: 'PUT', path: cancellation, body: { reason: 'x' }, headers: { 'content-type': 'text/plain' } },
      '415 application/json wrongMediaType whole',
    ],
    [
      'a media type in other case',
      post(order, { 'content-type': 'Application/JSON; charset=utf-8' }),
      '200 application/json whole',
    ],
    [
      'a status with headers',
      { fault: { kind: 'status', status: 429, body: '', headers: { 'retry-after': '7' } } },
      '429 application/json 7 whole',
    ],
    ['latency', { fault: { kind: 'latency', ms: 5 } }, '200 application/json whole'],
    ['a reset before it is read', { fault: { kind: 'reset-before-read' } }, 'no answer'],
    ['a reset afterwards', { fault: { kind: 'reset-after-read' } }, 'no answer'],
    ['half a body', { fault: { kind: 'truncated-body' } }, '200 application/json lost'],
    [
      'half a body that stalls',
      { fault: { kind: 'stalled-body' } },
      '200 application/json half, and then nothing',
    ],
    // msw has no connection that could close.
    ['a close afterwards', { fault: { kind: 'close-after-answer' } }, '200 application/json whole'],
  ])('answers to %s', async (_what, call, expected) => {
    const { service } = await open();
    service.createTestJourney();
    if (call.fault) service.fault('getTransaction', call.fault);
    expect(await trace(service.url, call)).toBe(expected);
  });

  it('reads and writes text beyond ASCII, and sends an image as it is', async () => {
    const { service } = await open();
    const body = JSON.stringify({ ...order, referenceCode: 'café-🏠' });
    const created = await fetch(service.url + checkout, { method: 'POST', headers, body });
    const { qrCode } = (await readJson(created)).response.instructions;
    const queried = await readJson(await fetch(service.url + transaction, { headers }));
    expect(queried.referenceCode).toBe('café-🏠');
    const picture = await (await fetch(qrCode.url)).arrayBuffer();
    expect(Buffer.from(picture).toString('base64')).toBe(qrCode.base64);
  });

  it('delivers a notification, and delivers it again, with the same bytes', async () => {
    const { service, received } = await open();
    service.setWebhookUrl(`${service.webhookUrl}?tenant=1`);
    service.notify({ name: 'café-🏠' }, 'type=own');
    await service.idle();
    expect((await service.redeliver('delivery-1')).httpStatus).toBe(200);
    const sent = expect.objectContaining({
      method: 'POST',
      url: '/hooks?tenant=1&type=own',
      body: '{"name":"café-🏠"}',
      headers: expect.objectContaining({ authorization, 'content-type': 'application/json' }),
    });
    expect(received).toEqual([sent, sent]);
  });
});
