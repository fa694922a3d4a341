// Made by `npm run generate` from the schemas. Do not edit: change the schema, and run it again.
//
// Each guard confirms quickly that a value is exactly as documented, so that its schema would return it unchanged. A
// guard returns false if it is not sure, and the schema then decides. A property test keeps the two consistent.

import { isGiven, isObject } from '../shared/objects';
import {
  isIdentity,
  isListOf,
  isMaybeNumber,
  isMaybeText,
  isNotEmpty,
  isScannable,
  isShort,
  isUndamaged,
} from './checks';

export function isPayout(value: unknown): boolean {
  if (!isObject(value)) return false;
  return (
    (value['success'] === true || value['success'] === false) &&
    isIdentity(value['uuid']) &&
    typeof value['status'] === 'string' &&
    isShort(value['status']) &&
    isUndamaged(value['status']) &&
    isMaybeText(value['message']) &&
    isMaybeNumber(value['id']) &&
    isMaybeText(value['currency']) &&
    isMaybeNumber(value['amount']) &&
    isMaybeText(value['referenceCode']) &&
    (!isGiven(value['bankDetails']) || isBankDetails(value['bankDetails'])) &&
    isMaybeText(value['creation']) &&
    isMaybeText(value['receipt']) &&
    isMaybeText(value['error_code'])
  );
}

function isBankDetails(value: unknown): boolean {
  if (!isObject(value)) return false;
  return isMaybeText(value['bank']) && isMaybeText(value['branch']) && isMaybeText(value['account']);
}

export function isRecurrence(value: unknown): boolean {
  if (!isObject(value)) return false;
  return (
    (value['eventType'] === 'RECURRENCE_AUTHORIZED' ||
      value['eventType'] === 'RECURRENCE_REJECTED' ||
      value['eventType'] === 'RECURRENCE_EXPIRED' ||
      value['eventType'] === 'RECURRENCE_CANCELLED' ||
      value['eventType'] === 'RECURRENCE_CONCLUDED' ||
      value['eventType'] === 'RECURRENCE_CHARGE_SCHEDULED' ||
      value['eventType'] === 'RECURRENCE_CHARGE_PAID' ||
      value['eventType'] === 'RECURRENCE_CHARGE_FAILED') &&
    isIdentity(value['idRec']) &&
    isMaybeText(value['externalId']) &&
    isMaybeText(value['planId']) &&
    isMaybeText(value['contractId']) &&
    isMaybeText(value['contractDescription']) &&
    isMaybeText(value['status']) &&
    isMaybeText(value['periodicity']) &&
    isMaybeText(value['valueType']) &&
    isMaybeNumber(value['amount']) &&
    isMaybeText(value['payerDocument']) &&
    isMaybeText(value['payerName']) &&
    isMaybeText(value['initialDate']) &&
    isMaybeText(value['finalDate']) &&
    isMaybeText(value['nextRecurrenceDate']) &&
    isMaybeText(value['eventDate']) &&
    (!isGiven(value['saleToken']) || isIdentity(value['saleToken'])) &&
    isMaybeNumber(value['chargeAmount']) &&
    isMaybeText(value['chargeDueDate']) &&
    isMaybeText(value['chargeStatus']) &&
    isMaybeText(value['rejectionCode']) &&
    isMaybeText(value['rejectionReason']) &&
    (!isGiven(value['retryScheduled']) || typeof value['retryScheduled'] === 'boolean')
  );
}

export function isRefund(value: unknown): boolean {
  if (!isObject(value)) return false;
  return (
    isIdentity(value['saleToken']) &&
    typeof value['status'] === 'string' &&
    isShort(value['status']) &&
    isUndamaged(value['status']) &&
    isRefundRefund(value['refund']) &&
    isMaybeText(value['referenceCode']) &&
    isMaybeText(value['currency']) &&
    isMaybeNumber(value['originalAmount']) &&
    isMaybeNumber(value['reversedAmount']) &&
    isMaybeNumber(value['amountRefunded']) &&
    (!isGiven(value['bankDetails']) || isBankDetails(value['bankDetails'])) &&
    isMaybeText(value['receipt']) &&
    isMaybeText(value['reason']) &&
    isMaybeText(value['date'])
  );
}

function isRefundRefund(value: unknown): boolean {
  if (!isObject(value)) return false;
  return (
    isIdentity(value['uuid']) &&
    isMaybeNumber(value['id']) &&
    isMaybeText(value['status']) &&
    isMaybeNumber(value['amount']) &&
    isMaybeText(value['creation']) &&
    isMaybeText(value['creditDate'])
  );
}

export function isReversal(value: unknown): boolean {
  if (!isObject(value)) return false;
  return (
    isIdentity(value['uuid']) &&
    typeof value['status'] === 'string' &&
    isShort(value['status']) &&
    isUndamaged(value['status']) &&
    isMaybeNumber(value['id']) &&
    isMaybeText(value['currency']) &&
    isMaybeNumber(value['originalAmount']) &&
    isMaybeNumber(value['reversedAmount']) &&
    (!isGiven(value['bankDetails']) || isBankDetails(value['bankDetails'])) &&
    (!isGiven(value['sale']) || isReversalSale(value['sale'])) &&
    isMaybeText(value['creation']) &&
    isMaybeText(value['receipt']) &&
    isMaybeText(value['reason'])
  );
}

function isReversalSale(value: unknown): boolean {
  if (!isObject(value)) return false;
  return isMaybeNumber(value['id']) && isMaybeText(value['uuid']);
}

export function isSale(value: unknown): boolean {
  if (!isObject(value)) return false;
  return (
    isIdentity(value['saleToken']) &&
    typeof value['newStatus'] === 'string' &&
    isShort(value['newStatus']) &&
    isUndamaged(value['newStatus']) &&
    isMaybeText(value['referenceCode']) &&
    isMaybeText(value['currency']) &&
    isMaybeNumber(value['amount']) &&
    (!isGiven(value['shopper']) || isSaleShopper(value['shopper'])) &&
    isMaybeText(value['date'])
  );
}

function isSaleShopper(value: unknown): boolean {
  if (!isObject(value)) return false;
  return (
    isMaybeText(value['id']) &&
    isMaybeText(value['firstName']) &&
    isMaybeText(value['lastName']) &&
    isMaybeText(value['email']) &&
    isMaybeText(value['agency']) &&
    isMaybeText(value['account'])
  );
}

export function isScheduledPaymentCancellation(value: unknown): boolean {
  if (!isObject(value)) return false;
  return Number.isFinite(value['status']) && isMaybeText(value['message']);
}

export function isRecurringCheckout(value: unknown): boolean {
  if (!isObject(value)) return false;
  return (
    isRecurringCheckoutResponse(value['response']) &&
    isMaybeNumber(value['status']) &&
    isMaybeText(value['message'])
  );
}

function isRecurringCheckoutResponse(value: unknown): boolean {
  if (!isObject(value)) return false;
  return (
    typeof value['uuid'] === 'string' &&
    isNotEmpty(value['uuid']) &&
    isRecurringCheckoutResponseInstructions(value['instructions']) &&
    isMaybeNumber(value['id']) &&
    isMaybeText(value['referenceCode']) &&
    isMaybeNumber(value['amount']) &&
    isMaybeText(value['saleCode']) &&
    (!isGiven(value['shopper']) || isRecurringCheckoutResponseShopper(value['shopper']))
  );
}

function isRecurringCheckoutResponseShopper(value: unknown): boolean {
  if (!isObject(value)) return false;
  return (
    isMaybeText(value['id']) &&
    isMaybeText(value['name']) &&
    isMaybeText(value['email']) &&
    (!isGiven(value['document']) || isIdentityDocument(value['document'])) &&
    (!isGiven(value['phone']) || isPhone(value['phone']))
  );
}

function isIdentityDocument(value: unknown): boolean {
  if (!isObject(value)) return false;
  return isMaybeText(value['type']) && isMaybeText(value['number']);
}

function isPhone(value: unknown): boolean {
  if (!isObject(value)) return false;
  return isMaybeText(value['type']) && isMaybeText(value['number']);
}

function isRecurringCheckoutResponseInstructions(value: unknown): boolean {
  if (!isObject(value)) return false;
  return (
    isRecurringCheckoutResponseInstructionsQrCode(value['qrCode']) &&
    isMaybeText(value['chosen']) &&
    isMaybeText(value['name']) &&
    isMaybeText(value['label']) &&
    (!isGiven(value['steps']) || isRecurringCheckoutResponseInstructionsSteps(value['steps']))
  );
}

function isRecurringCheckoutResponseInstructionsQrCode(value: unknown): boolean {
  if (!isObject(value)) return false;
  return (
    isMaybeText(value['url']) &&
    isMaybeText(value['base64']) &&
    isMaybeText(value['plain']) &&
    isScannable(value)
  );
}

function isRecurringCheckoutResponseInstructionsSteps(value: unknown): boolean {
  if (!isObject(value)) return false;
  return (
    !isGiven(value['qrCode']) ||
    (isListOf(value['qrCode'], (item) => typeof item === 'string') && value['qrCode'].length <= 1000)
  );
}

export function isTransaction(value: unknown): boolean {
  if (!isObject(value)) return false;
  return (
    isMaybeNumber(value['status']) &&
    isMaybeText(value['message']) &&
    isMaybeNumber(value['id']) &&
    isMaybeText(value['uuid']) &&
    isMaybeText(value['type']) &&
    isMaybeText(value['situation']) &&
    isMaybeText(value['currency']) &&
    isMaybeNumber(value['amount']) &&
    isMaybeNumber(value['shipping']) &&
    isMaybeNumber(value['discounts']) &&
    isMaybeNumber(value['total']) &&
    isMaybeNumber(value['appliedRate']) &&
    isMaybeText(value['referenceCode']) &&
    isMaybeText(value['creation']) &&
    isMaybeText(value['maxAge']) &&
    (!isGiven(value['shopper']) || isTransactionShopper(value['shopper'])) &&
    (!isGiven(value['beneficiary']) || isObject(value['beneficiary'])) &&
    (!isGiven(value['refunds']) || isTransactionRefunds(value['refunds'])) &&
    isMaybeNumber(value['serviceFee']) &&
    (!isGiven(value['has_return_error']) || typeof value['has_return_error'] === 'boolean') &&
    (!isGiven(value['return_error']) || isObject(value['return_error'])) &&
    (!isGiven(value['track']) || isObject(value['track']))
  );
}

function isTransactionShopper(value: unknown): boolean {
  if (!isObject(value)) return false;
  return (
    (!isGiven(value['bankDetails']) || isTransactionShopperBankDetails(value['bankDetails'])) &&
    (!isGiven(value['document']) || isIdentityDocument(value['document'])) &&
    isMaybeText(value['email']) &&
    (!isGiven(value['phone']) || isPhone(value['phone']))
  );
}

function isTransactionShopperBankDetails(value: unknown): boolean {
  if (!isObject(value)) return false;
  return isMaybeText(value['account']) && isMaybeText(value['branch']);
}

function isTransactionRefunds(value: unknown): boolean {
  if (!isObject(value)) return false;
  return (
    isMaybeNumber(value['available']) &&
    isMaybeNumber(value['quantity']) &&
    isMaybeNumber(value['requested']) &&
    (!isGiven(value['transactions']) ||
      (isListOf(value['transactions'], (item) => isTransactionRefundsTransactionsItem(item)) &&
        value['transactions'].length <= 1000))
  );
}

function isTransactionRefundsTransactionsItem(value: unknown): boolean {
  if (!isObject(value)) return false;
  return (
    (!isGiven(value['bankDetails']) || isBankDetails(value['bankDetails'])) &&
    isMaybeText(value['creation']) &&
    isMaybeText(value['creditDate']) &&
    (!isGiven(value['creditTransferDetails']) ||
      isTransactionRefundsTransactionsItemCreditTransferDetails(value['creditTransferDetails'])) &&
    isMaybeText(value['remark']) &&
    isMaybeText(value['status']) &&
    isMaybeNumber(value['total']) &&
    isMaybeText(value['uuid'])
  );
}

function isTransactionRefundsTransactionsItemCreditTransferDetails(value: unknown): boolean {
  if (!isObject(value)) return false;
  return (
    isMaybeText(value['referenceCode']) && isMaybeText(value['saleUUID']) && isMaybeNumber(value['total'])
  );
}
