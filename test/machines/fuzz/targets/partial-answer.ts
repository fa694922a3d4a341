import assert from 'node:assert/strict';
import fc from 'fast-check';
import { PaymentsClient } from 'pix-automatic-sdk';
import type { FetchResponse } from '../../../../src/client/options';
import { checkoutAnswer, operations, transactionAnswer } from '../../../client/support';
import { write } from '../json';
import { mutated, style } from '../mutations';
import { assertNothingPolluted, assertOurs } from '../oracles';
import { textsAt } from '../prefix';
import { Tally, type Target } from '../target';

const [create, query] = operations;

/** Answers of the two operations that have a uuid. They also hold other uuids, which must not be taken. */
const answers = [
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

const given = fc.constantFrom(...answers).chain(({ operation, path, payloads }) =>
  fc.record({
    operation: fc.constant(operation),
    path: fc.constant(path),
    text: fc.tuple(mutated(payloads), style).map(([json, how]) => write(json, how)),
    /** The part of the bytes that arrives. Nearly whole answers are the ones that lose only a QR code. */
    part: fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0.9, max: 1, noNaN: true })),
    piece: fc.integer({ min: 1, max: 2_000 }),
    end: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom('close' as const, 'reset' as const) },
      { weight: 8, arbitrary: fc.constantFrom('abort' as const, 'too large' as const) },
      { weight: 1, arbitrary: fc.constant('stall' as const) },
    ),
  }),
);

type Given = typeof given extends fc.Arbitrary<infer T> ? T : never;

const CODES = {
  close: 'connection_failed',
  reset: 'connection_failed',
  stall: 'timeout',
  abort: 'aborted',
  'too large': 'invalid_response',
};

const credentials = { apiKey: 'MarkedKey7f3a', apiToken: 'MarkedToken9c1d' };

/** Answers that break off, in every possible way. All sent bytes arrive, so the expectation is exact. */
export function createPartialAnswerTarget(): Target {
  const tally = new Tally();
  return {
    name: 'partial answer',
    share: 0.04,
    summary: () => String(tally),
    property: fc.asyncProperty(given, async (drawn) => {
      const bytes = cut(drawn);
      const controller = new AbortController();
      let sent = 0;
      const client = new PaymentsClient({
        ...credentials,
        baseUrl: 'https://service.example',
        timeoutMs: drawn.end === 'stall' ? 20 : 30_000,
        maxResponseBytes: drawn.end === 'too large' ? Math.max(1, bytes.byteLength) : 1_000_000,
        fetch: async () => {
          sent += 1;
          return breakingOff(bytes, drawn, controller);
        },
      });
      await check(drawn, bytes, client, controller.signal, tally);
      if (drawn.operation === create) assert.equal(sent, 1, `${sent} requests were sent`);
    }),
  };
}

async function check(
  { operation, path, end }: Given,
  bytes: Uint8Array,
  client: PaymentsClient,
  signal: AbortSignal,
  tally: Tally,
): Promise<void> {
  const text = new TextDecoder().decode(bytes);
  const uuids = new Set(textsAt(text, path).filter((uuid) => uuid !== ''));
  const expected = uuids.size === 1 ? [...uuids][0] : undefined;
  try {
    const result = await operation.call(client, {
      maxRetries: operation === create ? 2 : 0,
      signal,
    });
    const whole = JSON.parse(text);
    assert.ok(end !== 'abort' && end !== 'too large', `resolved in spite of ${end}`);
    assert.ok(whole.status === 0 || typeof whole.status !== 'number', 'resolved with a status that is not 0');
    if (operation === create)
      assert.equal(Reflect.get(Object(Reflect.get(result, 'response')), 'uuid'), whole.response.uuid);
    tally.count('resolved');
  } catch (thrown) {
    if (thrown instanceof assert.AssertionError) throw thrown;
    const error = assertOurs(thrown);
    const uuid: unknown = Reflect.get(error, 'uuid');
    assert.equal(error.code, CODES[end]);
    assert.equal(error.outcome, 'unknown');
    assert.equal(uuid, expected, 'another uuid than the one that came');
    tally.count(uuid === undefined ? `${error.code} without a uuid` : `${error.code} with the uuid`);
  }
  assertNothingPolluted();
}

function cut({ text, part }: Given): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  return bytes.subarray(0, Math.round(part * bytes.byteLength));
}

function breakingOff(bytes: Uint8Array, { end, piece }: Given, controller: AbortController): FetchResponse {
  let offset = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(stream) {
      if (offset < bytes.byteLength) {
        stream.enqueue(bytes.subarray(offset, offset + piece));
        offset += piece;
      } else if (end === 'too large') stream.enqueue(new Uint8Array(8));
      else if (end === 'abort') controller.abort();
      else if (end !== 'stall')
        stream.error(
          new TypeError('terminated', { cause: { code: end === 'reset' ? 'ECONNRESET' : 'UND_ERR_SOCKET' } }),
        );
    },
  });
  return {
    status: 200,
    headers: { get: () => null },
    body,
    text: () => Promise.reject(new Error('not called')),
  };
}
