import { table } from './fields';

// The field tables of the document. They are written by hand, and nothing in them comes from the source, so that a
// schema or a fixture cannot agree with itself.

/** Section 2.1. Required is what an order cannot be without. */
export const checkoutRequestFields = table(
  `
  currency       string!
  referenceCode  string!
  amount         number
  maxAge         number
  callbackURL    string
  shopper        object!
  shopper.id     string
  shopper.email  string
  shopper.name   string
  shopper.document        object
  shopper.document.type   string
  shopper.document.number string
  shopper.phone           object
  shopper.phone.type      string
  shopper.phone.number    string
  recurrence              object!
  recurrence.planId       string
  recurrence.immediatePayment boolean!
  recurrence.amount           object
  recurrence.amount.recurrenceAmount number
  recurrence.calendar             object
  recurrence.calendar.initialDate string
  recurrence.calendar.finalDate   string
  recurrence.calendar.periodicity string
  recurrence.retry                boolean
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

/** Section 2.2. Required is what the operation is for: the uuid, and a way to the QR code. */
export const checkoutAnswerFields = table(
  `
  status                              number
  message                             string
  response                            object!
  response.id                         number
  response.referenceCode              string
  response.amount                     number
  response.saleCode                   string
  response.uuid                       string!
  response.shopper                    object
  response.shopper.id                 string
  response.shopper.name               string
  response.shopper.email              string
  response.shopper.document           object
  response.shopper.document.type      string
  response.shopper.document.number    string
  response.shopper.phone              object
  response.shopper.phone.type         string
  response.shopper.phone.number       string
  response.instructions               object!
  response.instructions.chosen        string
  response.instructions.name          string
  response.instructions.label         string
  response.instructions.qrCode        object!
  response.instructions.qrCode.url    string
  response.instructions.qrCode.base64 string
  response.instructions.qrCode.plain  string
  response.instructions.steps         object
  response.instructions.steps.qrCode  array
  `,
  { 'response.uuid': ['u'], 'response.instructions.qrCode': [{ plain: 'x' }, { url: 'x', novel: 1 }] },
);

const refund = 'refunds.transactions.0';

/** Section 2.3, which marks no field as required. */
export const transactionFields = table(`
  status                  number
  message                 string
  id                      number
  uuid                    string?
  type                    string
  situation               string?
  currency                string
  amount                  number
  shipping                number
  discounts               number
  total                   number
  appliedRate             number
  referenceCode           string
  creation                string
  maxAge                  string
  shopper                 object
  shopper.bankDetails     object
  shopper.bankDetails.account string
  shopper.bankDetails.branch  string
  shopper.document        object
  shopper.document.number string
  shopper.document.type   string
  shopper.email           string
  shopper.phone           object
  shopper.phone.number    string
  shopper.phone.type      string
  beneficiary             object
  refunds                 object
  refunds.available       number
  refunds.quantity        number
  refunds.requested       number
  refunds.transactions    array
  ${refund}.bankDetails         object
  ${refund}.bankDetails.account string
  ${refund}.bankDetails.bank    string
  ${refund}.bankDetails.branch  string
  ${refund}.creation            string
  ${refund}.creditDate          string
  ${refund}.creditTransferDetails               object
  ${refund}.creditTransferDetails.referenceCode string
  ${refund}.creditTransferDetails.saleUUID      string
  ${refund}.creditTransferDetails.total         number
  ${refund}.remark        string
  ${refund}.status        string
  ${refund}.total         number
  ${refund}.uuid          string
  serviceFee              number
  has_return_error        boolean
  return_error            object
  track                   object
`);

/** Section 4.3. */
export const cancellationRequestFields = table('reason string!');

/** Section 4.3. */
export const cancellationAnswerFields = table(`
  status  number!
  message string
`);

// Of a notification, required is what tells it from another: its identity and its state.

/** Section 6.2. */
export const saleFields = table(`
  saleToken     string!
  referenceCode string
  currency      string
  amount        number
  shopper       object
  shopper.id        string
  shopper.firstName string
  shopper.lastName  string
  shopper.email     string
  shopper.agency    string
  shopper.account   string
  date          string
  newStatus     string!
`);

/** Section 6.3. */
export const reversalFields = table(`
  id             number
  uuid           string!
  currency       string
  originalAmount number
  reversedAmount number
  status         string!
  bankDetails         object
  bankDetails.bank    string
  bankDetails.branch  string
  bankDetails.account string
  sale           object
  sale.id        number
  sale.uuid      string
  creation       string
  receipt        string
  reason         string
`);

/** Section 6.4. */
export const refundFields = table(`
  saleToken      string!
  referenceCode  string
  currency       string
  originalAmount number
  reversedAmount number
  amountRefunded number
  bankDetails         object
  bankDetails.bank    string
  bankDetails.branch  string
  bankDetails.account string
  receipt        string
  status         string!
  refund            object!
  refund.id         number
  refund.uuid       string!
  refund.status     string
  refund.amount     number
  refund.creation   string
  refund.creditDate string
  reason         string
  date           string
`);

/** Section 6.5. */
export const payoutFields = table(`
  success       boolean!
  message       string
  id            number
  uuid          string!
  currency      string
  amount        number
  status        string!
  referenceCode string
  bankDetails         object
  bankDetails.bank    string
  bankDetails.branch  string
  bankDetails.account string
  creation      string
  receipt       string
`);

/** Section 6.5: only a payout that failed has a code. */
export const failedPayoutFields = [...payoutFields, ...table('error_code string')];
