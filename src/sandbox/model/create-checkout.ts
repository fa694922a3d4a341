import {
  type CheckoutRequestShopper,
  type RecurringCheckout,
  type RecurringCheckoutRequest,
  recurringCheckoutRequestSchema,
} from '../../service/operations/create-recurring-checkout';
import { documented, invented, parseBody, type ServiceAnswer } from './answers';
import { brCode, qrImage, toBase64 } from './qr-code';
import type { TransactionRecord } from './records';
import { qrImagePath } from './routes';
import { happened, type ServiceState } from './state';

/** Creates a recurring-payment journey (document section 4.1). */
export function createCheckout(state: ServiceState, body: string): ServiceAnswer {
  const { inventions, referenceCodes } = state;
  const parsed = parseBody(recurringCheckoutRequestSchema, body);
  if (parsed.problem !== undefined) return invented('invalidBody', inventions.invalidBody, parsed.problem);

  const request = parsed.value;
  if (inventions.repeatedReferenceCode !== 'accepted' && referenceCodes.has(request.referenceCode)) {
    return invented('repeatedReferenceCode', inventions.repeatedReferenceCode);
  }
  return documented(journey(state, addJourney(state, request)));
}

/** Adds a journey to the state. */
export function addJourney(state: ServiceState, request: RecurringCheckoutRequest): TransactionRecord {
  const transaction = newTransaction(state, request);
  state.transactions.set(transaction.uuid, transaction);
  state.referenceCodes.add(transaction.referenceCode);
  happened(state, transaction, 'created', { amount: transaction.amount });
  return transaction;
}

function newTransaction(
  { ids, now, inventions }: ServiceState,
  request: RecurringCheckoutRequest,
): TransactionRecord {
  const id = ids.number();
  const { calendar } = request.recurrence;
  const recurrenceAmount = request.recurrence.amount?.recurrenceAmount;
  // The row `amountWithoutImmediatePayment`.
  const amount = request.amount ?? recurrenceAmount ?? 0;
  const createdAt = now();
  return {
    id,
    uuid: ids.uuid(),
    saleCode: inventions.saleCodePrefix + id,
    referenceCode: request.referenceCode,
    currency: request.currency,
    amount,
    immediatePayment: request.recurrence.immediatePayment,
    isAuthorized: false,
    isHidden: false,
    chargeOf: undefined,
    recurrenceAmount: recurrenceAmount ?? amount,
    initialDate: calendar?.initialDate,
    finalDate: calendar?.finalDate,
    periodicity: calendar?.periodicity ?? undefined,
    createdAt,
    expiresAt: createdAt + (request.maxAge ?? inventions.defaultMaxAgeMinutes) * 60_000,
    shopper: knownFields(request.shopper),
    situation: 'PENDING',
    refunds: [],
    reversals: [],
    scheduledPayments: [],
    events: [],
  };
}

/** The answer of section 2.2, with the fields in the order of its table. */
function journey({ inventions, baseUrl }: ServiceState, transaction: TransactionRecord): RecurringCheckout {
  const { id, uuid, referenceCode, amount, saleCode, shopper } = transaction;
  const { name, label, steps } = inventions.instructions;
  const plain = brCode(transaction, inventions.qrCodeMerchant);
  const base64 = toBase64(qrImage(plain));
  return {
    status: 0,
    message: 'success',
    response: {
      id,
      referenceCode,
      amount,
      saleCode,
      uuid,
      shopper,
      instructions: {
        chosen: 'PIX_RECURRENCE',
        name,
        label,
        qrCode: {
          url: baseUrl + qrImagePath(uuid),
          base64: inventions.qrCodeBase64 === 'bare' ? base64 : `data:image/png;base64,${base64}`,
          plain,
        },
        steps: { qrCode: [...steps] },
      },
    },
  };
}

/** Only the document's fields, in its order. Keeping unknown fields would let requests fill the memory. */
function knownFields({ id, name, email, document, phone }: CheckoutRequestShopper): CheckoutRequestShopper {
  return {
    id,
    name,
    email,
    document: document && { type: document.type, number: document.number },
    phone: phone && { type: phone.type, number: phone.number },
  };
}
