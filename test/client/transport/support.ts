import { ApiError, type CallError, ConnectionError, type Outcome, TimeoutError } from 'pix-automatic-sdk';
import { FailedAttempt } from '../../../src/client/transport/failed-attempt';
import { operations } from '../../../src/service/operations';

export const allOperations = Object.values(operations);

const context = (outcome: Outcome, attempts = 1) =>
  ({ operation: 'createRecurringCheckout', attempts, outcome }) as const;

export const errors = {
  api: (
    httpStatus: number,
    outcome: Outcome = 'refused',
    fields: { retryAfterMs?: number; attempts?: number } = {},
  ) =>
    new ApiError('m', {
      ...context(outcome, fields.attempts),
      httpStatus,
      body: '',
      retryAfterMs: fields.retryAfterMs,
    }),
  connection: (outcome: Outcome, reason?: string, attempts?: number) =>
    new ConnectionError('m', { ...context(outcome, attempts), reason }),
  timeout: (outcome: Outcome = 'unknown', attempts?: number) =>
    new TimeoutError('m', context(outcome, attempts)),
};

export const failed = (error: CallError, outcome: Outcome = error.outcome) =>
  new FailedAttempt(error, outcome);
