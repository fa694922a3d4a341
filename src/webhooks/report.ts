import type { AuthorizationFailure } from '../errors/listener-errors';
import { notify } from '../shared/notify';
import { DeadlineExceeded } from '../shared/time';
import type { ValidationIssue } from '../shared/validation-issue';
import type { StoreSteps } from '../stores/steps';
import {
  DOCUMENTED,
  MESSAGES,
  pathsOf,
  REASONS,
  type ReportSeverity,
  type ReportText,
  severityOf,
  type WebhookReportCode,
} from './report-texts';

/** The details of a report. */
export interface WebhookReportDetails extends Partial<Omit<WebhookReport, 'code' | 'severity' | 'status'>> {
  readonly status: number;
  /** A sentence that says what became of the notification. */
  readonly fate?: string | undefined;
}

/** Reports a code with its details. */
export type Reporter = (code: WebhookReportCode, details: WebhookReportDetails) => void;

type Texts = Readonly<Partial<Record<WebhookReportCode, ReportText>>>;

/** What only a part of all listeners can say. */
export interface ReportSources {
  /** What the store knows of its own database's errors. */
  readonly explain?: StoreSteps['explain'];
  /** What `createOrders` says of its own codes. */
  readonly texts?: Texts | undefined;
}

/** Makes reports for `onReport`. */
export function reporterTo(
  onReport: (report: WebhookReport) => unknown,
  sources: ReportSources = {},
): Reporter {
  return (code, details) => notify(onReport, new WebhookReport(code, details, sources));
}

/** A notification that is done: what `onDone` gets. It holds nothing of the body but the key. */
export interface WebhookDone {
  /** The kind of the notification. */
  readonly kind: string;
  /** Its idempotency key. */
  readonly key: string;
  /** Whether it was done before, so that the callback did not run now. */
  readonly isRepeat: boolean;
  /** How long it took from its arrival until it was done, in milliseconds. */
  readonly durationMs: number;
  /** Where it came from: a delivery, a dead letter or case that was run again, or a query of `orders.reconcile`. */
  readonly origin: 'delivery' | 'replay' | 'settle';
}

/** Where a handler keeps its reporter for `toLambda` and `createOrders`, which may come from the package's other build. */
export const REPORTER = Symbol.for('pix-automatic-sdk:webhook-reporter');

/** A request that was not acted on: what `onReport` gets. */
export class WebhookReport {
  /** What happened. */
  readonly code: WebhookReportCode;
  /** Whether somebody is to be alerted, to look at it, or not. */
  readonly severity: ReportSeverity;
  /** What happened and what to do about it, without any data of the notification. */
  readonly message: string;
  /** The HTTP status it was answered with. */
  readonly status: number;
  /** The kind of the notification, once that was known. */
  readonly kind: string | undefined;
  /** The idempotency key of the notification, once that was known. */
  readonly key: string | undefined;
  /** Why the credentials were not accepted, for `unauthorized`; how the repeat differs, for `unexpected_repeat`. */
  readonly reason: AuthorizationFailure | 'content-differs' | 'late' | 'foreign' | undefined;
  /** What is wrong with the body, field by field; never the values. */
  readonly issues: readonly ValidationIssue[] | undefined;
  /** What was thrown, by your callback, your store or the platform. */
  readonly error: unknown;
  /** How many deliveries of this notification this process has seen fail, with this one; `undefined` before it was read. */
  readonly delivery: number | undefined;

  readonly #received: unknown;

  constructor(
    code: WebhookReportCode,
    details: WebhookReportDetails,
    { explain, texts }: ReportSources = {},
  ) {
    this.code = code;
    this.severity = severityOf(code);
    const own: Texts = MESSAGES;
    const [what, advice] =
      details.message === undefined ? (own[code] ?? texts?.[code] ?? [code]) : [details.message];
    const why = details.reason && REASONS[details.reason];
    const fields = details.issues?.length ? `Fields: ${pathsOf(details.issues)}.` : undefined;
    const cause = causeOf(code, details, explain);
    this.message = [what, why, fields, details.fate, cause, advice].filter(Boolean).join(' ');
    this.status = details.status;
    this.kind = details.kind;
    this.key = details.key;
    this.reason = details.reason;
    this.issues = details.issues;
    this.error = details.error;
    this.delivery = details.delivery;
    this.#received = details.received;
  }

  /** The body, or the notification if it could be read. Logging the report does not print it: it is personal data. */
  get received(): unknown {
    return this.#received;
  }
}

/** Codes whose cause is what a database has thrown. */
const STORE_CODES: ReadonlySet<WebhookReportCode> = new Set(['store_failed', 'dead_letters_failed']);

/** The likely cause, where what was thrown or received tells of it. */
function causeOf(
  code: WebhookReportCode,
  { error, kind, received }: WebhookReportDetails,
  explain: StoreSteps['explain'],
): string | undefined {
  if (STORE_CODES.has(code)) {
    return explain?.(error) ?? (error instanceof DeadlineExceeded ? SLOW_STORE : 'See `error`.');
  }
  if (code === 'nothing_written') return Object(error).message;
  if (code === 'unhandled' && kind === 'unrecognized') {
    return Object.keys(Object(received).raw ?? {}).some((name) => DOCUMENTED.has(name)) ? undefined : CHANGED;
  }
  const isMisread = /undefined|(?:transaction|needsPerson)\b.* is not a function/;
  return code === 'callback_failed' && error instanceof TypeError && isMisread.test(error.message)
    ? MISREAD
    : undefined;
}

const SLOW_STORE =
  'It did not answer in time: look at its load, at slow callbacks, and at the limits of its driver.';

const CHANGED = 'No field is of the document: has a parser or gateway changed it?';

const MISREAD =
  'Does it misread its second argument, `{ transaction, needsPerson }`? `transaction` is your library’s, if the store joins ' +
  'transactions.';
