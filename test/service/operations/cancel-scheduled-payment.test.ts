import {
  scheduledPaymentCancellationRequestSchema,
  scheduledPaymentCancellationSchema,
} from 'pix-automatic-sdk';
import { describe, expect, it } from 'vitest';
import { cancellationAnswer } from '../../client/support';
import { testFields } from '../fields';
import { cancellationAnswerFields, cancellationRequestFields } from '../tables';

// Document section 4.3.
describe('the request', () => {
  testFields(
    scheduledPaymentCancellationRequestSchema,
    () => ({ reason: 'moved house' }),
    cancellationRequestFields,
    { lenient: false },
  );
});

describe('the response', () => {
  testFields(scheduledPaymentCancellationSchema, cancellationAnswer, cancellationAnswerFields, {
    lenient: true,
  });
});

it('an empty reason is accepted, because only the service can judge it', () => {
  expect(scheduledPaymentCancellationRequestSchema['~standard'].validate({ reason: '' })).toEqual({
    value: { reason: '' },
    leftOut: [],
  });
});
