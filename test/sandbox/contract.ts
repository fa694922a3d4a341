import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, Sandbox } from 'pix-automatic-sdk/sandbox';
import type { MockService } from 'pix-automatic-sdk/testing';
import { headers, order, type Received } from './helpers';

/** The service, over HTTP or over msw, with a merchant’s listener behind it. */
export interface Target {
  readonly service: Sandbox | MockService<unknown>;
  call(path: string, init: RequestInit): Promise<Response>;
  /** Where the listener is. */
  readonly listenerUrl: string;
  /** What the listener got. */
  readonly received: readonly Received[];
}

/** What happened in a scenario, which must be the same for both targets. */
export type Transcript = unknown[];

export type Scenario = (target: Target, transcript: Transcript) => Promise<void>;

/** The largest body that both accept. */
export const MAX_BODY_BYTES = 5_000;

/** Ids are sequential, so the first journey always has this one, and the first scheduled payment the next. */
const uuid = '00000000-0000-4000-8000-000000000001';
const instructionId = '00000000-0000-4000-8000-000000000002';

const checkout = '/v1.1/checkout/pix-automatic';
const transaction = `/v1.1/transactions/${uuid}`;
const cancellation = `/v1.1/pix-automatic/scheduled-payments/${instructionId}/cancel`;
const reason = '{"reason":"moved house"}';
const withoutCharge = { ...order, amount: undefined, recurrence: { immediatePayment: false } };

const wrongCredentials: Record<string, string>[] = [{ 'x-api-key': '' }, { 'x-api-token': 'other' }];

/** What the HTTP server and the msw handlers must do alike. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  'a journey': calls(['POST', checkout, order], ['GET', transaction], ['GET', `${transaction}?a=1`]),
  'a journey without an immediate charge': calls(['POST', checkout, withoutCharge], ['GET', transaction]),
  'text beyond ASCII': calls(
    ['POST', checkout, { ...order, referenceCode: 'café-🏠' }],
    ['GET', transaction],
  ),
  'the image of a QR code': calls(
    ['POST', checkout, order],
    ['GET', `/sandbox/qr-codes/${uuid}.png`],
    ['GET', '/sandbox/qr-codes/nope.png'],
  ),
  'invalid bodies': calls(
    ...['', '{', 'null', '[]', '{}', { ...order, amount: '59.70' }, { ...order, amount: 0.001 }].map(
      (body): Call => ['POST', checkout, body],
    ),
    ['PUT', cancellation, '{}'],
  ),
  'a body that is too large': calls(['POST', checkout, { ...order, note: 'é'.repeat(MAX_BODY_BYTES / 2) }]),
  'wrong credentials': calls(
    ...wrongCredentials.flatMap((change): Call[] => [
      ['POST', checkout, order, change],
      ['GET', transaction, undefined, change],
      ['PUT', cancellation, reason, change],
    ]),
  ),
  'media types': calls(
    ['POST', checkout, order, { 'content-type': 'text/plain' }],
    ['PUT', cancellation, reason, { 'content-type': 'application/jsonp' }],
    ['POST', checkout, order, { 'content-type': 'Application/JSON; charset=utf-8' }],
  ),
  'paths and methods': calls(
    ['GET', '/elsewhere'],
    ['GET', '/v1.1/transactions'],
    ['GET', '/v1.1/transactions/a/b'],
    ['GET', '/v1.1/transactions/%'],
    ['GET', '/v1.1/transactions/a%2Fb'],
    ['GET', checkout],
    ['DELETE', transaction],
    ['PATCH', cancellation, reason],
  ),
  'unknown ids': calls(['GET', transaction], ['PUT', cancellation, reason]),

  async 'a payment, and the cancellation of the next one'(target, transcript) {
    const { service } = target;
    await calls(['POST', checkout, order])(target, transcript);
    transcript.push(service.pay(uuid));
    await calls(
      ['GET', transaction],
      ['PUT', cancellation, reason],
      ['PUT', cancellation, reason],
    )(target, transcript);
    transcript.push(service.scheduledPayments(uuid));
    transcript.push(
      service
        .scheduledPayments(uuid)
        .map((payment) => outcomeOf(() => service.payScheduledPayment(payment.instructionId))),
    );
  },

  async 'money that goes back and out'(target, transcript) {
    const { service } = target;
    await calls(['POST', checkout, order], ['POST', checkout, order])(target, transcript);
    service.pay(uuid);
    transcript.push(
      service.refund(uuid, { amount: 19.9, receipt: 'null' }),
      service.refund(uuid, { amount: 10, reason: 'more' }),
    );
    const reversal = service.reverse(uuid, { amount: 1 });
    transcript.push(reversal, service.completeReversal(reversal.uuid));
    transcript.push(service.cancelReversal(service.reverse(uuid).uuid));
    transcript.push(
      service.payOut({ amount: 5 }),
      service.payOut({ amount: 5, fail: 'PE0003', reason: 'closed' }),
    );
    service.notify({ own: 'kind' }, 'type=own');
    for (const impossible of [
      () => service.pay(uuid),
      () => service.pay('nope'),
      () => service.refund(uuid, { amount: 1_000 }),
      () => service.completeReversal('nope'),
      () => service.payOut({ amount: -1 }),
    ]) {
      transcript.push(outcomeOf(impossible));
    }
    await writeDeliveries(target, transcript);
    await calls(['GET', transaction])(target, transcript);
  },

  async 'a transaction that is cancelled'(target, transcript) {
    await calls(['POST', checkout, order])(target, transcript);
    target.service.cancelTransaction(uuid);
    await calls(['GET', transaction])(target, transcript);
  },

  async 'a redelivery, and a URL with a query of its own'(target, transcript) {
    const { service, listenerUrl } = target;
    service.setWebhookUrl(`${listenerUrl}?tenant=1`);
    service.payOut({ amount: 5 });
    await service.idle();
    transcript.push((await service.redeliver('delivery-1')).httpStatus);
    await writeDeliveries(target, transcript);
    transcript.push(await service.redeliver('nope').catch(String));
    transcript.push(outcomeOf(() => service.setWebhookUrl('ftp://merchant.example')));
  },

  ...fault('a status', { kind: 'status', status: 503, headers: { 'retry-after': '7' } }),
  ...fault('a status that took effect', { kind: 'status', status: 504, body: '<html>', takesEffect: true }),
  ...fault('a refusal without a body', { kind: 'status', status: 429, body: '' }),
  ...fault('body status -1', { kind: 'body-status', status: -1 }),
  ...fault('body status 999, twice', { kind: 'body-status', status: 999, times: 2 }),
  ...fault('latency', { kind: 'latency', ms: 20 }),
  ...fault('wrong JSON', { kind: 'wrong-json' }),
  ...fault('a reset before anything is read', { kind: 'reset-before-read' }),
  ...fault('a reset afterwards', { kind: 'reset-after-read' }),
  ...fault('a reset afterwards, without effect', { kind: 'reset-after-read', takesEffect: false }),
  // Later than the scenario ends, because the handlers of msw have no connection.
  ...fault('a connection that closes after its answer', { kind: 'close-after-answer', ms: 60_000 }),
  ...fault('half a body', { kind: 'truncated-body' }),
  ...fault('half a body that stalls', { kind: 'stalled-body' }),

  async 'faults that are taken back'(target, transcript) {
    const { service } = target;
    service.fault('getTransaction', { kind: 'wrong-json', times: Number.POSITIVE_INFINITY });
    service.clearFaults();
    await calls(['GET', transaction])(target, transcript);
    transcript.push(outcomeOf(() => service.fault('getTransaction', { kind: 'status', status: 42 })));
  },
};

type Call = [
  method: string,
  path: string,
  body?: string | object | undefined,
  headers?: Record<string, string>,
];

/** Makes the calls, and writes down their responses. */
function calls(...list: Call[]): Scenario {
  return async (target, transcript) => {
    for (const [method, path, body, change] of list) {
      const text = typeof body === 'object' ? JSON.stringify(body) : body;
      const sent = method === 'GET' || text === undefined ? {} : { body: text };
      const call = target.call(path, { method, headers: { ...headers, ...change }, ...sent });
      transcript.push([method, path, await describe(call)]);
    }
  };
}

/** A fault of each operation, and the state that it leaves. */
function fault(name: string, given: Fault): Record<string, Scenario> {
  return {
    async [`fault: ${name}`](target, transcript) {
      const { service } = target;
      await calls(['POST', checkout, order])(target, transcript);
      service.pay(uuid);
      service.fault('createRecurringCheckout', given);
      service.fault('getTransaction', given);
      service.fault('cancelScheduledPayment', given);
      const all: Call[] = [
        ['POST', checkout, order],
        ['GET', transaction],
        ['PUT', cancellation, reason],
      ];
      await calls(...all, ...all, ...all)(target, transcript);
      transcript.push(service.scheduledPayments(uuid));
    },
  };
}

const comparedHeaders = ['content-type', 'content-length', 'allow', 'retry-after', 'x-sandbox-invention'];

async function describe(call: Promise<Response>): Promise<unknown> {
  const answer = await call.catch(() => undefined);
  if (answer === undefined) return 'no answer';
  const { status, headers: received } = answer;
  return [status, comparedHeaders.map((name) => received.get(name)), ...(await readBytes(answer))];
}

/** The bytes, and how they ended. A lost body has none, because how much of it arrives depends on timing. */
async function readBytes(answer: Response): Promise<[ending: string, body?: string]> {
  const chunks: Uint8Array[] = [];
  const body = () => Buffer.concat(chunks).toString('base64');
  const reader = answer.body?.getReader();
  if (reader === undefined) return ['whole', ''];
  for (;;) {
    const next = await Promise.race([
      reader.read().catch(() => 'lost' as const),
      sleep(300, 'stalled' as const),
    ]);
    if (next === 'lost') return [next];
    if (next === 'stalled') {
      reader.cancel().catch(() => {});
      return [next, body()];
    }
    if (next.done) return ['whole', body()];
    chunks.push(next.value);
  }
}

/** The deliveries, as the log and the listener have them. */
async function writeDeliveries({ service, received, listenerUrl }: Target, transcript: Transcript) {
  await service.idle();
  transcript.push(
    service.deliveries.map(({ url, attempts, ...delivery }) => [
      url.replace(listenerUrl, ''),
      attempts.map(({ number, manual, httpStatus, error }) => [number, manual, httpStatus, error]),
      delivery,
    ]),
    received.map(({ method, url, headers: { authorization, 'content-type': type }, body }) => [
      [method, url, authorization, type],
      body,
    ]),
  );
}

function outcomeOf(control: () => unknown): unknown {
  try {
    return control();
  } catch (error) {
    return String(error);
  }
}
