// What a report says: a text for each code and reason, and which names of a body may be printed.

import { authorizationFailures } from '../errors/listener-errors';
import { documentedFields } from '../service/notifications';
import type { SalePayload } from '../service/notifications/sale';
import type { ValidationIssue } from '../shared/validation-issue';
import type { PaymentDifference } from '../values/confirm-payment';

/**
 * What happened to a request that was not acted on.
 *
 * - `method_not_allowed` (405), `unauthorized` (401), `body_too_large` (413), `body_timeout` (408),
 *   `body_interrupted` and `invalid_body` (400): the request was not a notification that could be read
 * - `body_already_read` (500): something else has read the body; the message says what to pass instead
 * - `invalid_notification` (400): it contradicts itself, or lacks its identity or state, and there is no `unrecognized`
 *   callback
 * - `unhandled` (200): there is no callback for its kind
 * - `unexpected_repeat` (200): what is done has come again, more than an hour after that or with other content; `reason`
 *   says which, `issues` names the fields. It is 503 with `deadLetters` if it could not be kept
 * - `too_many_states` (200): its subject has reported 64 states that the document does not name, and this is another. It
 *   is 503 with `deadLetters` if it could not be kept
 * - `field_left_out` (as answered): a known field has another type than documented; once per kind and field
 * - `damaged_text` (as answered): the body has U+FFFD in it, which stands for bytes that are no UTF-8; `issues` names the
 *   fields
 * - `answered_elsewhere` (as answered): something else has answered on the response of node:http first, such as a `res.send`
 * - `busy` (503): the same subject is being acted on now
 * - `callback_failed` (500): the callback threw `error`
 * - `callback_timeout` (500): the callback took longer than `callbackTimeoutMs`
 * - `nothing_written` (500): over transactions, the callback of a payment, refund or reversal ended before the database
 *   could have answered anything, or, over Prisma and `PostgresStore`, any callback before a query of its own; what it wrote
 *   is rolled back
 * - `transaction_ended` (200): the callback has committed its transaction by itself; it is not run again
 * - `not_confirmed` (500): with `confirm`, the service says otherwise; `issues` names the fields
 * - `confirm_failed` (500): with `confirm`, the service does not know the payment, or could not be asked; `error` says why
 * - `store_failed` (503, or 500 once a transaction's callback has started): the store threw or took too long; `error`
 *   says why
 * - `lease_lost` (503): the callback succeeded, but another delivery came between before that could be recorded
 * - `dead_letters_failed`: a dead letter could not be kept or forgotten; `error` says why. It is 503 where the answer
 *   would have been 200 and the notification is not kept
 * - `dead_letter_dropped`: a dead letter was not acted on, and is deleted within a day; told by `handler.replay`, once
 * - `dead_letter_credential`: `handler.replay` left one out, once: it came with a pair that is not in `credentials` now
 * - `record_unreadable`: a list has left out records of another format; the message says how many
 * - `draining` (503): the process is about to end
 * - with `createOrders` (200), what is not booked, and is one of `orders.cases()`: `paid_twice` (another payment of the
 *   order is booked, or is being booked), `authorized_twice` (the payer has approved two recurrences of it), `other_amount`,
 *   `closed`, `other_sale` (another sale under the order's reference), `other_order` (a charge that another order has),
 *   `no_order`, `unclear_amount`, `returned_in_full`, `early_return` (its sale is not booked yet), `sale_status`,
 *   `needs_person` (the callback said so)
 * - `reconcile_ended`, from `orders.reconcile` and `maintain`: the service's rate limit, failures in a row or the signal
 *   have ended the run
 * - `recurrence_call_missing`, once a process: the service does not have a call that its public pages show
 * - `maintain_failed`, from `orders.maintain`: one of its parts threw `error`; the others were run
 * - `not_maintained` (200), once a day and process: no `orders.maintain` has ended for 25 hours
 * - `internal` (500): anything else, such as a `match` of your own kinds that throws; `error` says what. Also a handler
 *   that is called with something else than it takes, or an answer that could not be sent; the message says so
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
  | 'unexpected_repeat'
  | 'too_many_states'
  | 'field_left_out'
  | 'damaged_text'
  | 'answered_elsewhere'
  | 'busy'
  | 'callback_failed'
  | 'callback_timeout'
  | 'nothing_written'
  | 'transaction_ended'
  | 'not_confirmed'
  | 'confirm_failed'
  | 'store_failed'
  | 'lease_lost'
  | 'dead_letters_failed'
  | 'dead_letter_dropped'
  | 'dead_letter_credential'
  | 'record_unreadable'
  | 'draining'
  | CaseReason
  | 'reconcile_ended'
  | 'recurrence_call_missing'
  | 'maintain_failed'
  | 'not_maintained'
  | 'internal';

/** Why `createOrders` keeps a notification as a case, beside the codes of any handler. */
export type CaseReason =
  | 'paid_twice'
  | 'authorized_twice'
  | 'other_amount'
  | 'closed'
  | 'other_sale'
  | 'other_order'
  | 'no_order'
  | 'unclear_amount'
  | 'returned_in_full'
  | 'early_return'
  | 'sale_status'
  | 'needs_person';

/** The codes that only `createOrders` reports; it has their texts. */
export type OrdersCode =
  | CaseReason
  | 'reconcile_ended'
  | 'recurrence_call_missing'
  | 'maintain_failed'
  | 'not_maintained';

/**
 * Whom a report is for:
 * - `alert`: somebody, at once: money may not be booked, or the listener does not work
 * - `look`: somebody, within the day, or if it continues
 * - `no`: nobody
 */
export type ReportSeverity = 'alert' | 'look' | 'no';

const LOOK: ReadonlySet<WebhookReportCode> = new Set([
  'unauthorized',
  'callback_failed',
  'callback_timeout',
  'nothing_written',
  'confirm_failed',
  'busy',
  'body_timeout',
  'reconcile_ended',
  'maintain_failed',
  'other_sale',
  'early_return',
  'recurrence_call_missing',
  'field_left_out',
  'damaged_text',
  'dead_letter_credential',
  'record_unreadable',
  'invalid_body',
  'body_too_large',
]);

const NO: ReadonlySet<WebhookReportCode> = new Set(['method_not_allowed', 'body_interrupted', 'draining']);

export function severityOf(code: WebhookReportCode): ReportSeverity {
  if (NO.has(code)) return 'no';
  return LOOK.has(code) ? 'look' : 'alert';
}

export type ReportText = readonly [what: string, advice?: string];

/** For each code what happened, and the likely cause with the way out. What became of the notification stands between. */
export const MESSAGES: Readonly<Record<Exclude<WebhookReportCode, OrdersCode>, ReportText>> = {
  method_not_allowed: ['The request is no POST, as notifications are.'],
  unauthorized: ['The request did not prove that the service sent it.'],
  body_too_large: [
    'The body is larger than `maxBodyBytes`.',
    'Find out who sends it. If it is the service, raise `maxBodyBytes`.',
  ],
  body_timeout: [
    'The body took longer than `bodyTimeoutMs` to arrive.',
    'Check the proxy in front of the listener.',
  ],
  body_interrupted: ['The connection was lost before the body had arrived.'],
  body_already_read: [
    'Something else has read the body, probably a body parser.',
    'Pass what it made of it: `handler.handle({ method, url, headers, body: request.body })`, or mount the handler ' +
      'before the parser.',
  ],
  invalid_body: [
    'The body is not a JSON object that can be read, although the credentials are yours.',
    'Look at `received`, and find out who sends it.',
  ],
  invalid_notification: [
    'The notification contradicts itself, or lacks what identifies it, and there is no `unrecognized` callback.',
    'It may be a payment: look at it, or add an `unrecognized` callback.',
  ],
  unhandled: [
    'There is no callback for this kind.',
    "Add one to `on`, or say 'ignore' if you do not need this kind.",
  ],
  unexpected_repeat: [
    'A notification came again that was acted on before, so its callback did not run.',
    'It may be another event under the same key: look at it. If it is one, a kind of your own (`defineNotification`) gives ' +
      'it an identity of its own.',
  ],
  too_many_states: [
    'Its subject has reported 64 states that the document does not name, and this is another one, so its callback did not ' +
      'run.',
    'Find out who sends them. If the service does, a kind of your own (`defineNotification`) gives it an identity of its ' +
      'own.',
  ],
  field_left_out: [
    'Known fields have another type than documented, so `payload` does not have them; `raw` does.',
    'Tell the service, and read them from `raw` if you need them. Reported once per kind and field.',
  ],
  damaged_text: [
    'The body has U+FFFD in it, which stands for bytes that are no UTF-8: something has damaged these texts.',
    'Look for a proxy or a parser that decodes the body, and tell the service if there is none.',
  ],
  answered_elsewhere: [
    'Something else has answered the request before the handler could.',
    'Look for a `res.send`, `res.json` or `res.end` in a callback, a middleware or another route: only the answer of the ' +
      'handler tells the service whether to send a notification again.',
  ],
  busy: ['The same subject is being acted on now.', 'If that continues, look for callbacks that hang.'],
  callback_failed: ['The callback threw.'],
  callback_timeout: [
    'The callback took longer than `callbackTimeoutMs`. If it still succeeds within its lease, that is recorded.',
    'Raise `callbackTimeoutMs`, or write the work to a queue and return. A callback of `createOrders` must not wait for ' +
      '`open`, `close` or `decide` of its own order, nor for `stop` or `drain`: they wait for it.',
  ],
  nothing_written: [
    'The callback succeeded without all that it was to write, so its transaction is rolled back.',
    'Await or return each query, also in helpers, and use `for … of` in place of `forEach(async …)`. A callback that has ' +
      "nothing to write resolves with `'nothing'`.",
  ],
  transaction_ended: [
    'The callback has committed its transaction by itself. What it wrote by then stands; what it did after that, nobody knows.',
    'Look at what it wrote. It does not run again. Leave COMMIT and ROLLBACK to the handler. MySQL commits at ' +
      'CREATE, ALTER, DROP and TRUNCATE.',
  ],
  not_confirmed: [
    'The service says otherwise about this payment, so the callback did not run.',
    'Compare it with `getTransaction`. If the service is right, somebody else may have your credentials.',
  ],
  confirm_failed: [
    'The service does not know this payment (404), or could not be asked about it, so the callback did not run: see `error`.',
    'Check that the client of `confirm` reaches the service.',
  ],
  store_failed: ['The idempotency store failed, or took longer than `storeTimeoutMs`.'],
  lease_lost: [
    'The callback succeeded, but its lease was over before that could be recorded, and another delivery came between.',
    'Its effect must be safe to repeat. Check whether the store was slow or has lost data.',
  ],
  dead_letters_failed: ['The dead letters could not be written, or took longer than `storeTimeoutMs`.'],
  dead_letter_dropped: [
    'A dead letter that was not acted on is at its end: it is kept for as long as `deadLetters` says.',
    'Act on it by hand, or, while it is kept, by `handler.replay`, or, with `createOrders`, by `orders.decide`.',
  ],
  dead_letter_credential: [
    'A dead letter came with a pair of credentials that this handler does not have now, so it is not replayed by itself.',
    'If you have rotated them and trust it, list it and pass it to `handler.replay`.',
  ],
  record_unreadable: [
    'Records of the store have another format than this release reads, and were left out of a list.',
    'A newer release has probably written them: update this process too. Nothing else writes to the records.',
  ],
  draining: ['The handler is draining: the process is about to end.'],
  internal: [
    'Something unexpected was thrown: see `error`.',
    'It may come from `getAuthorization` or from a kind of your own.',
  ],
};

/** What a report says of its `reason`. */
export const REASONS = {
  ...authorizationFailures,
  'content-differs': 'Its content differs from what was acted on.',
  foreign: 'It was done as money of no order (`on.foreign`), and its event leads to an order.',
  late: 'It came more than an hour after that: too late for a retry of the service.',
};

const MAX_PATHS = 10;

/** The fields that a confirmation compares, beside those of a payment. */
const OF_TRANSACTION: { readonly [Field in Exclude<PaymentDifference['field'], keyof SalePayload>]: true } = {
  uuid: true,
  status: true,
  situation: true,
  type: true,
  refunds: true,
};

/**
 * Which names may be printed. A map in a body has keys from outside, such as a CPF: they are in `issues`, and `*` stands
 * for them.
 */
export function isHarmless(name: PropertyKey): boolean {
  return String(name)
    .split('.')
    .every((part) => HARMLESS.has(part));
}

/** The names of the documented kinds' fields. */
export const DOCUMENTED: ReadonlySet<string> = /* @__PURE__ */ documentedFields();

// `content` and `body` are what a kind of the merchant's own is compared by.
const HARMLESS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  ...DOCUMENTED,
  ...Object.keys(OF_TRANSACTION),
  'content',
  'body',
]);

/** The names of the fields, never their values; `the body` for an issue of the whole. */
export function pathsOf(issues: readonly ValidationIssue[]): string {
  const shown = (name: PropertyKey) => (typeof name === 'number' || isHarmless(name) ? String(name) : '*');
  const paths = issues.map(({ path }) => inOneLine(path.map(shown).join('.')) || 'the body');
  const more = paths.length > MAX_PATHS ? ` and ${paths.length - MAX_PATHS} more` : '';
  return `${paths.slice(0, MAX_PATHS).join(', ')}${more}`;
}

const MAX_DESCRIPTION_LENGTH = 300;

/** Makes a text printable and short: some messages quote the sender, who must not be able to forge a log line. */
export function inOneLine(text: string): string {
  const line = text
    .slice(0, MAX_DESCRIPTION_LENGTH)
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  return text.length > MAX_DESCRIPTION_LENGTH ? `${line}…` : line;
}
