import { isCallError } from '../errors/call-errors';
import { CREDENTIALS, type Credentials, type HasCredentials, Secrets } from '../service/credentials';
import { operations } from '../service/operations';
import {
  type ScheduledPaymentCancellation,
  type ScheduledPaymentCancellationRequest,
  scheduledPaymentCancellationRequestObject,
  scheduledPaymentCancellationRequestSchema,
  scheduledPaymentCancellationSchema,
} from '../service/operations/cancel-scheduled-payment';
import {
  type RecurringCheckout,
  type RecurringCheckoutRequest,
  recurringCheckoutRequestObject,
  recurringCheckoutRequestSchema,
  recurringCheckoutSchema,
} from '../service/operations/create-recurring-checkout';
import { type Transaction, transactionSchema } from '../service/operations/get-transaction';
import { validate } from '../service/schema';
import { clientOptionsFromEnv } from '../values/credentials';
import { readNamedOptions } from '../values/option-checks';
import type { Message } from './interpret';
import {
  type BodyCallOptions,
  type CallOptions,
  checkEnvironment,
  FROM_ENV_OPTIONS,
  type PaymentsClientOptions,
  resolveOptions,
} from './options';
import { fieldsOf, messageOf, pathOf, requestBody, type UndocumentedRequest } from './request';
import { Transport } from './transport';

/**
 * The client of the service. One instance serves a whole process.
 *
 * Every method rejects with a `PaymentsError` whose `outcome` tells you whether the call may have gone through:
 *
 * - {@link InvalidRequestError}, {@link ConfigurationError}: an argument is invalid, and nothing was sent
 * - {@link ApiError}: the service answered, but not with a success
 * - {@link InvalidResponseError}: the response is a success that cannot be used
 * - {@link ConnectionError}, {@link TimeoutError}, {@link AbortedError}: no complete response arrived
 *
 * All but the first two are a {@link CallError}: they also have `operation`, `attempts` and, if it could be read from
 * the response, the transaction's `uuid`.
 *
 * @example
 * ```ts
 * const client = new PaymentsClient({ baseUrl: 'https://api.example.com', apiKey, apiToken });
 * const { response } = await client.createRecurringCheckout({ ... });
 * ```
 */
export class PaymentsClient implements HasCredentials {
  readonly #transport: Transport;
  readonly #baseUrl: string;
  readonly #secrets: Secrets;
  readonly #pairs: readonly Credentials[];

  /** @throws `ConfigurationError` for an option that cannot work */
  constructor(options: PaymentsClientOptions) {
    const resolved = resolveOptions(options);
    this.#baseUrl = resolved.baseUrl;
    this.#secrets = new Secrets(resolved, ...(resolved.previous ? [resolved.previous] : []));
    const { apiKey, apiToken, previous } = resolved;
    this.#pairs = [{ apiKey, apiToken }, ...(previous ? [previous] : [])];
    this.#transport = new Transport(resolved, this.#secrets);
  }

  /** The pairs that a listener of `createOrders` accepts; not for your code. */
  [CREDENTIALS](): readonly Credentials[] {
    return this.#pairs;
  }

  /**
   * A client set up from the environment variables `PAYMENTS_BASE_URL`, `PAYMENTS_API_KEY` and `PAYMENTS_API_TOKEN`.
   * During a rotation, `PAYMENTS_API_KEY_PREVIOUS` and `PAYMENTS_API_TOKEN_PREVIOUS` are `previous`.
   * `PAYMENTS_ALLOW_INSECURE_HTTP=true` sets `allowInsecureHttp`, for a sandbox in another container.
   *
   * @param env - where to look, `process.env` by default
   * @param options - all other options; a `previous` or `allowInsecureHttp` here counts more than the variables
   * @throws `ConfigurationError` naming the variables that are missing
   */
  static fromEnv(
    env?: Readonly<Record<string, string | undefined>>,
    options: Omit<PaymentsClientOptions, 'baseUrl' | 'apiKey' | 'apiToken'> = {},
  ): PaymentsClient {
    checkEnvironment(env);
    const fromEnv = clientOptionsFromEnv(env);
    const {
      previous = fromEnv.previous,
      allowInsecureHttp = fromEnv.allowInsecureHttp,
      ...others
    } = readNamedOptions('PaymentsClient.fromEnv', options, FROM_ENV_OPTIONS);
    return new this({ ...others, ...fromEnv, previous, allowInsecureHttp });
  }

  /**
   * Creates a recurring-payment journey. The response has the QR code that starts it (document section 4.1).
   *
   * The request is retried only when the service answered 429, and only over the platform's `fetch`: your own may have
   * sent it before. After an error with `outcome: 'unknown'` the journey may exist. If the error has a `uuid`, it does:
   * query the transaction, and do not create the journey again.
   *
   * @param request - what to create; fields that the document does not list are sent too
   * @param options - limits, a signal and extra fields of this call
   * @throws `InvalidRequestError` when a field is invalid; nothing was sent
   * @throws `ApiError` when the service answers, but not with a success
   * @throws `InvalidResponseError` when the response is a success that cannot be used
   * @throws `ConnectionError`, `TimeoutError` or `AbortedError` when no complete response arrived
   */
  async createRecurringCheckout(
    request: RecurringCheckoutRequest,
    options: BodyCallOptions = {},
  ): Promise<RecurringCheckout> {
    const operation = operations.createRecurringCheckout;
    return this.#send(
      {
        operation,
        path: operation.urlTemplate,
        body: requestBody(
          operation,
          recurringCheckoutRequestSchema,
          recurringCheckoutRequestObject,
          request,
          options,
        ),
        documentedFields: () => fieldsOf(recurringCheckoutRequestObject),
        read: (body) => validate(recurringCheckoutSchema, body),
      },
      options,
    );
  }

  /**
   * Queries a transaction (document section 4.2). Retried after transient failures: a lost connection, a timeout, and
   * 408, 429, 500, 502, 503 and 504.
   *
   * @param transactionUUID - the `uuid` of a journey, or the `saleToken` of a notification
   * @param options - limits and a signal of this call
   * @throws `InvalidRequestError` for a UUID that is empty, `.` or `..`; nothing was sent
   * @throws `ApiError` when the service answers, but not with a success
   * @throws `InvalidResponseError` when the response is a success that cannot be used, or about another transaction
   * @throws `ConnectionError`, `TimeoutError` or `AbortedError` when no complete response arrived
   */
  async getTransaction(transactionUUID: string, options: CallOptions = {}): Promise<Transaction> {
    const operation = operations.getTransaction;
    return this.#send(
      {
        operation,
        path: pathOf(operation, transactionUUID),
        asked: transactionUUID,
        read: (body) => validate(transactionSchema, body),
      },
      options,
    );
  }

  /**
   * Cancels a scheduled payment of a recurrence (document section 4.3). Retried only on 429, like
   * `createRecurringCheckout`.
   *
   * @param instructionId - the instruction id of the scheduled payment
   * @param request - `reason`, a brief reason for the cancellation
   * @param options - limits, a signal and extra fields of this call
   * @throws `InvalidRequestError` for an id that is empty, `.` or `..`, or a `reason` that is not a string
   * @throws `ApiError` when the service answers, but not with a success
   * @throws `InvalidResponseError` when the response is a success that cannot be used
   * @throws `ConnectionError`, `TimeoutError` or `AbortedError` when no complete response arrived
   */
  async cancelScheduledPayment(
    instructionId: string,
    request: ScheduledPaymentCancellationRequest,
    options: BodyCallOptions = {},
  ): Promise<ScheduledPaymentCancellation> {
    const operation = operations.cancelScheduledPayment;
    return this.#send(
      {
        operation,
        path: pathOf(operation, instructionId),
        body: requestBody(
          operation,
          scheduledPaymentCancellationRequestSchema,
          scheduledPaymentCancellationRequestObject,
          request,
          options,
        ),
        documentedFields: () => fieldsOf(scheduledPaymentCancellationRequestObject),
        read: (body) => validate(scheduledPaymentCancellationSchema, body),
      },
      options,
    );
  }

  /**
   * Makes a call that the service's document does not show, with the same credentials, limits, errors and `outcome`. Ask
   * the service for its form. A `GET` is retried like a query, anything else only on 429: **for a `GET` that acts, pass
   * `maxRetries: 0`**, else it may act more than once.
   *
   * Nothing is checked but that the request stays below `baseUrl`, that the response is JSON or nothing, and that its
   * `status` is 0 if it has one. With a `schema`, the response must fit it.
   *
   * @param request - method, path, query and body, and a schema of the response
   * @param options - limits and a signal of this call
   * @returns the parsed body; `undefined` for a success without one
   * @throws `InvalidRequestError` for a request that cannot be sent; otherwise as
   *   {@link PaymentsClient.createRecurringCheckout}
   * @example
   * ```ts
   * await client.request({ method: 'GET', path: '/v1.1/transactions', query: { referenceCode: 'order-1001' } });
   * ```
   */
  async request<T = unknown>(request: UndocumentedRequest<T>, options: CallOptions = {}): Promise<T> {
    return this.#send(messageOf(request, this.#baseUrl, this.#secrets), options);
  }
  /**
   * Sends a call. An error of it is made when the response has come, and its stack has nothing of your code: so that of
   * the call's beginning, which costs a microsecond, is put below it.
   */
  async #send<T>(message: Message<T>, options: CallOptions): Promise<T> {
    const beginning = new Error();
    try {
      return await this.#transport.send(message, options);
    } catch (error) {
      if (isCallError(error)) {
        const frames = beginning.stack?.replace(/^Error\n/, '');
        error.stack = `${error.stack}\n    --- the call began here ---\n${frames}`;
      }
      throw error;
    }
  }
}
