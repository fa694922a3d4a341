import type * as z from 'zod/mini';
import type { OperationName } from '../../errors';
import {
  scheduledPaymentCancellationRequestObject,
  scheduledPaymentCancellationRequestSchema,
} from '../../service/operations/cancel-scheduled-payment';
import {
  type RecurringCheckout,
  recurringCheckoutRequestObject,
  recurringCheckoutRequestSchema,
} from '../../service/operations/create-recurring-checkout';
import type { Transaction } from '../../service/operations/get-transaction';
import { type Text, text } from '../text';
import { documented, invented, parseBody, type ServiceAnswer } from './answers';
import { addJourney, cancelPayment, refundTotals } from './moves';
import { brCode, qrImage, toBase64 } from './qr-code';
import { dateTime, type ServiceState, type TransactionRecord } from './records';

/** An operation, as the sandbox has it. */
interface SandboxOperation {
  /** What the page calls it. */
  readonly label: Text;
  /** The schema of its body, if it has one: the page gives hints on unknown fields. */
  readonly request?: z.core.$ZodType;
  /** @param parameter - the one in its path */
  readonly answer: (state: ServiceState, parameter: string, body: string) => ServiceAnswer;
}

/** Each operation. To add one, write its answer below, and list it here. */
export const sandboxOperations: Readonly<Record<OperationName, SandboxOperation>> = {
  createRecurringCheckout: {
    label: text('operation.createRecurringCheckout'),
    request: recurringCheckoutRequestObject,
    answer: createRecurringCheckout,
  },
  getTransaction: {
    label: text('operation.getTransaction'),
    answer: getTransaction,
  },
  cancelScheduledPayment: {
    label: text('operation.cancelScheduledPayment'),
    request: scheduledPaymentCancellationRequestObject,
    answer: cancelScheduledPayment,
  },
};

/** Creates a recurring-payment journey (document section 4.1). */
function createRecurringCheckout(state: ServiceState, _parameter: string, body: string): ServiceAnswer {
  const { inventions, referenceCodes } = state;
  const parsed = parseBody(recurringCheckoutRequestSchema, body);
  if (parsed.problem !== undefined) return invented('invalidBody', inventions.invalidBody, parsed.problem);
  const { repeatedReferenceCode } = inventions;
  if (repeatedReferenceCode !== 'accepted' && referenceCodes.has(parsed.value.referenceCode)) {
    return invented('repeatedReferenceCode', repeatedReferenceCode);
  }
  return documented(describeCheckout(state, addJourney(state, parsed.value)));
}

/** The answer of section 2.2, with the fields in the order of its table. */
function describeCheckout(
  { inventions, baseUrl }: ServiceState,
  journey: TransactionRecord,
): RecurringCheckout {
  const { id, referenceCode, amount, saleCode, uuid, shopper } = journey;
  const { name, label, steps } = inventions.instructions;
  const plain = brCode(journey, inventions.qrCodeMerchant);
  const image = toBase64(qrImage(plain));
  const qrCode = {
    url: `${baseUrl}/sandbox/qr-codes/${encodeURIComponent(uuid)}.png`,
    base64: inventions.qrCodeBase64 === 'bare' ? image : `data:image/png;base64,${image}`,
    plain,
  };
  const instructions = { chosen: 'PIX_RECURRENCE', name, label, qrCode, steps: { qrCode: [...steps] } };
  const response = { id, referenceCode, amount, saleCode, uuid, shopper, instructions };
  return { status: 0, message: 'success', response };
}

/** Answers a query for a transaction (document section 4.2). */
function getTransaction(state: ServiceState, uuid: string): ServiceAnswer {
  const transaction = state.transactions.get(uuid);
  if (transaction === undefined) return invented('unknownTransaction', state.inventions.unknownTransaction);
  return documented(describeTransaction(state, transaction));
}

/** The transaction of section 2.3, with the fields in the order of its table. */
function describeTransaction(state: ServiceState, transaction: TransactionRecord): Transaction {
  const { shipping, discounts, appliedRate, serviceFee, payerAccount } = state.inventions;
  const { bank, branch, account } = payerAccount;
  const { id, uuid, situation, currency, amount, shopper, refunds } = transaction;
  const referenceCode = transaction.referenceCode || undefined;
  return {
    status: 0,
    message: 'success',
    id,
    uuid,
    type: 'SALE',
    situation,
    currency,
    amount,
    shipping,
    discounts,
    total: amount + shipping - discounts,
    appliedRate,
    referenceCode,
    creation: dateTime(state, transaction.createdAt),
    maxAge: dateTime(state, transaction.expiresAt),
    shopper: {
      // The payer's account is unknown before a payment.
      bankDetails: situation === 'PAID' ? { account, branch } : undefined,
      document: shopper.document,
      email: shopper.email,
      phone: shopper.phone,
    },
    refunds: {
      ...refundTotals(transaction),
      transactions: refunds.map((refund) => ({
        bankDetails: { account, bank, branch },
        creation: refund.creation,
        creditDate: refund.creditDate,
        creditTransferDetails: { referenceCode, saleUUID: uuid, total: refund.amount },
        remark: refund.reason,
        status: refund.status,
        total: refund.amount,
        uuid: refund.uuid,
      })),
    },
    serviceFee,
    has_return_error: false,
  };
}

/** Cancels a scheduled payment (document section 4.3). */
function cancelScheduledPayment(state: ServiceState, instructionId: string, body: string): ServiceAnswer {
  const { inventions, scheduledPayments } = state;
  const parsed = parseBody(scheduledPaymentCancellationRequestSchema, body);
  if (parsed.problem !== undefined) return invented('invalidBody', inventions.invalidBody, parsed.problem);
  const payment = scheduledPayments.get(instructionId);
  if (payment === undefined) return invented('unknownScheduledPayment', inventions.unknownScheduledPayment);
  const isRepetition = payment.status === 'CANCELLED' && inventions.repeatedCancellation === 'success';
  if (!isRepetition) {
    if (payment.status !== 'SCHEDULED') {
      return invented('cancellationRefused', inventions.cancellationRefused, `it is ${payment.status}`);
    }
    cancelPayment(state, instructionId, parsed.value.reason);
  }
  return documented({ status: 0, message: 'success' });
}
