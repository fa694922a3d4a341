import {
  scheduledPaymentCancellationRequestSchema,
  scheduledPaymentCancellationSchema,
} from 'pix-automatic-sdk';
import { describe, expect, it } from 'vitest';
import { cancellationAnswer } from '../client/support';
import { table, testFields } from './fields';

// Document section 4.3.
describe('the request', () => {
  testFields(
    scheduledPaymentCancellationRequestSchema,
    () => ({ reason: 'moved house' }),
    table('reason string!'),
    { lenient: false },
  );
});

describe('the response', () => {
  const fields = table(`
    status  number!
    message string
  `);
  testFields(scheduledPaymentCancellationSchema, cancellationAnswer, fields, { lenient: true });
});

it('an empty reason is accepted, because only the service can judge it', () => {
  expect(scheduledPaymentCancellationRequestSchema['~standard'].validate({ reason: '' })).toEqual({
    value: { reason: '' },
    leftOut: [],
  });
});
