import { type CallName, type Operation, type OperationName, operations } from '../service/operations';
import { brand, type Outcome, PaymentsError, type PaymentsErrorCode } from './payments-error';

/** What every error of a call to the service knows about that call. */
export interface CallContext {
  /** Whether the call may have gone through, over all its attempts. */
  readonly outcome: Outcome;
  /** The operation that was called; by `client.request`, the method and the path. */
  readonly operation: CallName;
  /**
   * How many requests were tried, the first one included; 0 when none was. In errors of `waitForTransaction` and
   * `reconcile` themselves, how many queries were started.
   */
  readonly attempts: number;
  /** The transaction's uuid, if it could be read from the response. */
  readonly uuid?: string | undefined;
}

/** The base of the errors of a call. Not exported: callers have the union `CallError` and `isCallError`. */
export abstract class FailedCall extends PaymentsError {
  static {
    brand(this, 'FailedCall');
  }

  /** Whether the call may have gone through. After several attempts, the worst outcome of them. */
  declare readonly outcome: Outcome;

  /** The operation that was called; by `client.request`, the method and the path. */
  readonly operation: CallName;

  /**
   * How many requests were tried, the first one included; 0 when none was. In errors of `waitForTransaction` and
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
  if (outcome === 'refused') return 'The service refused the call and did not act on it.';
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
