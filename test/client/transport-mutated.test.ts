import { inspect } from 'node:util';
import fc from 'fast-check';
import { PaymentsClient, PaymentsError } from 'pix-automatic-sdk';
import { expect, it } from 'vitest';
import type { FetchResponse } from '../../src/client/options';
import { holds, mutated, mutatedText, patience, style, trickyText, write } from '../helpers/mutations';
import { seedRandomTests } from '../helpers/random-seed';
import { checkoutAnswer, operations, transactionAnswer } from './support';

seedRandomTests();

type Operation = (typeof operations)[number];
type Drawn<Arbitrary> = Arbitrary extends fc.Arbitrary<infer T> ? T : never;

const [create, query] = operations;
// Marked, because the responses quote them.
const apiKey = 'MarkedKey7f3a';
const apiToken = 'MarkedToken9c1d';

const answers = [
  ...[checkoutAnswer(), checkoutAnswer(), transactionAnswer(), { status: 0, message: 'success' }],
  { status: 999, message: `${apiKey} ${apiToken}` },
  { message: 'denied', headers: { 'x-api-key': apiKey } },
];
const waits = ['', '0', '-1', '1e9', '9'.repeat(400), 'soon', 'Wed, 21 Oct 2099 07:28:00 GMT', ', GMT'];
const places = ['/elsewhere', `https://${apiKey}.example/${apiToken}`, 'https://[', 'javascript:alert(1)'];

/** What a `fetch` may throw, before a response or in the middle of its body. */
const failures: readonly unknown[] = [
  ...[undefined, null, 'text', new Error(`${apiKey} ${apiToken}`)],
  Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' }),
  new TypeError('fetch failed', { cause: Object.assign(new Error(apiToken), { code: 'ECONNRESET' }) }),
  new AggregateError([Object.assign(new Error(), { code: 'ENOTFOUND' }), new Error()], apiKey),
  Object.assign(new Error(), { code: { toString: 1 }, cause: { errors: 'none' } }),
  Object.assign(new Error(), { code: { toString: 1 }, syscall: Object.create(null), errors: [] }),
];

const statuses = [201, 202, 204, 299, 300, 302, 400, 401, 404, 409, 422, 500, 502];
const unusual = ['', 'null', '[]', '0', '"text"', '<html>', '\ufeff{}', '{"status":0}'];

const exchange = fc.record({
  operation: fc.constantFrom<Operation>(...operations),
  status: fc.oneof(
    { weight: 5, arbitrary: fc.constant(200) },
    { weight: 1, arbitrary: fc.constantFrom(...statuses) },
    { weight: 1, arbitrary: fc.integer({ min: 200, max: 599 }) },
  ),
  headers: fc.record(
    {
      'retry-after': fc.oneof(fc.constantFrom(...waits), trickyText),
      location: fc.oneof(fc.constantFrom(...places), trickyText),
      'content-type': fc.constantFrom('application/json', 'text/html; charset=utf-16', ''),
    },
    { requiredKeys: [] },
  ),
  text: fc.oneof(
    { weight: 12, arbitrary: mutatedText(answers) },
    { weight: 1, arbitrary: fc.constantFrom(...unusual) },
  ),
  /** The size of the body's pieces; 0 for a fetch without streams. */
  piece: fc.integer({ min: 0, max: 400 }),
  failure: fc.option(fc.record({ thrown: fc.constantFrom(...failures), isLate: fc.boolean() }), { freq: 9 }),
});

it('a mutated response is a success or an error as the rules say, and prints no credential', {
  timeout: patience,
}, async () => {
  await holds(exchange, async (given) => {
    const { operation } = given;
    const fetch = async () => respond(given);
    const found = await outcomeOf(operation, { fetch, maxRetries: 0, maxResponseBytes: 16_384 });
    const expected = expectationOf(given);
    if (!(found instanceof PaymentsError)) {
      expect(expected.mustFail, `resolved, and should be ${expected.code}`).toBe(false);
      expect([undefined, null, 0]).toContain(found['status']);
      expect(hasEssentials(operation, found)).toBe(true);
      return;
    }
    const { code, outcome } = expected;
    expect(found).toMatchObject({ code, outcome, operation: operation.name, attempts: 1 });
    if (operation === create && found.outcome === 'refused')
      expect(Reflect.get(found, 'uuid')).toBeUndefined();
    const printed = `${inspect(found, { depth: 9, showHidden: true })} ${JSON.stringify(found)} ${found.stack}`;
    expect(printed).not.toMatch(/markedkey|markedtoken/i);
  });
});

/** The two operations whose answers have a uuid, in answers that also hold other uuids, which must not be taken. */
const identified = [
  {
    operation: create,
    path: ['response', 'uuid'],
    payloads: [
      { uuid: 'request-1', ...checkoutAnswer() },
      { ...checkoutAnswer(), response: { payer: { uuid: 'shopper-1' }, ...checkoutAnswer().response } },
    ],
  },
  {
    operation: query,
    path: ['uuid'],
    payloads: [transactionAnswer(), { payer: { uuid: 'no' }, ...transactionAnswer() }],
  },
];

const codes = {
  close: 'connection_failed',
  abort: 'aborted',
  'too large': 'invalid_response',
  stall: 'timeout',
} as const;

const partial = fc.constantFrom(...identified).chain(({ operation, path, payloads }) =>
  fc.record({
    operation: fc.constant(operation),
    path: fc.constant(path),
    text: fc.tuple(mutated(payloads), style).map(([json, how]) => write(json, how)),
    /** The part of the bytes that arrives. Nearly whole answers are the ones that lose only a QR code. */
    part: fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0.9, max: 1, noNaN: true })),
    piece: fc.integer({ min: 1, max: 2_000 }),
    end: fc.oneof(
      { weight: 15, arbitrary: fc.constantFrom('close' as const, 'abort' as const, 'too large' as const) },
      { weight: 1, arbitrary: fc.constant('stall' as const) },
    ),
  }),
);

it('a response that breaks off anywhere, in any way, leaves the error with the uuid that came', {
  timeout: patience,
}, async () => {
  await holds(partial, async (given) => {
    const { operation, path, end, part, piece } = given;
    const whole = new TextEncoder().encode(given.text);
    const bytes = whole.subarray(0, Math.round(part * whole.byteLength));
    const controller = new AbortController();
    let sent = 0;
    const atEnd: End = (stream) => {
      if (end === 'close') stream.error(new TypeError('terminated', { cause: { code: 'UND_ERR_SOCKET' } }));
      else if (end === 'too large') stream.enqueue(new Uint8Array(8));
      else if (end === 'abort') controller.abort();
    };
    const fetch = async () => {
      sent += 1;
      const headers = { get: () => null };
      return { status: 200, headers, body: streamOf(bytes, piece, atEnd), text: failing };
    };
    const timeoutMs = end === 'stall' ? 20 : 30_000;
    const maxResponseBytes = end === 'too large' ? Math.max(1, bytes.byteLength) : 1_000_000;
    const options = { maxRetries: operation === create ? 2 : 0, signal: controller.signal };
    const found = await outcomeOf(operation, { fetch, timeoutMs, maxResponseBytes }, options);
    if (operation === create) expect(sent).toBe(1);
    const text = new TextDecoder().decode(bytes);
    const [named, ...others] = new Set(textsAt(text, path).filter((each) => each !== ''));
    const uuid = operation === create || named?.toLowerCase() === 'uuid-1' ? named : undefined;
    if (found instanceof PaymentsError) {
      const expected = { code: codes[end], outcome: 'unknown', uuid: others.length === 0 ? uuid : undefined };
      const { code, outcome } = found;
      expect({ code, outcome, uuid: Reflect.get(found, 'uuid') }).toEqual(expected);
      return;
    }
    expect(['close', 'stall']).toContain(end);
    const { status, response } = JSON.parse(text);
    if (operation === query) expect([uuid, undefined]).toContain(named);
    expect(status === 0 || typeof status !== 'number').toBe(true);
    if (operation === create) expect(found).toMatchObject({ response: { uuid: response.uuid } });
  });
});

type ClientOptions = Partial<ConstructorParameters<typeof PaymentsClient>[0]>;

/** What a call gave: its result, or its error, which must be one of ours. */
async function outcomeOf(
  operation: Operation,
  options: ClientOptions,
  callOptions: Parameters<Operation['call']>[1] = {},
): Promise<Record<string, unknown> | PaymentsError> {
  const client = new PaymentsClient({ baseUrl: 'https://service.example', apiKey, apiToken, ...options });
  try {
    return { ...(await operation.call(client, callOptions)) };
  } catch (error) {
    expect(error).toBeInstanceOf(PaymentsError);
    return error as PaymentsError;
  }
}

/** The rules, in the order in which they apply. Without `mustFail`, a field of a wrong type may still make it fail. */
function expectationOf({ status, failure, operation, text, piece }: Drawn<typeof exchange>) {
  // Whatever a caller's `fetch` throws, it may have sent the request before.
  const lost = { mustFail: true, code: 'connection_failed', outcome: 'unknown' };
  if (failure?.isLate === false) return lost;
  if (status > 299) {
    const isRefusal = status >= 400 && status < 500 && status !== 408 && status !== 499;
    const body = failure !== null && piece === 0 ? undefined : objectIn(text);
    const named = textsAt(text.replace(/^\ufeff/, ''), ['response', 'uuid']);
    const namesJourney = operation === create && named.some((each) => each !== '');
    // Text that is no JSON may name it, too.
    const mayName = operation === create && body === undefined;
    if (isRefusal && mayName)
      return { mustFail: true, code: 'api_error', outcome: expect.stringMatching(/^(refused|unknown)$/) };
    return { mustFail: true, code: 'api_error', outcome: isRefusal && !namesJourney ? 'refused' : 'unknown' };
  }
  // A body that breaks off after its last byte is whole all the same; one that comes as one text never arrives then.
  if (failure !== null && piece === 0) return lost;
  const unusable = failure === null ? { ...lost, code: 'invalid_response' } : lost;
  const body = objectIn(text);
  if (body === undefined) return unusable;
  const { status: bodyStatus } = body;
  const isNumber =
    typeof bodyStatus === 'number' || (typeof bodyStatus === 'string' && /^-?\d+$/.test(bodyStatus));
  if (isNumber && Number(bodyStatus) !== 0) {
    return failure === null ? { ...lost, code: 'api_error' } : lost;
  }
  return { ...unusable, mustFail: !hasEssentials(operation, body) };
}

function hasEssentials({ name }: Operation, body: Record<string, unknown>): boolean {
  if (name === 'cancelScheduledPayment') return body['status'] === 0;
  const asks = (uuid: unknown) => typeof uuid !== 'string' || ['', 'uuid-1'].includes(uuid.toLowerCase());
  if (name === 'getTransaction') return asks(body['uuid']);
  const { uuid, instructions } = Object(body['response']) as Record<string, unknown>;
  const { url, base64, plain } = Object(Object(instructions).qrCode) as Record<string, unknown>;
  const isText = (value: unknown) => typeof value === 'string' && value !== '';
  return isText(uuid) && [url, base64, plain].some(isText);
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    // As decoded from its bytes: without halves of surrogate pairs and a byte order mark.
    const value: unknown = JSON.parse(new TextDecoder().decode(new TextEncoder().encode(text)));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

const failing = () => Promise.reject(new Error('not called'));

async function respond(given: Drawn<typeof exchange>): Promise<FetchResponse> {
  const { status, headers, text, piece, failure } = given;
  if (failure?.isLate === false) throw failure.thrown;
  const bytes = new TextEncoder().encode(text);
  const get = (name: string) => Object.entries(headers).find(([key]) => key === name)?.[1] ?? null;
  const ofText = async () => {
    if (failure !== null) throw failure.thrown;
    return new TextDecoder().decode(bytes);
  };
  if (piece === 0) return { status, headers: { get }, body: null, text: ofText };
  const end: End = (stream) => (failure === null ? stream.close() : stream.error(failure.thrown));
  return { status, headers: { get }, body: streamOf(bytes, piece, end), text: failing };
}

type End = (stream: ReadableStreamDefaultController<Uint8Array>) => void;

function streamOf(bytes: Uint8Array, piece: number, end: End) {
  let offset = 0;
  return new ReadableStream<Uint8Array>({
    pull(stream) {
      if (offset >= bytes.byteLength) return end(stream);
      stream.enqueue(bytes.subarray(offset, offset + piece));
      offset += piece;
    },
  });
}

/**
 * The texts at a path in the beginning of a JSON text, read by recursive descent: an oracle for the client's scan,
 * written to be simple. A text counts only with its closing quote.
 */
function textsAt(text: string, path: readonly string[]): string[] {
  const found: string[] = [];
  let at = 0;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const taken = pattern.exec(text)?.[0] ?? '';
    at += taken.length;
    return taken;
  };
  const peek = (): string => {
    take(/\s*/y);
    if (at >= text.length) throw END;
    return text.charAt(at);
  };
  const string = (): string => {
    const quoted = take(/"(?:[^"\\]|\\.)*"/sy);
    try {
      return JSON.parse(quoted);
    } catch {
      throw END;
    }
  };
  const value = (keys: readonly string[]): void => {
    const first = peek();
    if (first === '"') {
      const read = string();
      if (keys.join('\0') === path.join('\0')) found.push(read);
    } else if (first === '{' || first === '[') {
      at += 1;
      while (peek() !== '}' && peek() !== ']') {
        let key = '[]';
        if (first === '{') {
          key = string();
          peek();
          at += 1;
        }
        value([...keys, key]);
        if (peek() === ',') at += 1;
      }
      at += 1;
    } else if (take(/[^\s,\]}]+/y) === '') throw END;
  };
  try {
    value([]);
  } catch (error) {
    if (error !== END) throw error;
  }
  return found;
}

/** Thrown where the text ends, in the middle of a value. */
const END = Symbol('end');
