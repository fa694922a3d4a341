import type { AuthorizationFailure, ValidationIssue } from '../../errors';
import { authorizationFailures } from '../../errors/webhook-authentication-error';

/**
 * What happened to a request that was not acted on.
 *
 * - `method_not_allowed` (405), `unauthorized` (401), `body_too_large` (413), `body_timeout` (408),
 *   `body_interrupted` and `invalid_body` (400): the request was not a notification that could be read
 * - `body_already_read` (500): something else has read the body; the message says what to pass instead
 * - `invalid_notification` (400): it contradicts itself, or lacks its identity or state, and there is no `unrecognized`
 *   callback
 * - `unhandled` (200): there is no callback for its kind
 * - `busy` (503): the same subject is being acted on now
 * - `callback_failed` (500): the callback threw `error`
 * - `callback_timeout` (500): the callback took longer than `callbackTimeoutMs`
 * - `store_failed` (503, or 500 once a transaction's callback has started): the store threw or took too long; `error`
 *   says why
 * - `lease_lost` (503): the callback succeeded, but the lease was over before that could be recorded
 * - `draining` (503): the process is about to end
 * - `internal` (500): anything else, such as a `match` of your own kinds that throws; `error` says what. Also a handler
 *   that is mounted without `toNodeListener`, or an answer that could not be sent; the message says so
 */
export type WebhookReportCode =
  | 'method_not_allowed'
  | 'unauthorized'
  | 'body_too_large'
  | 'body_timeout'
  | 'body_interrupted'
  | 'body_already_read'
  | 'invalid_body'
  | 'invalid_notification'
  | 'unhandled'
  | 'busy'
  | 'callback_failed'
  | 'callback_timeout'
  | 'store_failed'
  | 'lease_lost'
  | 'draining'
  | 'internal';

/** The details of a report. */
export interface WebhookReportDetails {
  readonly status: number;
  readonly kind?: string | undefined;
  readonly key?: string | undefined;
  readonly reason?: AuthorizationFailure | undefined;
  readonly issues?: readonly ValidationIssue[] | undefined;
  readonly error?: unknown;
  readonly received?: unknown;
  /** Replaces the code's own message if more is known. */
  readonly message?: string | undefined;
  /** With the option `park`: a sentence that says whether the notification is parked. */
  readonly parked?: string | undefined;
}

/** Reports a code with its details. */
export type Reporter = (code: WebhookReportCode, details: WebhookReportDetails) => void;

/** Makes reports for `onReport`. An `onReport` that fails must not make the request fail. */
export function reporterTo(onReport: (report: WebhookReport) => unknown): Reporter {
  return (code, details) => {
    try {
      // It may return a promise, which nothing awaits.
      Promise.resolve(onReport(new WebhookReport(code, details))).catch(() => undefined);
    } catch {
      // Ignored: see above.
    }
  };
}

/** Where a handler keeps its reporter for `toNodeListener`, which may come from the package's other build. */
export const REPORTER = Symbol.for('pix-automatic-sdk:webhook-reporter');

/** Returns the handler's own reporter, or the default one for a handler that `createWebhookHandler` did not make. */
export function reporterOf(handler: object): Reporter {
  const { [REPORTER]: own }: { readonly [REPORTER]?: Reporter } = handler;
  return own ?? reporterTo(logReport);
}

/** A request that was not acted on: what `onReport` gets. */
export class WebhookReport {
  /** What happened. */
  readonly code: WebhookReportCode;
  /** What happened and what to do about it, without any data of the notification. */
  readonly message: string;
  /** The HTTP status it was answered with. */
  readonly status: number;
  /** The kind of the notification, once that was known. */
  readonly kind: string | undefined;
  /** The idempotency key of the notification, once that was known. */
  readonly key: string | undefined;
  /** Why the credentials were not accepted, for `unauthorized`. */
  readonly reason: AuthorizationFailure | undefined;
  /** What is wrong with the body, field by field; never the values. */
  readonly issues: readonly ValidationIssue[] | undefined;
  /** What was thrown, by your callback, your store or the platform. */
  readonly error: unknown;

  readonly #received: unknown;

  constructor(code: WebhookReportCode, details: WebhookReportDetails) {
    this.code = code;
    const message = details.message ?? MESSAGES[code];
    const why = details.reason && authorizationFailures[details.reason];
    this.message = [message, why, details.parked].filter(Boolean).join(' ');
    this.status = details.status;
    this.kind = details.kind;
    this.key = details.key;
    this.reason = details.reason;
    this.issues = details.issues;
    this.error = details.error;
    this.#received = details.received;
  }

  /** The body, or the notification if it could be read. Logging the report does not print it: it is personal data. */
  get received(): unknown {
    return this.#received;
  }
}

const MESSAGES: Readonly<Record<WebhookReportCode, string>> = {
  method_not_allowed: 'Notifications are POST requests.',
  unauthorized: 'The request did not prove that the service sent it.',
  body_too_large:
    'The body is larger than `maxBodyBytes`. Find out who sends it. If it is the service, raise `maxBodyBytes`.',
  body_timeout: 'The body took longer than `bodyTimeoutMs` to arrive.',
  body_interrupted: 'The connection was lost before the body had arrived.',
  body_already_read:
    'Something else has read the body, probably a body parser. Pass what it made of it: ' +
    '`handler.handle({ method, url, headers, body: request.body })`, or mount the handler before the parser.',
  invalid_body: 'The body is not a JSON object.',
  invalid_notification:
    'The notification does not fit the kind it seems to be, and there is no `unrecognized` callback.',
  unhandled: "There is no callback for this kind. Add one to `on`, or 'ignore'.",
  busy: 'The same subject is being acted on now.',
  callback_failed: 'The callback threw.',
  callback_timeout:
    'The callback took longer than `callbackTimeoutMs`. Raise `callbackTimeoutMs`, or write the work to a queue and ' +
    'return.',
  store_failed:
    'The idempotency store failed, or took longer than `storeTimeoutMs`. Check that its database is running and can be ' +
    'reached.',
  lease_lost:
    'The callback succeeded, but its lease was over before that could be recorded. The next delivery runs it again, so ' +
    'its effect must be safe to repeat. Check whether the store was slow or has lost data.',
  draining: 'The handler is draining: the process is about to end.',
  internal:
    'Something unexpected was thrown: see `error`. It may come from `getAuthorization` or from a kind of your own.',
};

/**
 * The default `onReport`: one line of text, with the fields that hold no personal data, and what your own callback or
 * database threw. Without the latter, a missing table would look like a dead database.
 */
export function logReport({ code, message, kind, key, reason, error }: WebhookReport): void {
  const about = [kind && `kind=${kind}`, key && `key=${key}`, reason && `reason=${reason}`];
  const details = about.filter(Boolean).join(' ');
  const thrown = THROWN_BY_MERCHANT.has(code) ? describeThrown(error) : '';
  console.error(
    `pix-automatic-sdk: webhook ${code}${details && ` (${details})`}: ${message}${thrown && ` [${thrown}]`}`,
  );
}

/** Other errors come from the platform, and may quote the request. */
const THROWN_BY_MERCHANT: ReadonlySet<WebhookReportCode> = new Set([
  'callback_failed',
  'store_failed',
  'internal',
]);

/** Name, code and message of an error, and of its cause: database libraries wrap the driver's error. */
function describeThrown(error: unknown): string {
  try {
    const { cause } = Object(error) as { readonly cause?: unknown };
    return [error, cause].map(describeError).filter(Boolean).join(', caused by ');
  } catch {
    return 'an error that cannot be read';
  }
}

function describeError(error: unknown): string {
  if (typeof error === 'string') return inOneLine(error);
  const { name, code, message } = Object(error) as {
    readonly [Name in 'name' | 'code' | 'message']?: unknown;
  };
  const label = [name, code].filter((part) => typeof part === 'string' || typeof part === 'number').join(' ');
  return inOneLine([label, message].filter((part) => typeof part === 'string' && part !== '').join(': '));
}

const MAX_DESCRIPTION_LENGTH = 300;

/** Makes a text printable and short: some messages quote the sender, who must not be able to forge a log line. */
function inOneLine(text: string): string {
  const line = text
    .slice(0, MAX_DESCRIPTION_LENGTH)
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  return text.length > MAX_DESCRIPTION_LENGTH ? `${line}…` : line;
}
