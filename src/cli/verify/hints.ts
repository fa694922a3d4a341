import type { Exchange } from './send';

/** The title of each step, and the usual causes of its failure, with what to do about them. */
interface Text {
  readonly title: string;
  readonly usually?: string;
  /** Where it was refused. Default: `usually`. */
  readonly refused?: string;
}

const claims =
  'the key is looked up and then written, and two requests look before either has written. Claim it before the work, by a unique index or one statement that only one of them wins. `createWebhookHandler` with a store does this.';
const letters =
  'the body is read in another encoding than UTF-8, `content-length` is counted in characters in place of bytes, or letters beyond ASCII are refused.';
const cents =
  'amounts are multiplied by 100 and not rounded (19.99 * 100 is 1998.9999999999998), put through a column, a schema or a cast of whole numbers or too few digits, or read back from text for people, such as `1,234.56`.';
const states =
  'each notification writes its status over that of before, PENDING is booked once more, or it is refused. Answer 200 to a state that is over, and do not go back to it: a retry comes a minute or more late (document section 6.1).';
const leftBehind =
  'the earlier notification left something behind: its key or a state (record it with the booking, not before), a lock, or the answer of the service, which is not asked for again.';

export const steps = {
  first: {
    title: 'Accepts and books a payment',
    usually:
      'it is booked twice, or `--effects` reads a row twice, as a JOIN may; or its amounts are in cents.',
  },
  again: {
    title: 'Books a payment once that comes three times',
    usually:
      'no key is recorded, it holds the time or is recorded after the response, or it stands in the memory of one process or one request. Record a key of the identity in the same transaction as the booking, in a database that all processes share, and answer 200 to what is recorded (document section 6.1). `createWebhookHandler` with a store does this.',
    refused:
      'what is recorded is refused, so that the service sends it again. Answer 200 to it (document section 6.1).',
  },
  cents: { title: 'Books amounts to the cent', usually: cents },
  shopAmounts: { title: 'Books payments of the amounts that the shop chooses', usually: cents },
  alike: {
    title: 'Books two sales of the same amount, day and shopper',
    usually:
      'the key, or a unique index, is made from amount, date or shopper. Only the `saleToken` identifies a payment (document section 6.1).',
  },
  refund: {
    title: 'Books a partial refund of a sale that was paid',
    usually:
      'the key is the `saleToken` or reference code, which the refund shares with its payment; a refund is not told from a payment, or changes its row; or the amount of the whole sale is booked. A refund has its own `refund.uuid` and `refund.amount` (document section 6.4).',
    refused:
      'the route takes no query (`?refund=true&type=refund`), a schema requires fields of a payment, or refunds are not expected. If this URL takes none, leave them out of --kinds (document section 6.4).',
  },
  secondRefund: {
    title: 'Books a second refund of that sale, of the same amount, without `amountRefunded`',
    usually:
      'the key is made from `saleToken`, reference code or amount in place of `refund.uuid`, a sale takes one refund alone, or `amountRefunded` is needed, which only the description in the document has. Read `refund.amount` (document section 6.4).',
  },
  refundNoQuery: {
    title: 'Books a refund that comes without its query, which gateways may drop',
    usually:
      'the kind is taken from the query alone. A body with `refund` is a refund, and never a payment (document section 6.4). `parseNotification` looks at both.',
  },
  refundFirst: {
    title: 'Takes a refund that comes before its payment, or refuses it for now',
    usually:
      'the refund is booked as something else where no payment is known. Answer 503 until the payment is there, or keep the refund.',
  },
  refundOvertakes: {
    title: 'Books both once the payment comes',
    usually:
      'a refund of a sale that is not known yet is answered 200 and dropped (answer 503: the service sends it again); it closes the order, or shares its key with the payment; or the payment is dropped or refused because money went back (`acceptRefunded` of `confirmPayment`), and the refund waits for it.',
  },
  reversal: {
    title: 'Books a reversal PAID of a part of its sale, whose PENDING was lost',
    usually:
      'the listener knows a reversal by its PENDING alone, does not tell a reversal from a payment or a refund, or books `originalAmount` in place of `reversedAmount` (document section 6.3).',
  },
  secondReversal: {
    title: 'Books a second reversal of that sale, of the same amount',
    usually:
      'the key is made from the UUID of the sale, or its amount, in place of the `uuid` of the reversal (document section 6.3); or a sale is closed by its first reversal.',
  },
  reversalBegins: {
    title: 'Accepts a reversal PENDING',
    usually:
      'a reversal is not told from other kinds, a status other than PAID is refused, or a field is read that is null until it is PAID, such as `receipt` (document section 6.3).',
  },
  reversalEnds: {
    title: 'Books the same reversal PAID',
    usually:
      'the key is the `uuid` alone, which a reversal keeps from PENDING to PAID: take `uuid` and `status` together, as `notification.key` does. Or PENDING and PAID are booked as two returns (document section 6.3).',
  },
  latePending: { title: 'Leaves a reversal as it is when its PENDING comes late', usually: states },
  reversalCancelled: {
    title: 'Has no row for a reversal that is CANCELLED',
    usually:
      'CANCELLED is booked or refused, or what was booked at its PENDING stays. CANCELLED: no money went back (document section 6.3).',
  },
  payout: {
    title: 'Books a payout',
    usually:
      'a payout is not told from other kinds: it has `success`, and no `saleToken` (document section 6.5). Or its key is made from a field that it does not have.',
    refused:
      'payouts are not expected: a schema, a route or the handler takes other kinds alone. If this URL takes none, leave them out of --kinds.',
  },
  failedPayout: {
    title: 'Books nothing for a payout that failed',
    usually:
      'it is booked, and with `success` false nothing was paid; `type=payout` is needed, which it does not carry; or a field is read that it does not have, such as `receipt` (document section 6.5).',
  },
  payoutAfterFailed: {
    title: 'Books the same payout when it is paid after all',
    usually:
      'the key is the `uuid` alone, which a payout keeps: take `uuid` and `status` together, as `notification.key` does. Or the key is made from a field that two payouts share, or a payout that failed is closed for good (document section 6.5).',
  },
  leftOut: {
    title: 'Takes a notification without the fields that the document does not promise',
    usually:
      'such a field is read without care (`payload.shopper?.email`), a schema requires it, or nothing is booked without it (document sections 6.2 to 6.5). The types of `parseNotification` show which fields are sure.',
  },
  nulls: {
    title: 'Takes a notification with null in their place, and with unknown fields',
    usually:
      'a schema refuses null or unknown fields (`strict()`, `additionalProperties: false`), or `undefined` alone is looked for. Read what you need, and leave the rest alone.',
  },
  split: {
    title: 'Reads a body that comes in two pieces',
    usually:
      'the first piece is treated as the whole body. Read to the end of the request before you parse it.',
  },
  long: {
    title: 'Reads a body of 150 KB',
    usually:
      'the listener, its body parser or a web server takes 100 KiB or less (Express: `express.json({ limit: "1mb" })`), or only the first bytes are read. The document shows no limit (section 8): take 1 MB.',
  },
  letters: { title: 'Reads letters such as ã in a name', usually: letters },
  reference: { title: 'Reads letters such as ã in a reference code', usually: letters },
  cutLetter: {
    title: 'Reads a letter whose bytes come in two pieces',
    usually:
      'each piece is decoded by itself, as by `body += chunk`. Join the bytes before you decode them: `Buffer.concat`, `setEncoding("utf8")` or a body parser.',
  },
  allAgain: {
    title: 'Books nothing when a payment, refund, reversal and payout of before come again',
    usually:
      'no key is recorded for that kind, only the latest keys are kept, or for seconds, or they stand in the memory of one of several processes (document section 6.1). `createWebhookHandler` with a store keeps a key of every kind.',
    refused:
      'what is recorded is refused, so that the service sends it again. Answer 200 to it (document section 6.1).',
  },
  reordered: {
    title: 'Books nothing when they come with their fields in another order',
    usually:
      'the key is made from the whole body. Make it from the fields that identify: the order of fields in JSON says nothing.',
  },
  fiveAtOnce: { title: 'Books a payment once that comes five times at the same moment', usually: claims },
  refundAtOnce: { title: 'Books a refund once that comes three times at the same moment', usually: claims },
  payoutAtOnce: { title: 'Books a payout once that comes three times at the same moment', usually: claims },
  threeAtOnce: {
    title: 'Books each of three payments that come at the same moment',
    usually:
      'what is read is written back whole, so that one takes the place of another (one INSERT each, or a lock; in PHP: `flock`); or the listener answers 200 while it is busy, in place of 503.',
  },
  unasked: {
    title: 'Keeps a payment for later while the service cannot be asked about it',
    usually:
      'an error of the query is caught and answered 200, so that the service does not send the payment again (answer 503: document section 6.1), or counts as a yes; or the key is recorded before the service is asked.',
  },
  wrongAmount: {
    title: 'Books nothing for a payment of 0.01 that the service does not confirm',
    usually:
      'the amount is not compared with that of the sale, or the result (`confirmed`) is not looked at. `confirmPayment` compares situation, amount, currency and reference code.',
  },
  rightAmount: { title: 'Books the right payment of that sale after the wrong one', usually: leftBehind },
  unpaid: {
    title: 'Books nothing for a sale that nobody has paid',
    usually:
      'the `situation` of the sale, which is not PAID, is not looked at. `confirmPayment` compares situation, amount, currency and reference code.',
  },
  paidSince: { title: 'Books that sale once it is paid', usually: leftBehind },
  afterRefused: {
    title: 'Books another sale after all that',
    usually:
      'a refused notification keeps what it holds: a lock, a connection, an open transaction. Release it in `finally`.',
  },
  unconfirmed: { title: 'Asks the service about a payment before it is booked' },
  laterCharge: {
    title: 'Books a later charge of an order that was paid before',
    usually:
      'payments are kept by their order, so that the charge of the next month looks like a repeat. Keep them by their `saleToken`: each charge is a sale of its own.',
  },
  secondPayment: {
    title: 'Takes a second payment of an order, and leaves the first as it is',
    usually:
      'payments are kept by their order, so that the second takes the place of the first, or is refused for good. Keep them by their `saleToken`: both have come, and one must be given back.',
  },
  authorized: {
    title:
      'Books nothing when the payer authorizes a recurrence (public pages of the service, not its document)',
    usually:
      'an authorization is booked as a payment, or an event that is not known is refused. No money has moved: look at `eventType`, and answer 200.',
  },
  chargePaid: {
    title: 'Books a charge that comes as an event (public pages of the service, not its document)',
    usually:
      'the amount of the recurrence is booked in place of `chargeAmount`, or the event is booked twice or under its `idRec`. Its `saleToken` identifies the charge.',
    refused: 'an event that is not known is refused. Answer 200 and keep it: it may be about money.',
  },
  chargeAsPayment: {
    title: 'Books the same charge once when it comes as a payment too',
    usually:
      'the key is made from the form in which a charge comes, such as `idRec` or `eventType`. Make it from the `saleToken`, which both forms share, as `notification.key` does.',
  },
  chargeFailed: {
    title: 'Books nothing for a charge that failed (public pages of the service, not its document)',
    usually:
      'every event with a `chargeAmount` is booked, or a failure is refused. Only RECURRENCE_CHARGE_PAID says that money has come.',
  },
  eventsAgain: {
    title: 'Books nothing when these events come again',
    usually:
      'no key is recorded for events. Record the `saleToken` of a charge, and `idRec` with `eventType` of the others.',
  },
  statuses: {
    title: 'Books nothing for a sale that is REVERSAL, PENDING or SANDBOX',
    usually:
      'a `newStatus` other than `PAID` is booked, and only `PAID` means that the sale is paid (document section 6.2); or it is refused, and then comes again for nothing.',
  },
  lateSale: {
    title: 'Leaves a payment as it is when the PENDING of its sale comes late',
    usually: states,
  },
  unknownKinds: {
    title: 'Accepts bodies of no kind in the document, and books nothing for them',
    usually:
      'one field (`saleToken`, `uuid`, a status) or a flag of the query decides what it is, whatever else is there; or what is not known is refused. Answer 200 and keep the body: the service may send notifications that its document does not show (section 6.1).',
  },
  afterUnknown: {
    title: 'Books a payment after them',
    usually: 'one of them still holds a lock or a connection. Release it in `finally`.',
  },
  headerName: {
    title: 'Finds the credentials under `authorization`, in lower case',
    usually:
      'the header is looked up as `Authorization` alone. Names of headers have no case: use a function that ignores it, such as `request.headers.get`.',
  },
  pairs: {
    title: 'Refuses wrong credentials and none, and books nothing',
    usually:
      'the header is not compared, or only in part, only where there is one, in any case or order, or with an empty pair too; the answer is a success (in PHP: after output), a redirect, an error or none; or the request goes on all the same. Compare all of it with `Basic ` and the Base64 of key, colon and token, and answer 401 first (document section 5). `createWebhookHandler` and `verifyAuthorization` do.',
  },
  kindsWithoutPair: {
    title: 'Refuses every other kind without credentials',
    usually:
      'credentials are checked for some kinds alone, or after the body is looked at. Check them first: a forged refund closes an order.',
  },
  methods: {
    title: 'Books nothing that comes by PUT or GET without credentials',
    usually:
      'credentials are not checked for this method. Check them before you look at the method, and take POST alone.',
  },
  restart: {
    title: 'Knows a payment of before after a restart',
    usually: 'keys stand in the memory of the process. Keep them where the bookings are, in the database.',
  },
  newAfterRestart: {
    title: 'Books a new payment after a restart',
    usually: 'the listener was not ready yet, or what it held before the restart still blocks it.',
  },
  status: {
    title: 'Accepts with 200 and with no other status',
    usually:
      'a framework or the listener answers 201, 202 or 204. The service knows no other success than 200: after any other it sends the notification again, five times (document section 6.1).',
  },
  prompt: {
    title: 'Answers within --limit',
    usually:
      'the work is done before the response: a mail, another service, a slow query. Write the notification to a queue or a table, answer 200, and work afterwards. The document does not say how long the service waits; choose a time with --limit.',
  },
  workFirst: {
    title: 'Has booked what it answers 200 to',
    usually:
      'work that is started is not awaited, or begins after the response. Answer after it, or after a durable write of the notification, which `--effects` shows as a row of kind `inbox`.',
  },
  secrets: {
    title: 'Puts no credentials into its responses',
    usually:
      'a response shows the request or the expected value, as a debug mode does. Answer with a fixed text, and change the credentials if the listener was public.',
  },
} satisfies Readonly<Record<string, Text>>;

/** A step of `verify`. */
export type StepId = keyof typeof steps;

/** A response that was wrong. */
type Wrong = Pick<Exchange, 'reception' | 'httpStatus' | 'failedFirst'>;

/** What was wrong besides: a row that is missing, something else, or nothing else. */
type Problem = 'missing' | 'found' | undefined;

/** Of the first payment, the status says more. */
function ofFirst(
  { reception, httpStatus: status, failedFirst }: Wrong,
  problem: Problem,
): string | undefined {
  if (reception === 'accepted') {
    if (problem === 'found')
      return 'several processes listen, each with rows and keys in its own memory. Keep both in a database that all of them share.';
    if (problem !== 'missing') return undefined;
    return failedFirst === undefined
      ? '`--effects` reads another place than the listener writes to, such as the memory of another process; the listener acts on orders of its own alone (pass --shop), or later than --effects-wait; or it does nothing, as where no parser reads the body or `newStatus` is spelt otherwise.'
      : 'the first attempt failed after its key was recorded, so that the second counted as a repeat. Record the key with the booking.';
  }
  if (status === undefined)
    return 'the handler ends without a response, something before it never goes on, or it waits for what is not there, such as a database.';
  if (status < 400)
    return 'there is a `/` too many or too few at the end of the path, http in place of https, or a log-in page in front.';
  if (status === 401 || status === 403)
    return 'the listener has another pair than PAYMENTS_API_KEY and PAYMENTS_API_TOKEN here, compares another header than `Basic ` and the Base64 of key, colon and token (document section 5), or does not get it: it looks for `authorization` in lower case alone, or a web server keeps it (Apache with PHP: `CGIPassAuth On`).';
  if (status === 404 || status === 405)
    return 'the path is another one, or needs a query, which a payment does not have; it does not take POST; or the listener looks up an order of its own and finds none (pass --shop).';
  if (status === 413)
    return 'a body parser or a web server in front has a very low limit: take bodies of 1 MB.';
  if (status === 415)
    return 'another media type is expected than `application/json`, such as one with a charset (document section 6.1).';
  if (status === 429) return 'a rate limit is used up. Leave the notifications of the service out of it.';
  if (status < 500)
    return 'a schema refuses the body, no body parser reads JSON, or the listener refuses a sale that it or the service does not know (pass --sandbox; if it looks up its orders, pass --shop).';
  return 'no body parser reads JSON (Express: `app.use(express.json())`), or the body is read or parsed twice; it refuses a sale that it or the service does not know (pass --sandbox; if it looks up its orders, pass --shop); or it is down. Its log says more.';
}

const BROKEN =
  'an error that nothing catches ends the process or the connection. Its log says which; answer 500 to it in place of that.';

/**
 * What usually makes a step fail, and what to do.
 *
 * @param wrong - the first response that was wrong, or the first one
 */
export function hintOf(id: StepId, wrong: Wrong | undefined, problem: Problem): string | undefined {
  const { usually, refused = usually }: Text = steps[id];
  if (wrong?.reception === 'broken' || wrong?.reception === 'gone') return BROKEN;
  const own = id === 'first' && wrong !== undefined ? ofFirst(wrong, problem) : undefined;
  return own ?? (wrong?.reception === 'refused' ? refused : usually);
}
