import { transactionSchema } from 'pix-automatic-sdk';
import { expect, it } from 'vitest';
import { transactionAnswer } from '../../client/support';
import { changed, testFields } from '../fields';
import { transactionFields } from '../tables';

testFields(transactionSchema, transactionAnswer, transactionFields, { lenient: true });

const { validate } = transactionSchema['~standard'];
const withRefunds = (transactions: unknown) =>
  changed(transactionAnswer(), 'refunds.transactions', transactions);
const issueAt = (path: unknown[], type: string) => ({
  path,
  message: `expected the documented type, got ${type}`,
});
const list = ['refunds', 'transactions'];

it.each(['PENDING', 'CANCELLED', 'PAID', 'A_STATUS_OF_TOMORROW'])('situation %s is accepted', (situation) => {
  const value = changed(transactionAnswer(), 'situation', situation);
  expect(validate(value)).toEqual({ value, leftOut: [] });
});

it('a list of refunds is left out when one of its elements is not an object', () => {
  const { transactions: _, ...refunds } = { ...transactionAnswer().refunds };
  const value = { ...transactionAnswer(), refunds };
  expect(validate(withRefunds([{}, null, 'x']))).toEqual({ value, leftOut: [issueAt(list, 'an array')] });
});

it('a wrong field of a refund in the list is left out, and the rest of the refund is kept', () => {
  const value = withRefunds([{ total: 1 }, { uuid: 'r' }]);
  const leftOut = [issueAt([...list, 1, 'total'], 'a boolean')];
  expect(validate(withRefunds([{ total: 1 }, { total: true, uuid: 'r' }]))).toEqual({ value, leftOut });
});

it('the sum of a refund that comes as text is the number that it says', () => {
  const value = withRefunds([{ total: 9.7 }]);
  expect(validate(withRefunds([{ total: '9.70' }]))).toEqual({ value, leftOut: [] });
});

it('ids beyond the safe integers are accepted', () => {
  const value = { id: 2 ** 53 + 2 };
  expect(validate(value)).toEqual({ value, leftOut: [] });
});
