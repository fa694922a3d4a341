import { languageOfEnvironment } from '../shared/language';

/**
 * Whether a failed call may have gone through.
 *
 * - `'not-sent'`: nothing reached the service. Calling again is safe.
 * - `'refused'`: the service answered 4xx, other than 408 and 499. By HTTP's convention, it did not act.
 * - `'unknown'`: the request may have been acted on (5xx, 3xx, 408, 499, a lost connection, a timeout, an unreadable
 *   success, or a body whose `status` is not 0). Find out before you call again.
 *
 * After several attempts, the error reports the worst outcome: unknown, then refused, then not-sent.
 */
export type Outcome = 'not-sent' | 'refused' | 'unknown';

/** The stable `code` of each error class. */
export type PaymentsErrorCode =
  | 'configuration'
  | 'invalid_request'
  | 'api_error'
  | 'invalid_response'
  | 'connection_failed'
  | 'timeout'
  | 'aborted'
  | 'webhook_authentication_failed'
  | 'invalid_notification'
  | 'store_failed'
  | 'order_busy'
  | 'order_conflict';

const brands = new WeakMap<object, symbol>();

const POINTER = / See docs\/(?:pt\/)?errors\.md#\w+ in pix-automatic-sdk\./g;

/** Removes the reference to `docs/errors.md` from an error's message, for readers who do not have the package. */
export function withoutPointer(message: string): string {
  return message.replace(POINTER, '');
}

/**
 * Adds a reference to the code's section of `docs/errors.md`, or of its translation where the environment's language is
 * Portuguese; only one, even if the message is another error's.
 */
function withPointer(message: string, code: PaymentsErrorCode): string {
  const page = languageOfEnvironment() === 'pt' ? 'docs/pt/errors.md' : 'docs/errors.md';
  return `${withoutPointer(message)} See ${page}#${code} in pix-automatic-sdk.`;
}

/**
 * Brands a class and names its instances. A class that a merchant derives from ours has no brand of its own, so
 * `instanceof` treats it as usual.
 *
 * Called with `this`: bundlers rename a class whose body mentions it, and it would then be printed as `_ApiError`.
 */
export function brand(
  errorClass: { readonly prototype: PaymentsError },
  className: string,
  name = className,
): void {
  const symbol = Symbol.for(`pix-automatic-sdk.${className}`);
  brands.set(errorClass, symbol);
  Object.defineProperty(errorClass.prototype, symbol, { value: true });
  // On the prototype, like the name of the built-in errors, so that logging does not print it twice.
  Object.defineProperty(errorClass.prototype, 'name', { value: name, configurable: true, writable: true });
}

/**
 * The base of every error this library throws.
 *
 * `instanceof` works across the ESM and CommonJS copies of the package, which a program may load side by side
 * (its own code as ESM, a framework's as CommonJS): each class carries a brand from the global symbol registry.
 *
 * Neither the message nor anything that logging prints contains a credential or a part of a body.
 */
export abstract class PaymentsError extends Error {
  static {
    brand(this, 'PaymentsError');
  }

  /** Identifies the kind of error; never changes for a class. */
  readonly code: PaymentsErrorCode;

  /** Whether the call may have gone through; `undefined` on errors that belong to no call (a notification's). */
  readonly outcome: Outcome | undefined;

  /** Called by subclasses. */
  protected constructor(
    code: PaymentsErrorCode,
    message: string,
    options: { outcome?: Outcome | undefined; cause?: unknown } = {},
  ) {
    // `cause` is passed only if there is one: `new Error(m, { cause: undefined })` would print an empty cause.
    super(withPointer(message, code), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.outcome = options.outcome;
  }

  /** Whether a value is an error of this class, made by this copy of the package or by another one. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    const brand = brands.get(this);
    if (brand === undefined) return Function.prototype[Symbol.hasInstance].call(this, value);
    return typeof value === 'object' && value !== null && Reflect.get(value, brand) === true;
  }
}
