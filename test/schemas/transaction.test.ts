import { transactionSchema } from 'pix-automatic-sdk';
import { expect, it } from 'vitest';
import { transactionAnswer } from '../client/support';
import { changed, table, testFields } from './fields';

const refund = 'refunds.transactions.0';

// Document section 2.3, which marks no field as required.
const fields = table(`
  status                  number
  message                 string
  id                      number
  uuid                    string
  type                    string
  situation               string
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

testFields(transactionSchema, transactionAnswer, fields, { nullIsAbsence: true });

it.each(['PENDING', 'CANCELLED', 'PAID', 'A_STATUS_OF_TOMORROW'])(
  'situation %s is let through',
  (situation) => {
    const answer = changed(transactionAnswer(), 'situation', situation);
    expect(transactionSchema['~standard'].validate(answer)).toEqual({ value: answer });
  },
);

it('the elements of refunds.transactions are objects', () => {
  const answer = changed(transactionAnswer(), 'refunds.transactions', [{}, null, 'x']);
  expect(transactionSchema['~standard'].validate(answer)).toEqual({
    issues: [1, 2].map((index) => ({
      path: ['refunds', 'transactions', index],
      message: 'expected an object',
    })),
  });
});

it('ids beyond the safe integers are let through', () => {
  const answer = { id: 2 ** 53 + 2 };
  expect(transactionSchema['~standard'].validate(answer)).toEqual({ value: answer });
});
