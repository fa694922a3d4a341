import type { PaymentsError } from '../../src/errors';

export type Errors = typeof import('../../src/errors') & typeof import('../../src/orders/errors');

export const context = { operation: 'createRecurringCheckout', outcome: 'unknown', attempts: 2 } as const;
const issues = [{ path: ['a', 0, 'b'], message: 'expected a string' }];
export const secret = 'marked-personal-data';
export const body = { status: 999, message: secret, [secret]: secret };

/** One of each class, made by the classes of a copy of the module. */
export const makers = {
  ConfigurationError: (e: Errors) => new e.ConfigurationError('m'),
  InvalidRequestError: (e: Errors) => new e.InvalidRequestError('The request', issues),
  ApiError: (e: Errors) => new e.ApiError('m', { ...context, httpStatus: 400, body }),
  InvalidResponseError: (e: Errors) =>
    new e.InvalidResponseError('m', { ...context, issues, body, uuid: 'u' }),
  ConnectionError: (e: Errors) => new e.ConnectionError('m', { ...context, reason: 'ECONNRESET' }),
  TimeoutError: (e: Errors) => new e.TimeoutError('m', context),
  AbortedError: (e: Errors) => new e.AbortedError('m', { ...context, cause: 'why' }),
  WebhookAuthenticationError: (e: Errors) => new e.WebhookAuthenticationError('mismatch'),
  InvalidNotificationError: (e: Errors) => new e.InvalidNotificationError('m', { issues, body }),
  StoreError: (e: Errors) => new e.StoreError('m', { cause: new Error('driver') }),
  OrderBusyError: (e: Errors) => new e.OrderBusyError(),
  OrderConflictError: (e: Errors) => new e.OrderConflictError(['amount'], 'u'),
} satisfies Record<string, (errors: Errors) => PaymentsError>;

export type Name = keyof typeof makers;
export const names = Object.keys(makers) as Name[];
