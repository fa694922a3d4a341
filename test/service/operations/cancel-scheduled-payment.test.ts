import {
  scheduledPaymentCancellationRequestSchema as requestSchema,
  scheduledPaymentCancellationSchema as responseSchema,
} from 'pix-automatic-sdk';
import { describe, expect, it } from 'vitest';
import { cancellationAnswer } from '../../client/support';
import { testFields } from '../fields';
import { cancellationAnswerFields, cancellationRequestFields } from '../tables';

// Document section 4.3.
describe('the request', () => {
  testFields(requestSchema, () => ({ reason: 'moved' }), cancellationRequestFields, { lenient: false });
});

describe('the response', () => {
  testFields(responseSchema, cancellationAnswer, cancellationAnswerFields, { lenient: true });
});

it('an empty reason is accepted, because only the service can judge it', () => {
  const value = { reason: '' };
  expect(requestSchema['~standard'].validate(value)).toEqual({ value, leftOut: [] });
});
