import { table } from './fields';

// The field tables of the document. They are written by hand, and nothing in them comes from the source, so that a
// schema or a fixture cannot agree with itself.

/** Section 2.1. Required is what an order cannot be without. */
export const checkoutRequestFields = table(
  `
  currency string!, referenceCode string!, amount number, maxAge number, callbackURL string
  shopper object!, recurrence object!
  shopper: id string, email string, name string, document object, phone object
  shopper.document: type string, number string
  shopper.phone: type string, number string
  recurrence: planId string, immediatePayment boolean!, amount object, calendar object, retry boolean
  recurrence.amount: recurrenceAmount number
  recurrence.calendar: initialDate string, finalDate string, periodicity string
  `,
  {
    currency: ['BRL', 'USD'],
    referenceCode: ['r'],
    amount: [0, 59.7],
    maxAge: [1, 0.5, 1e6],
    callbackURL: ['https://a.example', 'http://a.example/x?y#z', 'HTTPS://A.EXAMPLE'],
    'recurrence.immediatePayment': [true, false],
    'recurrence.amount.recurrenceAmount': [0.01, 59.7],
    'recurrence.calendar.initialDate': ['2027-01-31', '2024-02-29'],
    'recurrence.calendar.finalDate': ['2028-01-31', '2027-02-28'],
  },
);

/** Of the request, not in the document: the service's public pages. */
export const variableAmountFields = table(
  'recurrence.amount: valueType string, debitorMinimumAmount number',
  { 'recurrence.amount.debitorMinimumAmount': [0, 0.01, 59.7] },
);

/** Section 2.2. Required is what the operation is for: the uuid, and a way to the QR code. */
export const checkoutAnswerFields = table(
  `
  status number, message string, response object!
  response: id number, referenceCode string, amount number, saleCode string, uuid string!
  response: shopper object, instructions object!
  response.shopper: id string, name string, email string, document object, phone object
  response.shopper.document: type string, number string
  response.shopper.phone: type string, number string
  response.instructions: chosen string, name string, label string, qrCode object!, steps object
  response.instructions.qrCode: url string, base64 string, plain string
  response.instructions.steps: qrCode array
  `,
  { 'response.uuid': ['u'], 'response.instructions.qrCode': [{ plain: 'x' }, { url: 'x', novel: 1 }] },
);

const refund = 'refunds.transactions.0';

/** Section 2.3, which marks no field as required. */
export const transactionFields = table(`
  status number, message string, id number, uuid string?, type string, situation string?, currency string
  amount amount, shipping number, discounts number, total number, appliedRate number, referenceCode string
  creation string, maxAge string, shopper object, beneficiary object, refunds object, serviceFee number
  has_return_error boolean, return_error object, track object
  shopper: bankDetails object, document object, email string, phone object
  shopper.bankDetails: account string, branch string
  shopper.document: number string, type string
  shopper.phone: number string, type string
  refunds: available number, quantity number, requested number, transactions array
  ${refund}: bankDetails object, creation string, creditDate string, creditTransferDetails object
  ${refund}: remark string, status string, total amount, uuid string
  ${refund}.bankDetails: account string, bank string, branch string
  ${refund}.creditTransferDetails: referenceCode string, saleUUID string, total number
`);

/** Section 4.3. */
export const cancellationRequestFields = table('reason string!');

/** Section 4.3. */
export const cancellationAnswerFields = table('status number!, message string');

// Of a notification, required is what tells it from another: its identity and its state.

const identity = ['v-1', ' ', 'ç:%', 'x'.repeat(512), '😀'.repeat(256)];
const bankDetails = `
  bankDetails object
  bankDetails: bank string, branch string, account string`;

/** Section 6.2. */
export const saleFields = table(
  `
  saleToken string!, referenceCode string, currency string, amount number, shopper object, date string
  newStatus string!
  shopper: id string, firstName string, lastName string, email string, agency string, account string
  `,
  { saleToken: identity },
);

/** Section 6.3. */
export const reversalFields = table(
  `
  id number, uuid string!, currency string, originalAmount number, reversedAmount number, status string!
  sale object, creation string, receipt string, reason string
  sale: id number, uuid string
  ${bankDetails}
  `,
  { uuid: identity },
);

/** Section 6.4. */
export const refundFields = table(
  `
  saleToken string!, referenceCode string, currency string, originalAmount number, reversedAmount number
  amountRefunded number, receipt string, status string!, refund object!, reason string, date string
  refund: id number, uuid string!, status string, amount number, creation string, creditDate string
  ${bankDetails}
  `,
  { saleToken: identity, refund: [{ uuid: 'r-1' }], 'refund.uuid': identity },
);

/** Section 6.5. */
export const payoutFields = table(
  `
  success boolean!, message string, id number, uuid string!, currency string, amount number, status string!
  referenceCode string, creation string, receipt string
  ${bankDetails}
  `,
  { uuid: identity },
);

/** Section 6.5: only a payout that failed has a code. */
export const failedPayoutFields = [...payoutFields, ...table('error_code string')];

/** Not in the document: the service's public pages. */
export const recurrenceFields = table(
  `
  eventType event!, idRec string!, externalId string, planId string, contractId string, contractDescription string
  status string, periodicity string, valueType string, amount number, payerDocument string, payerName string
  initialDate string, finalDate string, nextRecurrenceDate string, eventDate string, saleToken string
  chargeAmount number, chargeDueDate string, chargeStatus string
  rejectionCode string, rejectionReason string, retryScheduled boolean
  `,
  { idRec: identity, saleToken: identity },
);
