import { type CallName, type Operation, type OperationName, operations } from '../service/operations';
import type { ValidationIssue } from '../shared/validation-issue';
import { brand, type Outcome, PaymentsError, type PaymentsErrorCode } from './payments-error';

/**
 * An error of a call to the service. It has `outcome`, `uuid`, `operation` and `attempts`, and `switch (error.code)`
 * narrows it to its class. Use {@link isCallError} to recognize one.
 */
export type CallError = ApiError | InvalidResponseError | ConnectionError | TimeoutError | AbortedError;

/**
 * Whether a value is the error of a call to the service, made by this copy of the package or by another one. Errors
 * about arguments (`InvalidRequestError`, `ConfigurationError`) are not: no call was made.
 *
 * @param error - anything that was caught
 */
export function isCallError(error: unknown): error is CallError {
  return error instanceof FailedCall;
}

/** What every error of a call to the service knows about that call. */
export interface CallContext {
  /** Whether the call may have gone through, over all its attempts. */
  readonly outcome: Outcome;
  /** The operation that was called; by `client.request`, the method and the path. */
  readonly operation: CallName;
  /**
   * How many requests were tried, the first one included; 0 when none was. In errors of
   * `reconcile` themselves, how many queries were started.
   */
  readonly attempts: number;
  /** The transaction's uuid, if it could be read from the response. */
  readonly uuid?: string | undefined;
}

/** Callers have the union `CallError` and `isCallError`. */
abstract class FailedCall extends PaymentsError {
  static {
    brand(this, 'FailedCall');
  }

  /** Whether the call may have gone through. After several attempts, the worst outcome of them. */
  declare readonly outcome: Outcome;

  /** The operation that was called; by `client.request`, the method and the path. */
  readonly operation: CallName;

  /**
   * How many requests were tried, the first one included; 0 when none was. In errors of
   * `reconcile` themselves, how many queries were started.
   */
  readonly attempts: number;

  /**
   * The transaction's uuid, read from as much of the response as arrived; `undefined` if there is none or if it is
   * ambiguous. After a failed `createRecurringCheckout` it is the way back to the journey: query it, and do not create
   * the journey again.
   */
  readonly uuid: string | undefined;

  protected constructor(
    code: PaymentsErrorCode,
    message: string,
    context: CallContext & { readonly cause?: unknown },
  ) {
    super(code, message, context);
    this.operation = context.operation;
    this.attempts = context.attempts;
    this.uuid = context.uuid;
  }
}

/** What to do next, for the end of a message. It depends on the outcome, and on what a second call would change. */
export function advice({ outcome, operation, uuid }: Omit<CallContext, 'attempts'>): string {
  if (outcome === 'refused')
    return "The service refused the call: by HTTP's convention, it did not act on it.";
  if (outcome === 'not-sent') return 'Nothing reached the service, so the call can be made again.';
  if (!isDocumented(operation)) {
    return operation.startsWith('GET ')
      ? operations.getTransaction.adviceIfUnknown
      : 'It may have gone through: find out before you make it again.';
  }
  const { adviceIfUnknown, adviceIfUuidKnown = adviceIfUnknown }: Operation = operations[operation];
  return uuid === undefined ? adviceIfUnknown : adviceIfUuidKnown;
}

function isDocumented(name: CallName): name is OperationName {
  return Object.hasOwn(operations, name);
}

/**
 * The service answered, but not with a success: an HTTP status outside 2xx, or a 2xx whose body has a `status` other
 * than 0 (document section 7.2; the meaning of -1 and 999 is not documented).
 */
export class ApiError extends FailedCall {
  static {
    brand(this, 'ApiError');
  }

  /** Identifies this class; see `docs/errors.md#api_error` in the package. */
  declare readonly code: 'api_error';

  /** The HTTP status of the response. */
  readonly httpStatus: number;

  /** The body's `status` field, if it is a number. */
  readonly status: number | undefined;

  /**
   * The service's own id of the request, for its support: the response's `x-request-id`, `request-id` or
   * `x-correlation-id`, if one came.
   */
  readonly requestId: string | undefined;

  /** How long the service asked to wait before another call (`Retry-After`), in milliseconds, if it did. */
  readonly retryAfterMs: number | undefined;

  readonly #body: unknown;
  readonly #location: string | undefined;
  readonly #serviceMessage: string | undefined;
  readonly #serviceErrors: readonly ServiceError[];

  /** For your test doubles; the library creates its own errors. */
  constructor(
    message: string,
    context: CallContext & {
      readonly httpStatus: number;
      readonly body: unknown;
      readonly retryAfterMs?: number | undefined;
      readonly requestId?: string | undefined;
      readonly location?: string | undefined;
      /** Takes the credentials out of what the service wrote. Default: nothing is taken out. */
      readonly redact?: ((text: string) => string) | undefined;
    },
  ) {
    super('api_error', message, context);
    const { body, redact = (text: string) => text } = context;
    this.httpStatus = context.httpStatus;
    this.retryAfterMs = context.retryAfterMs;
    this.requestId = context.requestId;
    this.#body = body;
    this.#location = context.location;
    const status = fieldOf(body, 'status');
    this.status = typeof status === 'number' ? status : undefined;
    const serviceMessage = fieldOf(body, 'message');
    this.#serviceMessage = typeof serviceMessage === 'string' ? redact(serviceMessage) : undefined;
    this.#serviceErrors = serviceErrorsOf(body, redact);
  }

  /**
   * The body's `message` field without credentials, if it is text. Not printed by logging: the service may quote personal
   * data in it.
   */
  get serviceMessage(): string | undefined {
    return this.#serviceMessage;
  }

  /**
   * Where a redirect leads (`location`), without credentials, if the response is one. It is never followed. Not printed by
   * logging: it may hold personal data.
   */
  get location(): string | undefined {
    return this.#location;
  }

  /**
   * The errors of single fields, if the body has them as `errors: [{ field, message }]`; the first 20, without
   * credentials. Not printed by logging: a message may quote personal data. The service's document shows no such body.
   */
  get serviceErrors(): readonly ServiceError[] {
    return this.#serviceErrors;
  }

  /**
   * The response's body as it was received: parsed if it is JSON, otherwise the text, as far as it could be read. Not
   * printed by logging: it may hold personal data, and credentials that the service quotes.
   */
  get body(): unknown {
    return this.#body;
  }
}

/** What the service says about one field of the request. */
export interface ServiceError {
  /** The field that it is about. */
  readonly field?: string;
  /** What is wrong with it. */
  readonly message?: string;
}

/** Reads `errors: [{ field, message }]`, and nothing that has another form. */
export function serviceErrorsOf(
  body: unknown,
  redact: (text: string) => string = (text) => text,
): ServiceError[] {
  const errors = fieldOf(body, 'errors');
  if (!Array.isArray(errors)) return [];
  return errors.slice(0, MAX_SERVICE_ERRORS).flatMap((error: unknown) => {
    const field = fieldOf(error, 'field');
    const message = fieldOf(error, 'message');
    const read = {
      ...(typeof field === 'string' && { field: redact(field) }),
      ...(typeof message === 'string' && { message: redact(message) }),
    };
    return Object.keys(read).length === 0 ? [] : [read];
  });
}

const MAX_SERVICE_ERRORS = 20;

function fieldOf(body: unknown, field: string): unknown {
  return typeof body === 'object' && body !== null && Object.hasOwn(body, field)
    ? Reflect.get(body, field)
    : undefined;
}

/**
 * The service answered with a success that cannot be used: not JSON, too large, or with essential fields missing or
 * invalid. The outcome is always `'unknown'`. If there is a `uuid`, the journey exists: query it, and do not create it
 * again.
 */
export class InvalidResponseError extends FailedCall {
  static {
    brand(this, 'InvalidResponseError');
  }

  /** Identifies this class; see `docs/errors.md#invalid_response` in the package. */
  declare readonly code: 'invalid_response';
  /** Always `'unknown'`: the response does not say what the service did. */
  declare readonly outcome: 'unknown';

  /** What is wrong with the body, field by field; never the values. */
  readonly issues: readonly ValidationIssue[];

  readonly #body: unknown;

  /** For your test doubles; the library creates its own errors. */
  constructor(
    message: string,
    context: Omit<CallContext, 'outcome'> & {
      readonly issues: readonly ValidationIssue[];
      readonly body: unknown;
    },
  ) {
    super('invalid_response', message, { ...context, outcome: 'unknown' });
    this.issues = context.issues;
    this.#body = context.body;
  }

  /**
   * The body: parsed if it is JSON, otherwise the text, as far as it was read. Not printed by logging: it may hold
   * personal data.
   */
  get body(): unknown {
    return this.#body;
  }
}

/**
 * No complete response arrived, because the connection failed: refused, name not resolved, certificate not trusted,
 * lost during the TLS handshake (outcome `'not-sent'`), or lost later (outcome `'unknown'`).
 */
export class ConnectionError extends FailedCall {
  static {
    brand(this, 'ConnectionError');
  }

  /** Identifies this class; see `docs/errors.md#connection_failed` in the package. */
  declare readonly code: 'connection_failed';

  /** The platform's own code for the failure (`'ECONNREFUSED'`, `'CERT_HAS_EXPIRED'`, …), when it gave one. */
  readonly reason: string | undefined;

  /** For your test doubles; the library creates its own errors. */
  constructor(message: string, context: CallContext & { readonly reason?: string | undefined }) {
    super('connection_failed', message, context);
    this.reason = context.reason;
  }
}

/** A time limit ran out: of one attempt (`timeoutMs`), of the whole call (`totalTimeoutMs`), or of a wait. */
export class TimeoutError extends FailedCall {
  static {
    brand(this, 'TimeoutError');
  }

  /** Identifies this class; see `docs/errors.md#timeout` in the package. */
  declare readonly code: 'timeout';

  /** For your test doubles; the library creates its own errors. */
  constructor(message: string, context: CallContext) {
    super('timeout', message, context);
  }
}

/**
 * The caller's `signal` ended the call. Its `name` is `'AbortError'`, as everywhere on the platform, and its `cause`
 * is the signal's reason. Look at `outcome`: an `AbortSignal.timeout()` that fires during a POST may leave a journey
 * behind.
 */
export class AbortedError extends FailedCall {
  static {
    brand(this, 'AbortedError', 'AbortError');
  }

  /** Identifies this class; see `docs/errors.md#aborted` in the package. */
  declare readonly code: 'aborted';

  /** For your test doubles; the library creates its own errors. */
  constructor(message: string, context: CallContext & { readonly cause: unknown }) {
    super('aborted', message, context);
  }
}
