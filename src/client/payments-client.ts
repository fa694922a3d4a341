import {
  type ScheduledPaymentCancellation,
  type ScheduledPaymentCancellationRequest,
  scheduledPaymentCancellationRequestSchema,
  scheduledPaymentCancellationSchema,
} from '../service/answers/cancellation';
import { type RecurringCheckout, recurringCheckoutSchema } from '../service/answers/checkout-response';
import { type Transaction, transactionSchema } from '../service/answers/transaction';
import { operations } from '../service/operations';
import {
  type RecurringCheckoutRequest,
  recurringCheckoutRequestSchema,
} from '../service/requests/checkout-request';
import { fromEnvironment } from '../values/credentials';
import {
  type BodyCallOptions,
  type CallOptions,
  type PaymentsClientOptions,
  resolveOptions,
} from './options';
import { pathOf, requestBody } from './request';
import { Transport } from './transport/transport';
import { type WaitOptions, waitForTransaction } from './wait-for-transaction';

/**
 * The client of the service. One instance serves a whole process; it holds no connection of its own.
 *
 * Every method rejects with a `PaymentsError` whose `outcome` tells you whether the call may have gone through:
 *
 * - {@link InvalidRequestError}, {@link ConfigurationError}: an argument cannot be right, nothing was sent
 * - {@link ApiError}: the service answered, and not with a success
 * - {@link InvalidResponseError}: a success that cannot be used
 * - {@link ConnectionError}, {@link TimeoutError}, {@link AbortedError}: no whole response came
 *
 * All but the first two are a {@link CallError}: they also have `operation`, `attempts` and, when one could be read in
 * what came of the response, the transaction's `uuid`.
 *
 * @example
 * ```ts
 * const client = new PaymentsClient({ baseUrl: 'https://api.example.com', apiKey, apiToken });
 * const { response } = await client.createRecurringCheckout({ ... });
 * ```
 */
export class PaymentsClient {
  readonly #transport: Transport;
  readonly #totalTimeoutMs: number;

  /** @throws `ConfigurationError` for an option that cannot work */
  constructor(options: PaymentsClientOptions) {
    const resolved = resolveOptions(options);
    this.#transport = new Transport(resolved);
    this.#totalTimeoutMs = resolved.limits.totalTimeoutMs;
  }

  /**
   * A client set up from the environment variables `PAYMENTS_BASE_URL`, `PAYMENTS_API_KEY` and `PAYMENTS_API_TOKEN`.
   *
   * @param env - where to look, `process.env` by default
   * @param options - all that is not in the environment
   * @throws `ConfigurationError` naming the variables that are missing
   */
  static fromEnv(
    env?: Readonly<Record<string, string | undefined>>,
    options: Omit<PaymentsClientOptions, 'baseUrl' | 'apiKey' | 'apiToken'> = {},
  ): PaymentsClient {
    return new this({ ...options, ...fromEnvironment(['baseUrl', 'apiKey', 'apiToken'], env) });
  }

  /**
   * Creates a recurring-payment journey. The response has the QR code that starts it (document section 4.1).
   *
   * It is sent once, and retried only when the service certainly did not act: the name did not resolve, the connection
   * was refused or lost during the TLS handshake, or the service answered 429 (with a `fetch` of yours, only then).
   * After an error with `outcome: 'unknown'` the journey may exist. If the error has a `uuid`, it does: query the
   * transaction, and do not create the journey again.
   *
   * @param request - what to create; fields that the document does not know are sent on
   * @param options - limits, a signal and extra fields of this call
   * @throws `InvalidRequestError` when a field cannot be right; nothing was sent
   * @throws `ApiError` when the service answers, and not with a success
   * @throws `InvalidResponseError` for a success that cannot be used
   * @throws `ConnectionError`, `TimeoutError` or `AbortedError` when no whole response came
   */
  async createRecurringCheckout(
    request: RecurringCheckoutRequest,
    options: BodyCallOptions = {},
  ): Promise<RecurringCheckout> {
    const operation = operations.createRecurringCheckout;
    return this.#transport.send(
      {
        operation,
        path: operation.urlTemplate,
        body: requestBody(operation, recurringCheckoutRequestSchema, request, options),
        response: recurringCheckoutSchema,
      },
      options,
    );
  }

  /**
   * Queries a transaction (document section 4.2). Retried after failures that may pass: a lost connection, a timeout,
   * and 408, 429, 500, 502, 503 and 504.
   *
   * @param transactionUUID - the `uuid` of a journey, or the `saleToken` of a notification
   * @param options - limits and a signal of this call
   * @throws `InvalidRequestError` for a UUID that is empty, `.` or `..`; nothing was sent
   * @throws `ApiError` when the service answers, and not with a success
   * @throws `InvalidResponseError` for a success that cannot be used
   * @throws `ConnectionError`, `TimeoutError` or `AbortedError` when no whole response came
   */
  async getTransaction(transactionUUID: string, options: CallOptions = {}): Promise<Transaction> {
    const operation = operations.getTransaction;
    return this.#transport.send(
      { operation, path: pathOf(operation, transactionUUID), response: transactionSchema },
      options,
    );
  }

  /**
   * Cancels a scheduled payment of a recurrence (document section 4.3). Retried only when the service certainly did not
   * act, as `createRecurringCheckout` is.
   *
   * @param instructionId - the instruction id of the scheduled payment
   * @param request - `reason`, a brief reason for the cancellation
   * @param options - limits, a signal and extra fields of this call
   * @throws `InvalidRequestError` for an id that is empty, `.` or `..`, or a `reason` that is no text
   * @throws `ApiError` when the service answers, and not with a success
   * @throws `InvalidResponseError` for a success that cannot be used
   * @throws `ConnectionError`, `TimeoutError` or `AbortedError` when no whole response came
   */
  async cancelScheduledPayment(
    instructionId: string,
    request: ScheduledPaymentCancellationRequest,
    options: BodyCallOptions = {},
  ): Promise<ScheduledPaymentCancellation> {
    const operation = operations.cancelScheduledPayment;
    return this.#transport.send(
      {
        operation,
        path: pathOf(operation, instructionId),
        body: requestBody(operation, scheduledPaymentCancellationRequestSchema, request, options),
        response: scheduledPaymentCancellationSchema,
      },
      options,
    );
  }

  /**
   * Queries a transaction again and again until it is as you want it, by default `PAID` or `CANCELLED`. Meant for
   * scripts and tests: in production the notification tells you sooner.
   *
   * Failures that may pass do not end the wait, all others do immediately.
   *
   * @param transactionUUID - the `uuid` of a journey, or the `saleToken` of a notification
   * @param options - what to wait for, how long, and how often to look
   * @throws `TimeoutError` when the time is over; its `transaction` is the last one that was seen
   * @throws `AbortedError` when the signal fires
   * @throws `ConfigurationError` for a time that cannot be one, or an `until` that is no function; else as {@link PaymentsClient.getTransaction}
   */
  async waitForTransaction(transactionUUID: string, options: WaitOptions = {}): Promise<Transaction> {
    return waitForTransaction((remainingMs, signal) => {
      const totalTimeoutMs = Math.min(this.#totalTimeoutMs, remainingMs);
      return this.getTransaction(transactionUUID, { totalTimeoutMs, signal });
    }, options);
  }
}
