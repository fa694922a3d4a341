import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { PaymentsClient, type PaymentsError } from 'pix-automatic-sdk';
import type { FetchResponse } from '../../../../src/client/options';
import { checkoutAnswer, operations, transactionAnswer } from '../../../client/support';
import { mutatedText, trickyText } from '../mutations';
import { assertNothingPolluted, assertOurs, assertPlain } from '../oracles';
import { Tally, type Target } from '../target';

// Marked, because the answers quote them.
const apiKey = 'MarkedKey7f3a';
const apiToken = 'MarkedToken9c1d';

const answers = [
  checkoutAnswer(),
  checkoutAnswer(),
  transactionAnswer(),
  { status: 0, message: 'success' },
  { status: 999, message: `${apiKey} ${apiToken}` },
  { message: 'denied', headers: { 'x-api-key': apiKey } },
];

const status = fc.oneof(
  { weight: 5, arbitrary: fc.constant(200) },
  { weight: 1, arbitrary: fc.constantFrom(201, 202, 204, 299, 300, 302, 400, 401, 404, 409, 422, 500, 502) },
  { weight: 1, arbitrary: fc.integer({ min: 200, max: 599 }) },
);

const waits = ['', '0', '-1', '1e9', '9'.repeat(400), 'soon', 'Wed, 21 Oct 2099 07:28:00 GMT', ', GMT'];
const places = ['/elsewhere', `https://${apiKey}.example/${apiToken}`, 'https://[', 'javascript:alert(1)'];
const headers = fc.record(
  {
    'retry-after': fc.oneof(fc.constantFrom(...waits), trickyText),
    location: fc.oneof(fc.constantFrom(...places), trickyText),
    'content-type': fc.constantFrom('application/json', 'text/html; charset=utf-16', ''),
  },
  { requiredKeys: [] },
);

/** How the answer arrives: whole, or with a failure before it or in the middle of it. */
const failures: readonly unknown[] = [
  undefined,
  null,
  'text',
  new Error(`${apiKey} ${apiToken}`),
  Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' }),
  new TypeError('fetch failed', { cause: Object.assign(new Error(apiToken), { code: 'ECONNRESET' }) }),
  new AggregateError([Object.assign(new Error(), { code: 'ENOTFOUND' }), new Error()], apiKey),
  Object.assign(new Error(), { code: { toString: 1 }, cause: { errors: 'none' } }),
  Object.assign(new Error(), { code: { toString: 1 }, syscall: Object.create(null), errors: [] }),
];
const exchange = fc.record({
  operation: fc.constantFrom(...operations),
  status,
  headers,
  body: fc.oneof(
    { weight: 12, arbitrary: mutatedText(answers) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('', 'null', '[]', '0', '"text"', '<html>', '\ufeff{}', '{"status":0}'),
    },
  ),
  /** The sizes of its pieces; none for a fetch without streams. */
  pieces: fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 3 }),
  failure: fc.oneof(
    { weight: 9, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.nat(failures.length - 1) },
  ),
  failsLate: fc.boolean(),
});

type Exchange = typeof exchange extends fc.Arbitrary<infer T> ? T : never;

const options = { apiKey, apiToken, maxRetries: 0, maxResponseBytes: 16_384 };

export function createClientTarget(): Target {
  const tally = new Tally();
  let current: Exchange | undefined;
  const client = new PaymentsClient({
    ...options,
    baseUrl: 'https://service.example',
    fetch: async () => respond(current as Exchange),
  });
  return {
    name: 'client',
    share: 0.09,
    summary: () => String(tally),
    property: fc.asyncProperty(exchange, async (given) => {
      current = given;
      await check(client, given, tally);
    }),
  };
}

/** Compares the client’s result for an answer with an independent oracle. */
async function check(client: PaymentsClient, given: Exchange, tally: Tally): Promise<void> {
  const { operation } = given;
  let result: unknown;
  let error: PaymentsError | undefined;
  try {
    result = await operation.call(client);
  } catch (thrown) {
    error = assertOurs(thrown);
  }
  assertNothingPolluted();
  tally.count(error?.code ?? 'resolved');
  const expected = expectationOf(given);
  if (error === undefined) {
    assert.ok(!expected.mustFail, `resolved, and should be ${expected.code}`);
    assertPlain(result);
    assertEssentials(operation.name, result);
    return;
  }
  assert.equal(error.code, expected.code);
  assert.equal(error.outcome, expected.outcome);
  assert.equal(Reflect.get(error, 'operation'), operation.name);
  assert.equal(Reflect.get(error, 'attempts'), 1);
  const printed = `${inspect(error, { depth: 9, showHidden: true })} ${JSON.stringify(error)} ${error.stack}`;
  assert.ok(!/markedkey|markedtoken/i.test(printed), `a credential is printed: ${printed}`);
}

interface Expectation {
  /** When false, the call may succeed, or fail because a field has a wrong type. */
  readonly mustFail: boolean;
  readonly code: PaymentsError['code'];
  readonly outcome: PaymentsError['outcome'];
}

/** The rules, in the order in which the client applies them to an answer. */
function expectationOf(given: Exchange): Expectation {
  const { status, failure, failsLate, operation } = given;
  if (failure !== null && !failsLate) {
    // Whatever a `fetch` of the caller's throws, it may have sent the request before.
    return { mustFail: true, code: 'connection_failed', outcome: 'unknown' };
  }
  if (status < 200 || status > 299) {
    const isRefusal = status >= 400 && status < 500 && status !== 408 && status !== 499;
    return { mustFail: true, code: 'api_error', outcome: isRefusal ? 'refused' : 'unknown' };
  }
  // A body that breaks off after its last byte is whole all the same. A body that comes as one text never arrives
  // then.
  const code = failure === null ? 'invalid_response' : 'connection_failed';
  const unusable = { mustFail: true, code, outcome: 'unknown' } as const;
  if (failure !== null && given.pieces.length === 0) return unusable;
  const body = readObject(given);
  if (body === undefined) return unusable;
  const { status: bodyStatus } = body;
  const isNumber =
    typeof bodyStatus === 'number' || /^-?\d+$/.test(typeof bodyStatus === 'string' ? bodyStatus : '');
  if (isNumber && Number(bodyStatus) !== 0) {
    return { mustFail: true, code: failure === null ? 'api_error' : code, outcome: 'unknown' };
  }
  return { ...unusable, mustFail: !hasEssentials(operation.name, body) };
}

function assertEssentials(operation: string, result: unknown): void {
  const { status } = result as Record<string, unknown>;
  assert.ok(status === undefined || status === null || status === 0, 'resolved with a status other than 0');
  assert.ok(hasEssentials(operation, result as Record<string, unknown>), 'resolved without what it is for');
}

function hasEssentials(operation: string, body: Record<string, unknown>): boolean {
  if (operation === 'cancelScheduledPayment') return body['status'] === 0;
  if (operation === 'getTransaction') return true;
  const { uuid, instructions } = Object(body['response']) as Record<string, unknown>;
  const { url, base64, plain } = Object(Object(instructions).qrCode) as Record<string, unknown>;
  const isText = (value: unknown) => typeof value === 'string' && value !== '';
  return isText(uuid) && [url, base64, plain].some(isText);
}

function readObject({ body }: Exchange): Record<string, unknown> | undefined {
  try {
    // JSON is UTF-8, whatever the header says. The text as decoded from its bytes: without halves of surrogate pairs or
    // a byte order mark.
    const value: unknown = JSON.parse(new TextDecoder().decode(new TextEncoder().encode(body)));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

async function respond({
  status,
  headers,
  body,
  pieces,
  failure,
  failsLate,
}: Exchange): Promise<FetchResponse> {
  if (failure !== null && !failsLate) throw failures[failure];
  const bytes = new TextEncoder().encode(body);
  const get = (name: string) => Object.entries(headers).find(([key]) => key === name)?.[1] ?? null;
  const end = failure === null ? undefined : { error: failures[failure] };
  if (pieces.length === 0) {
    const text = async () => {
      if (end !== undefined) throw end.error;
      return new TextDecoder().decode(bytes);
    };
    return { status, headers: { get }, body: null, text };
  }
  return { status, headers: { get }, body: streamOf(bytes, pieces, end), text: () => Promise.reject() };
}

function streamOf(bytes: Uint8Array, pieces: readonly number[], end: { error: unknown } | undefined) {
  let offset = 0;
  let count = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const size = pieces[count] ?? bytes.length;
      count += 1;
      if (offset < bytes.length) controller.enqueue(bytes.subarray(offset, offset + size));
      else if (end !== undefined) controller.error(end.error);
      else controller.close();
      offset += size;
    },
  });
}
