import { setTimeout as sleep } from 'node:timers/promises';
import { PaymentsClient, type PaymentsClientOptions, PaymentsError } from 'pix-automatic-sdk';
import { fixtures } from 'pix-automatic-sdk/testing';
import type { Dispatcher } from 'undici';
import { afterEach, beforeEach, expect, onTestFinished, vi } from 'vitest';
import { advice } from '../../src/errors/call-errors';
import { type Respond, startHttpServer } from '../helpers/http-server';

export const apiKey = 'key-of-the-merchant';
export const apiToken = 'token-of-the-merchant';

export function clientFor(
  { url }: { readonly url: string },
  options: Partial<PaymentsClientOptions> = {},
): PaymentsClient {
  return new PaymentsClient({ baseUrl: url, apiKey, apiToken, ...options });
}

/** A journey without an immediate charge. Its CPF is the one that `test/secrets` looks for. */
export function checkoutRequest() {
  const { amount: _, ...request } = fixtures.recurringCheckoutRequest({
    shopper: { document: { number: '52998224725' } },
  });
  return { ...request, recurrence: { ...request.recurrence, immediatePayment: false as const } };
}

const qrCode = { base64: 'iVBORw0KGgo=', plain: '00020126' };
// Made once, because the fixture draws its QR code, which takes 4 ms.
const checkout = fixtures.recurringCheckout({ response: { uuid: 'uuid-1', instructions: { qrCode } } });

/** The answer to it, with a QR code that is short. */
export const checkoutAnswer = () => structuredClone(checkout);

export const transactionAnswer = () => fixtures.transaction({ uuid: 'uuid-1' });

export const cancellationAnswer = () => fixtures.scheduledPaymentCancellation();

/** Every operation, so that a claim about all of them is tested on each. */
export const operations = [
  {
    name: 'createRecurringCheckout',
    method: 'POST',
    path: '/v1.1/checkout/pix-automatic',
    urlTemplate: '/v1.1/checkout/pix-automatic',
    answer: checkoutAnswer,
    call: (client: PaymentsClient, options: CallOptions = {}) =>
      client.createRecurringCheckout(checkoutRequest(), options),
  },
  {
    name: 'getTransaction',
    method: 'GET',
    path: '/v1.1/transactions/uuid-1',
    urlTemplate: '/v1.1/transactions/{transactionUUID}',
    answer: transactionAnswer,
    call: (client: PaymentsClient, options: CallOptions = {}) => client.getTransaction('uuid-1', options),
  },
  {
    name: 'cancelScheduledPayment',
    method: 'PUT',
    path: '/v1.1/pix-automatic/scheduled-payments/instruction-1/cancel',
    urlTemplate: '/v1.1/pix-automatic/scheduled-payments/{instructionId}/cancel',
    answer: cancellationAnswer,
    call: (client: PaymentsClient, options: CallOptions = {}) =>
      client.cancelScheduledPayment('instruction-1', { reason: 'moved house' }, options),
  },
] as const;

export type Operation = (typeof operations)[number];

type CallOptions = Parameters<PaymentsClient['getTransaction']>[1] & {};

export const changing = operations.filter(({ method }) => method !== 'GET');

/** The error that a call rejects with, which must be a `PaymentsError`. */
export async function failureOf(call: Promise<unknown>): Promise<PaymentsError & Record<string, unknown>> {
  const thrown: unknown = await call.then(
    (value) => {
      throw new Error(`Expected a rejection, got ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(PaymentsError);
  return thrown as PaymentsError & Record<string, unknown>;
}

/**
 * How a call ends, in one line: `answer`, if it gives this one, or its error with its status, outcome, attempts and
 * uuid: `api_error 429: refused after 3`.
 */
export async function endOf(call: Promise<unknown>, answer: unknown): Promise<string> {
  try {
    expect(await call).toEqual(answer);
    return 'answer';
  } catch (thrown) {
    if (!(thrown instanceof PaymentsError)) throw thrown;
    const {
      code,
      httpStatus = '',
      outcome,
      attempts,
      uuid = '',
    } = thrown as PaymentsError & Record<string, unknown>;
    return `${code} ${httpStatus}`.trimEnd() + `: ${outcome} after ${attempts} ${uuid}`.trimEnd();
  }
}

/** How a call of an operation ends over real HTTP, and how many requests the service got: `answer; 2 requests`. */
export async function trace(
  { call, answer }: Operation,
  responses: Respond[],
  options: Partial<PaymentsClientOptions> = {},
  callOptions: CallOptions = {},
): Promise<string> {
  const server = await startHttpServer(...responses);
  const end = await endOf(call(clientFor(server, options), callOptions), answer());
  const { length } = server.requests;
  return `${end}; ${length} request${length === 1 ? '' : 's'}`;
}

/** The end of the message of a call's error: what to do next, and where to read more. */
export function adviceOf(thrown: PaymentsError): string {
  const context = thrown as unknown as Parameters<typeof advice>[0];
  return `${advice(context)} See docs/errors.md#${thrown.code} in pix-automatic-sdk.`;
}

const DISPATCHER = Symbol.for('undici.globalDispatcher.1');

/** Sends what the platform's `fetch` sends through this dispatcher, until the end of the test. */
export async function sendThrough(make: (undici: typeof import('undici')) => Dispatcher): Promise<void> {
  // The platform creates its own at the first use. undici is not imported before, because it would take its place.
  await fetch('data:,');
  const platform: unknown = Reflect.get(globalThis, DISPATCHER);
  const dispatcher = make(await import('undici'));
  onTestFinished(async () => {
    Reflect.set(globalThis, DISPATCHER, platform);
    await dispatcher.destroy();
  });
  Reflect.set(globalThis, DISPATCHER, dispatcher);
}

/** Makes every back-off 0 ms long, because its length is a random fraction of a limit. */
export function withoutBackOff(): void {
  vi.spyOn(Math, 'random').mockReturnValue(0);
}

/** Fails each test of a file that leaves a rejection unhandled, or makes the process warn of a leak. */
export function failOnWarnings(): void {
  const events = ['unhandledRejection', 'warning'];
  const seen = vi.fn();
  beforeEach(() => {
    seen.mockClear();
    for (const event of events) process.on(event, seen);
  });
  afterEach(async () => {
    await sleep(20);
    for (const event of events) process.off(event, seen);
    expect(seen.mock.calls).toEqual([]);
  });
}
