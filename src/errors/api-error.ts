import { type CallContext, FailedCall } from './failed-call';
import { brand } from './payments-error';

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

  /** The body's `status` field (document sections 2.2, 2.3 and 4.3), if it is a number. */
  readonly status: number | undefined;

  /**
   * The service's own id of the request, for its support: the response's `x-request-id`, `request-id` or
   * `x-correlation-id`, if one came.
   */
  readonly requestId: string | undefined;

  /** How long the service asked to wait before another call (`Retry-After`), in milliseconds, if it did. */
  readonly retryAfterMs: number | undefined;

  readonly #body: unknown;

  /** For your test doubles; the library creates its own errors. */
  constructor(
    message: string,
    context: CallContext & {
      readonly httpStatus: number;
      readonly body: unknown;
      readonly retryAfterMs?: number | undefined;
      readonly requestId?: string | undefined;
    },
  ) {
    super('api_error', message, context);
    this.httpStatus = context.httpStatus;
    this.retryAfterMs = context.retryAfterMs;
    this.requestId = context.requestId;
    this.#body = context.body;
    const status = fieldOf(context.body, 'status');
    this.status = typeof status === 'number' ? status : undefined;
  }

  /**
   * The body's `message` field, if it is text. Not printed by logging: the service may quote personal data in it.
   */
  get serviceMessage(): string | undefined {
    const message = fieldOf(this.#body, 'message');
    return typeof message === 'string' ? message : undefined;
  }

  /**
   * The errors of single fields, if the body has them as `errors: [{ field, message }]`; the first 20. Not printed by
   * logging: a message may quote personal data. The service's document shows no such body.
   */
  get serviceErrors(): readonly ServiceError[] {
    return serviceErrorsOf(this.#body);
  }

  /**
   * The response's body: parsed if it is JSON, otherwise the text, as far as it could be read. Not printed by logging:
   * it may hold personal data.
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
export function serviceErrorsOf(body: unknown): ServiceError[] {
  const errors = fieldOf(body, 'errors');
  if (!Array.isArray(errors)) return [];
  return errors.slice(0, MAX_SERVICE_ERRORS).flatMap((error: unknown) => {
    const field = fieldOf(error, 'field');
    const message = fieldOf(error, 'message');
    const read = {
      ...(typeof field === 'string' && { field }),
      ...(typeof message === 'string' && { message }),
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
