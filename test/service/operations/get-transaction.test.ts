import { transactionSchema } from 'pix-automatic-sdk';
import { expect, it } from 'vitest';
import { transactionAnswer } from '../../client/support';
import { changed, testFields } from '../fields';
import { transactionFields } from '../tables';

testFields(transactionSchema, transactionAnswer, transactionFields, { lenient: true });

it.each(['PENDING', 'CANCELLED', 'PAID', 'A_STATUS_OF_TOMORROW'])('situation %s is accepted', (situation) => {
  const answer = changed(transactionAnswer(), 'situation', situation);
  expect(transactionSchema['~standard'].validate(answer)).toEqual({ value: answer, leftOut: [] });
});

it('a list of refunds is left out when one of its elements is not an object', () => {
  const answer = changed(transactionAnswer(), 'refunds.transactions', [{}, null, 'x']);
  const { refunds, ...others } = transactionAnswer();
  const { transactions: _, ...without } = { ...refunds };
  expect(transactionSchema['~standard'].validate(answer)).toEqual({
    value: { ...others, refunds: without },
    leftOut: [{ path: ['refunds', 'transactions'], message: 'expected the documented type, got an array' }],
  });
});

it('a wrong field of a refund in the list is left out, and the rest of the refund is kept', () => {
  const answer = changed(transactionAnswer(), 'refunds.transactions', [
    { total: 1 },
    { total: '2', uuid: 'r' },
  ]);
  expect(transactionSchema['~standard'].validate(answer)).toEqual({
    value: changed(answer, 'refunds.transactions', [{ total: 1 }, { uuid: 'r' }]),
    leftOut: [
      {
        path: ['refunds', 'transactions', 1, 'total'],
        message: 'expected the documented type, got a string',
      },
    ],
  });
});

it('ids beyond the safe integers are accepted', () => {
  const answer = { id: 2 ** 53 + 2 };
  expect(transactionSchema['~standard'].validate(answer)).toEqual({ value: answer, leftOut: [] });
});
