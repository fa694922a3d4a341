/** What each row of the table of inventions invents, and why. */
export const en = {
  wrongCredentials:
    'A call with missing or wrong credentials gets this answer, because the document shows no answers to errors.',
  unknownPath:
    'A call to a path of no operation gets this answer, because the document shows no answers to errors.',
  wrongMethod:
    'A call with the wrong HTTP method gets this answer, because the document shows no answers to errors.',
  wrongMediaType:
    'A call whose body is not sent as JSON gets this answer, because the document shows no answers to errors.',
  bodyTooLarge:
    'A call whose body is too large gets this answer, because the document shows no answers to errors.',
  invalidBody:
    'A call whose body lacks a field or is not JSON gets this answer, because the document shows no answers to errors.',
  unknownTransaction:
    'A query for a transaction that does not exist gets this answer, because the document shows no answers to errors.',
  unknownScheduledPayment:
    'A cancellation of a scheduled payment that does not exist gets this answer, because the document shows no answers to errors.',
  cancellationRefused:
    'A cancellation of a payment that is no longer scheduled gets this answer, because the document shows no answers to errors.',
  repeatedCancellation:
    'A second cancellation of the same payment is refused, because the document does not say what happens.',
  repeatedReferenceCode:
    'Two journeys may have the same order identifier, because the document shows no refusal.',
  bodyStatusMinus1:
    'The fault with body status -1 answers this, because the document does not explain that status.',
  bodyStatus999:
    'The fault with body status 999 answers this, because the document does not explain that status.',
  maxBodyBytes: 'A call may have this many bytes, because the document names no largest size.',
  utcOffsetMinutes:
    'Dates and times are those of Brasília, in minutes from UTC, because the document names no time zone.',
  defaultMaxAgeMinutes:
    'The query shows this `maxAge`, in minutes, of a journey created without one, which never expires, because the document gives no default.',
  amountWithoutImmediatePayment:
    'A journey that charges nothing today shows the amount of its later payments, because the document shows no other.',
  saleCodePrefix: 'A sale code is this letter and a number, because the document does not show its form.',
  shipping: 'A sale has these shipping costs, because the request of a journey has none.',
  discounts: 'A sale has these discounts, because the request of a journey has none.',
  shopperNames:
    'The first word of the name is the first name, because the document does not say how one name becomes two.',
  appliedRate: 'The service takes this fee on a sale, because the document shows no amount.',
  serviceFee: 'The service takes this fee on a payout, because the document shows no amount.',
  payerAccount:
    'The payer and the default payout have this account, which no bank has, because a real one must not appear here.',
  instructions: 'The payer reads these texts, because the document does not show the real ones.',
  qrCodeBase64:
    'The image of the QR code is plain Base64, because the document does not say whether it begins with `data:`.',
  qrCodeMerchant:
    'The QR code names this merchant, at an address that does not exist, because nobody should be able to pay it.',
  refundsOfTransaction:
    'A query says what is left to refund and gives each reason as its `remark`, because the document shows only the fields.',
  cancelledJourney: 'A cancelled journey sends no notification, because the document shows none.',
  scheduledPayments:
    'This many payments are scheduled at a time, by the calendar, because the document shows only their ids.',
  authorization:
    'An authorization leaves the transaction of the journey waiting, because the document shows no change.',
  recurrenceEvents:
    "A recurrence sends the events of the service's public pages, because the document names them and shows none.",
  recurrencePlan:
    "A recurrence without a plan has this one, because the service's public pages show only the fields.",
  recurrenceIds:
    "The ids of a recurrence and of a Pix come from the uuid, because the service's public pages show only their form.",
  dueTime:
    "A due date in an event has this time of day, because the service's public pages show only the form of a date-time.",
  rejectionReason:
    "A charge that failed has this text of a bank's, because the service's public pages show only the codes.",
  chargeReference:
    "The transaction of a charge has the reference of its journey, because the service's public pages do not say which.",
  retriedSale:
    "A charge that is tried again keeps its sale, because the service's public pages do not say whether it does.",
  retryDay:
    "A retry is dated a day after the last try, because the service's public pages say within 7 days and not when.",
  failedCharge:
    "The transaction of a charge that failed stays as it was, because the service's public pages do not show it.",
  payerIspb:
    "The payer has this bank, which does not exist, because the service's public pages show only the field.",
  recurrenceCredentials:
    "A call about recurrences with a wrong pair gets this text, because the service's public pages show only its status.",
  unknownRecurrence:
    "A call about no recurrence gets this text, because the service's public pages show only the two statuses.",
  recurrenceEnded:
    "A second cancellation of a recurrence gets this text, because the service's public pages show only the status.",
  invalidRecurrenceCall:
    "A wrong call about recurrences gets this text, because the service's public pages show only the form of `errors`.",
  defaultReasons:
    'A refund or reversal that is given no reason has one of these, because the document shows none.',
  refundAmountFields:
    'A refund has its amount under both names, because the document has both and does not say which one counts.',
  receiptPrefix: 'A receipt is this text and a number, because the document does not show its form.',
  saleReversalNotification:
    'A reversal sends no notification about its sale, because the document names that event without a payload.',
  failedPayoutStatus:
    'A failed payout has this status, because the document shows PENDING in its example and FAILED in its list.',
  failedPayoutQuery:
    'A failed payout carries this query, because the document shows its second parameter for a successful one alone.',
  failedPayoutMessage:
    'The reason of the bank stands here in the message, because the document only says that it may follow.',
  deliveryTimeoutMs: 'A listener has this many milliseconds to answer, because the document names no limit.',
};
