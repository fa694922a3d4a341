import type { CallName } from '../../src/errors';
import type { OpenEnum } from '../../src/service/fields';
/**
 * Checked by `tsc`, never run: what compiles for a merchant, and what does not.
 */

import type { StandardSchemaV1 } from '@standard-schema/spec';
import type {
  BankDetails,
  CallError,
  CallOptions,
  CheckoutInstructions,
  CheckoutShopper,
  Dispatcher,
  IdentityDocument,
  Outcome,
  PaymentConfirmation,
  PaymentsClient,
  Phone,
  QrCode,
  QrCodeImage,
  ReconcileResult,
  RecurringCheckout,
  RecurringCheckoutJourney,
  RecurringCheckoutRequest,
  ScheduledPaymentCancellation,
  ScheduledPaymentCancellationRequest,
  Transaction,
  TransactionRefund,
} from 'pix-automatic-sdk';
import {
  AbortedError,
  ApiError,
  ConnectionError,
  confirmPayment,
  decodeQrCode,
  InvalidRequestError,
  InvalidResponseError,
  isCallError,
  PaymentsError,
  reconcile,
  type recurringCheckoutRequestSchema,
  type recurringCheckoutSchema,
  type scheduledPaymentCancellationRequestSchema,
  type scheduledPaymentCancellationSchema,
  TimeoutError,
  type transactionSchema,
} from 'pix-automatic-sdk';
import type * as undici from 'undici';
import type * as undici6 from 'undici6';
import type * as undici8 from 'undici8';
import type * as z from 'zod/mini';
import type { bankDetailsObject, identityDocumentObject, phoneObject } from '../../src/service/fields';
import type {
  scheduledPaymentCancellationObject,
  scheduledPaymentCancellationRequestObject,
} from '../../src/service/operations/cancel-scheduled-payment';
import type {
  RecurringCheckoutRequestBase,
  recurringCheckoutObject,
  recurringCheckoutRequestObject,
} from '../../src/service/operations/create-recurring-checkout';
import type { transactionObject } from '../../src/service/operations/get-transaction';
import { type Equal, type HasIndex, isTrue, type Known, type SameFields } from './equal';

// The dispatchers of each undici fit.
isTrue<
  undici.ProxyAgent | undici.MockAgent | undici6.Agent | undici8.Agent extends Dispatcher ? true : false
>();
isTrue<{ dispatch: boolean } extends Dispatcher ? false : true>();

type Inferred<Object extends z.ZodMiniType> = Known<z.infer<Object>>;

// Each written-out type equals what its schema infers, so that neither can drift from the other.
isTrue<
  SameFields<
    Known<Transaction>,
    Inferred<typeof transactionObject>,
    'src/service/operations/get-transaction.ts'
  >
>();
isTrue<
  SameFields<
    Known<RecurringCheckout>,
    Inferred<typeof recurringCheckoutObject>,
    'src/service/operations/create-recurring-checkout.ts'
  >
>();
isTrue<
  SameFields<
    Known<ScheduledPaymentCancellation>,
    Inferred<typeof scheduledPaymentCancellationObject>,
    'src/service/operations/cancel-scheduled-payment.ts'
  >
>();
isTrue<
  SameFields<
    Known<ScheduledPaymentCancellationRequest>,
    Inferred<typeof scheduledPaymentCancellationRequestObject>,
    'src/service/operations/cancel-scheduled-payment.ts'
  >
>();
isTrue<
  SameFields<Known<IdentityDocument>, Inferred<typeof identityDocumentObject>, 'src/service/fields.ts'>
>();
isTrue<SameFields<Known<Phone>, Inferred<typeof phoneObject>, 'src/service/fields.ts'>>();
isTrue<SameFields<Known<BankDetails>, Inferred<typeof bankDetailsObject>, 'src/service/fields.ts'>>();
// The request's type has `amount` apart, because `immediatePayment` decides whether it is required.
type RequestFields = RecurringCheckoutRequestBase & { amount?: number | undefined };
type RequiredOf<T> = { [Key in keyof T]-?: undefined extends T[Key] ? never : Key }[keyof T];
isTrue<Equal<RequiredOf<RequestFields>, 'currency' | 'referenceCode' | 'shopper' | 'recurrence'>>();
isTrue<Equal<RequiredOf<RequestFields['recurrence']>, 'immediatePayment'>>();
isTrue<
  SameFields<
    Known<RequestFields>,
    Inferred<typeof recurringCheckoutRequestObject>,
    'src/service/operations/create-recurring-checkout.ts'
  >
>();

// Public schemas are Standard Schemas of the public types, and expose nothing of zod.
isTrue<Equal<StandardSchemaV1.InferOutput<typeof transactionSchema>, Transaction>>();
isTrue<Equal<StandardSchemaV1.InferOutput<typeof recurringCheckoutSchema>, RecurringCheckout>>();
isTrue<Equal<StandardSchemaV1.InferInput<typeof recurringCheckoutRequestSchema>, RecurringCheckoutRequest>>();
isTrue<
  Equal<StandardSchemaV1.InferOutput<typeof scheduledPaymentCancellationSchema>, ScheduledPaymentCancellation>
>();
isTrue<
  Equal<
    StandardSchemaV1.InferInput<typeof scheduledPaymentCancellationRequestSchema>,
    ScheduledPaymentCancellationRequest
  >
>();
isTrue<Equal<keyof typeof transactionSchema, '~standard'>>();

// No public type has an index signature, at any depth.
type HasIndexOf<T> = T extends null | undefined ? never : HasIndex<T>;
isTrue<Equal<HasIndexOf<Transaction | Transaction['shopper'] | Transaction['refunds']>, false>>();
isTrue<Equal<HasIndexOf<TransactionRefund | ScheduledPaymentCancellation>, false>>();
isTrue<Equal<HasIndexOf<RecurringCheckout | RecurringCheckoutJourney | CheckoutInstructions>, false>>();
isTrue<Equal<HasIndexOf<CheckoutShopper | QrCode>, false>>();
isTrue<Equal<HasIndexOf<RequestFields | RequestFields['shopper'] | RequestFields['recurrence']>, false>>();
isTrue<Equal<HasIndexOf<{ a: 1 } | { [name: string]: 1 }>, boolean>>();

export async function answers(client: PaymentsClient): Promise<void> {
  const transaction = await client.getTransaction('uuid-1');
  transaction.situation?.toLowerCase();
  // @ts-expect-error misspelt
  transaction.situatoin;
  // @ts-expect-error misspelt, deeper
  transaction.shopper?.bankDetails?.acount;
  // @ts-expect-error misspelt, in an array
  transaction.refunds?.transactions?.[0]?.uiid;
  // @ts-expect-error every field may be missing or null
  transaction.amount + 1;
  const undocumented: unknown = transaction.beneficiary?.['anything'];

  const { response } = await client.createRecurringCheckout(base(false));
  // The uuid and a QR code are always there.
  const uuid: string = response.uuid;
  const plain: string | null | undefined = response.instructions.qrCode.plain;
  // @ts-expect-error misspelt
  response.uiid;

  const cancellation = await client.cancelScheduledPayment('i-1', { reason: 'r' });
  const status: number = cancellation.status;
  // @ts-expect-error the reason is required
  await client.cancelScheduledPayment('i-1', {});
  // @ts-expect-error misspelt
  await client.cancelScheduledPayment('i-1', { reason: 'r', raeson: 'r' });
  // @ts-expect-error a query has no body that fields could be merged into
  await client.getTransaction('uuid-1', { extraFields: {} });
  use(undocumented, uuid, plain, status);
}

const shopper = { name: 'Maria' };
const required = { currency: 'BRL', referenceCode: 'order-1', shopper };
const base = (immediatePayment: false): RecurringCheckoutRequest => ({
  ...required,
  recurrence: { immediatePayment },
});

export function requests(
  immediatePayment: boolean,
  undefinedText: string | undefined,
  undefinedNumber: number | undefined,
): void {
  accept({ ...required, recurrence: { immediatePayment: false } });
  accept({ ...required, amount: 0, recurrence: { immediatePayment: false } });
  accept({ ...required, amount: 59.7, recurrence: { immediatePayment: true } });
  accept({ ...required, amount: 59.7, recurrence: { immediatePayment } });
  accept({ ...required, amount: undefinedNumber, recurrence: { immediatePayment: false } });
  // @ts-expect-error the amount may be missing
  accept({ ...required, amount: undefinedNumber, recurrence: { immediatePayment } });
  // @ts-expect-error an immediate payment needs an amount
  accept({ ...required, recurrence: { immediatePayment: true } });
  // @ts-expect-error it may be an immediate payment
  accept({ ...required, recurrence: { immediatePayment } });
  // @ts-expect-error undefined is not an amount
  accept({ ...required, amount: undefined, recurrence: { immediatePayment: true } });
  // @ts-expect-error text is not an amount
  accept({ ...required, amount: '59.7', recurrence: { immediatePayment: true } });

  // Misspelt at depth. `HasIndex` above holds for the rest, and test/types/mistakes.test.ts has the messages.
  // @ts-expect-error
  accept({ ...required, recurrence: { immediatePayment: false, calendar: { startDate: '2027-01-31' } } });
  // @ts-expect-error
  accept({ ...required, shopper: { document: { kind: 'CPF' } }, recurrence: { immediatePayment: false } });
  // @ts-expect-error null is not a value of a request
  accept({ ...required, maxAge: null, recurrence: { immediatePayment: false } });

  // Callers under `exactOptionalPropertyTypes` may pass undefined for what they do not have.
  accept({
    ...required,
    amount: undefined,
    maxAge: undefined,
    callbackURL: undefinedText,
    shopper: {
      id: undefinedText,
      email: undefined,
      name: undefined,
      document: { type: undefined, number: undefinedText },
      phone: undefined,
    },
    recurrence: {
      immediatePayment: false,
      planId: undefinedText,
      amount: { recurrenceAmount: undefined },
      calendar: { initialDate: undefined, finalDate: undefined, periodicity: undefined },
      retry: undefined,
    },
  });
  const options: CallOptions = {
    signal: undefined,
    timeoutMs: undefined,
    totalTimeoutMs: undefined,
    maxRetries: undefined,
  };
  use(options);
  // A request's amount can be read for either journey.
  const amount: number | undefined = ofAnyText.amount;
  use(amount);
}

// Open lists offer the known values and accept any other text.
isTrue<Equal<'PAID' extends NonNullable<Transaction['situation']> ? true : false, true>>();
isTrue<Equal<'NEW' extends NonNullable<Transaction['situation']> ? true : false, true>>();
isTrue<Equal<string extends OpenEnum<'A'> ? true : false, true>>();
/** The known values stay distinct from `string`, so that an editor can offer them. */
isTrue<Equal<Equal<OpenEnum<'A'>, string>, false>>();
isTrue<Equal<Extract<OpenEnum<'A' | 'B'>, 'A' | 'B'>, 'A' | 'B'>>();
const anyPeriodicity: string = 'FORTNIGHTLY';
const ofAnyText: RecurringCheckoutRequest = {
  ...required,
  shopper: { document: { type: 'PASSPORT' }, phone: { type: anyPeriodicity } },
  recurrence: { immediatePayment: false, calendar: { periodicity: anyPeriodicity } },
};

export function errors(error: unknown): void {
  if (error instanceof ApiError) {
    const code: 'api_error' = error.code;
    const body: unknown = error.body;
    use(code, body, error.httpStatus.toFixed(), error.retryAfterMs?.toFixed());
    // @ts-expect-error it is read-only
    error.body = undefined;
  } else if (error instanceof InvalidResponseError) {
    const outcome: 'unknown' = error.outcome;
    use(outcome, error.uuid?.length, error.issues[0]?.message);
  } else if (
    error instanceof ConnectionError ||
    error instanceof TimeoutError ||
    error instanceof AbortedError
  ) {
    const outcome: 'not-sent' | 'refused' | 'unknown' = error.outcome;
    use(outcome, error.operation, error.attempts);
  } else if (error instanceof InvalidRequestError) {
    // From a call, or from a helper that sends nothing.
    isTrue<Equal<typeof error.outcome, 'not-sent' | undefined>>();
  } else if (error instanceof PaymentsError) {
    use(error.code, error.outcome);
    // @ts-expect-error it is abstract
    new PaymentsError('api_error', 'm');
  }
}

/** `switch` on the `code` narrows to each class, and other codes do not belong to an error of a call. */
export function narrowing(error: CallError): string {
  switch (error.code) {
    case 'api_error':
      isTrue<Equal<typeof error, ApiError>>();
      return error.httpStatus.toFixed();
    case 'invalid_response':
      isTrue<Equal<typeof error, InvalidResponseError>>();
      return error.issues.length.toFixed();
    case 'connection_failed':
      isTrue<Equal<typeof error, ConnectionError>>();
      return error.reason ?? '';
    case 'timeout':
      isTrue<Equal<typeof error, TimeoutError>>();
      return error.uuid ?? '';
    case 'aborted':
      isTrue<Equal<typeof error, AbortedError>>();
      return String(error.cause);
    // @ts-expect-error an error of an argument: no call was made
    case 'invalid_request':
      return '';
  }
}

/** `isCallError` narrows what was caught; the type of any other error stays as it was. */
export function caught(error: unknown): void {
  if (isCallError(error)) {
    isTrue<Equal<typeof error, CallError>>();
    isTrue<Equal<typeof error.outcome, Outcome>>();
    isTrue<Equal<typeof error.operation, CallName>>();
    isTrue<Equal<typeof error.attempts, number>>();
    isTrue<Equal<typeof error.uuid, string | undefined>>();
    // @ts-expect-error not every error of a call has it
    error.httpStatus;
  } else {
    isTrue<Equal<typeof error, unknown>>();
  }
}

export async function helpers(client: PaymentsClient): Promise<void> {
  for await (const result of reconcile(client, new Set(['uuid-1']))) {
    isTrue<Equal<typeof result, ReconcileResult>>();
    // Testing one of the two fields narrows the other.
    if (result.error === undefined) use(result.transaction.situation);
    else use(result.error.code);
  }
  const payload = { saleToken: 'uuid-1', newStatus: 'PAID' };
  const confirmation: PaymentConfirmation = await confirmPayment(client, { kind: 'payment', payload });
  // @ts-expect-error another kind confirms no payment
  await confirmPayment(client, { kind: 'saleStatus', payload });
  // A test double of the client needs only this method.
  await confirmPayment({ getTransaction: async () => ({}) }, { kind: 'payment', payload });
  use(confirmation);
  // A single UUID is a string, which is iterable character by character.
  // @ts-expect-error a text
  reconcile(client, 'uuid-1');
  reconcile(client, ['uuid-1'], { signal: null });
  reconcile(client, ReadableStream.from(['uuid-1']));
  await confirmPayment(client, { kind: 'payment', payload }, { signal: null, timeoutMs: undefined });
  await confirmPayment(client, { kind: 'payment', payload }, { signal: new AbortController().signal });

  const image = decodeQrCode({ base64: undefined });
  isTrue<Equal<typeof image, QrCodeImage | undefined>>();
  // @ts-expect-error there may be no picture
  use(image.dataUrl);
}

function accept(_: RecurringCheckoutRequest): void {}
function use(..._: unknown[]): void {}
use(ofAnyText);
