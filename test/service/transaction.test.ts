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

testFields(transactionSchema, transactionAnswer, fields, { lenient: true });

it.each(['PENDING', 'CANCELLED', 'PAID', 'A_STATUS_OF_TOMORROW'])('situation %s is accepted', (situation) => {
  const answer = changed(transactionAnswer(), 'situation', situation);
  expect(transactionSchema['~standard'].validate(answer)).toEqual({ value: answer, leftOut: [] });
});

it('a list of refunds is left out when one of its elements is not an object', () => {
  const answer = changed(transactionAnswer(), 'refunds.transactions', [{}, null, 'x']);
  const { refunds, ...others } = transactionAnswer();
  const { transactions: _, ...without } = refunds;
  expect(transactionSchema['~standard'].validate(answer)).toEqual({
    value: { ...others, refunds: without },
    leftOut: [{ path: ['refunds', 'transactions', 1], message: 'expected an object, got null' }],
  });
});

it('a wrong field of a refund in the list is left out, and the rest of the refund is kept', () => {
  const answer = changed(transactionAnswer(), 'refunds.transactions', [
    { total: 1 },
    { total: '2', uuid: 'r' },
  ]);
  expect(transactionSchema['~standard'].validate(answer)).toEqual({
    value: changed(answer, 'refunds.transactions', [{ total: 1 }, { uuid: 'r' }]),
    leftOut: [{ path: ['refunds', 'transactions', 1, 'total'], message: 'expected a number, got a string' }],
  });
});

it('ids beyond the safe integers are accepted', () => {
  const answer = { id: 2 ** 53 + 2 };
  expect(transactionSchema['~standard'].validate(answer)).toEqual({ value: answer, leftOut: [] });
});
