import {
  ApiError,
  ConnectionError,
  type PaymentsClient,
  type PaymentsClientOptions,
} from 'pix-automatic-sdk';
import { checkoutRequest } from '../../client/support';

/**
 * The control of the matrix, which must fail it: a client as written in an afternoon, with fetch, `response.json()`,
 * three attempts at whatever fails, and a time limit up to the headers. Its errors have our classes, so that it fails
 * by what it does and not by the names of its errors.
 */
export function createNaiveClient(options: PaymentsClientOptions): PaymentsClient {
  const { baseUrl, apiKey, apiToken, timeoutMs = 30_000, fetch = globalThis.fetch, onRequest } = options;

  const attempt = async (method: string, path: string, body: unknown, signal?: AbortSignal) => {
    const headers = { 'x-api-key': apiKey, 'x-api-token': apiToken, 'content-type': 'application/json' };
    const time = new AbortController();
    const timer = setTimeout(() => time.abort(), timeoutMs);
    const either = AbortSignal.any(signal === undefined ? [time.signal] : [time.signal, signal]);
    const init = { method, headers, body: JSON.stringify(body), signal: either };
    const response = (await fetch(baseUrl + path, init as never).finally(() =>
      clearTimeout(timer),
    )) as Response;
    if (response.ok) return response.json();
    const { status: httpStatus } = response;
    const outcome = httpStatus < 500 ? 'refused' : 'unknown';
    throw new ApiError('', {
      operation: 'getTransaction',
      attempts: 1,
      outcome,
      httpStatus,
      body: undefined,
    });
  };

  const send = async (method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<never> => {
    for (let attempts = 1; ; attempts += 1) {
      try {
        onRequest?.({ operation: 'getTransaction', method: 'GET', urlTemplate: '', attempt: attempts });
        return (await attempt(method, path, body, signal)) as never;
      } catch (error) {
        if (attempts < 3) continue;
        if (error instanceof ApiError) throw error;
        throw new ConnectionError('', { operation: 'getTransaction', attempts, outcome: 'unknown' });
      }
    }
  };

  const client: Pick<
    PaymentsClient,
    'createRecurringCheckout' | 'getTransaction' | 'cancelScheduledPayment'
  > = {
    createRecurringCheckout: (_, { signal, extraFields } = {}) =>
      send('POST', '/v1.1/checkout/pix-automatic', { ...checkoutRequest(), ...extraFields }, signal),
    getTransaction: (uuid, { signal } = {}) => send('GET', `/v1.1/transactions/${uuid}`, undefined, signal),
    cancelScheduledPayment: (id, body, { signal, extraFields } = {}) =>
      send('PUT', `/v1.1/pix-automatic/scheduled-payments/${id}/cancel`, { ...body, ...extraFields }, signal),
  };
  return client as PaymentsClient;
}
