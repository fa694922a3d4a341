// Made by `npm run generate` from the schemas. Do not edit: change the schema, and run it again.
//
// Each guard confirms quickly that a value is exactly as documented, so that its schema would return it unchanged. A
// guard returns false if it is not sure, and the schema then decides. A property test keeps the two consistent.

import { isObject } from '../shared/objects';
import {
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
  const {
    success,
    message,
    id,
    uuid,
    currency,
    amount,
    status,
    referenceCode,
    bankDetails,
    creation,
    receipt,
    error_code,
  } = value;
  return (
    (success === true || success === false) &&
    typeof uuid === 'string' &&
    isNotEmpty(uuid) &&
    isShort(uuid) &&
    isUndamaged(uuid) &&
    typeof status === 'string' &&
    isShort(status) &&
    isUndamaged(status) &&
    isMaybeText(message) &&
    isMaybeNumber(id) &&
    isMaybeText(currency) &&
    isMaybeNumber(amount) &&
    isMaybeText(referenceCode) &&
    (isBankDetails(bankDetails) || bankDetails === null || bankDetails === undefined) &&
    isMaybeText(creation) &&
    isMaybeText(receipt) &&
    isMaybeText(error_code)
  );
}

function isBankDetails(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { bank, branch, account } = value;
  return isMaybeText(bank) && isMaybeText(branch) && isMaybeText(account);
}

export function isRecurrence(value: unknown): boolean {
  if (!isObject(value)) return false;
  const {
    eventType,
    idRec,
    externalId,
    planId,
    contractId,
    contractDescription,
    status,
    periodicity,
    valueType,
    amount,
    payerDocument,
    payerName,
    initialDate,
    finalDate,
    nextRecurrenceDate,
    eventDate,
    saleToken,
    chargeAmount,
    chargeDueDate,
    chargeStatus,
    rejectionCode,
    rejectionReason,
    retryScheduled,
  } = value;
  return (
    (eventType === 'RECURRENCE_AUTHORIZED' ||
      eventType === 'RECURRENCE_REJECTED' ||
      eventType === 'RECURRENCE_EXPIRED' ||
      eventType === 'RECURRENCE_CANCELLED' ||
      eventType === 'RECURRENCE_CONCLUDED' ||
      eventType === 'RECURRENCE_CHARGE_SCHEDULED' ||
      eventType === 'RECURRENCE_CHARGE_PAID' ||
      eventType === 'RECURRENCE_CHARGE_FAILED') &&
    typeof idRec === 'string' &&
    isNotEmpty(idRec) &&
    isShort(idRec) &&
    isUndamaged(idRec) &&
    isMaybeText(externalId) &&
    isMaybeText(planId) &&
    isMaybeText(contractId) &&
    isMaybeText(contractDescription) &&
    isMaybeText(status) &&
    isMaybeText(periodicity) &&
    isMaybeText(valueType) &&
    isMaybeNumber(amount) &&
    isMaybeText(payerDocument) &&
    isMaybeText(payerName) &&
    isMaybeText(initialDate) &&
    isMaybeText(finalDate) &&
    isMaybeText(nextRecurrenceDate) &&
    isMaybeText(eventDate) &&
    ((typeof saleToken === 'string' &&
      isNotEmpty(saleToken) &&
      isShort(saleToken) &&
      isUndamaged(saleToken)) ||
      saleToken === null ||
      saleToken === undefined) &&
    isMaybeNumber(chargeAmount) &&
    isMaybeText(chargeDueDate) &&
    isMaybeText(chargeStatus) &&
    isMaybeText(rejectionCode) &&
    isMaybeText(rejectionReason) &&
    (typeof retryScheduled === 'boolean' || retryScheduled === null || retryScheduled === undefined)
  );
}

export function isRefund(value: unknown): boolean {
  if (!isObject(value)) return false;
  const {
    saleToken,
    referenceCode,
    currency,
    originalAmount,
    reversedAmount,
    amountRefunded,
    bankDetails,
    receipt,
    status,
    refund,
    reason,
    date,
  } = value;
  return (
    typeof saleToken === 'string' &&
    isNotEmpty(saleToken) &&
    isShort(saleToken) &&
    isUndamaged(saleToken) &&
    typeof status === 'string' &&
    isShort(status) &&
    isUndamaged(status) &&
    isRefundRefund(refund) &&
    isMaybeText(referenceCode) &&
    isMaybeText(currency) &&
    isMaybeNumber(originalAmount) &&
    isMaybeNumber(reversedAmount) &&
    isMaybeNumber(amountRefunded) &&
    (isBankDetails(bankDetails) || bankDetails === null || bankDetails === undefined) &&
    isMaybeText(receipt) &&
    isMaybeText(reason) &&
    isMaybeText(date)
  );
}

function isRefundRefund(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { id, uuid, status, amount, creation, creditDate } = value;
  return (
    typeof uuid === 'string' &&
    isNotEmpty(uuid) &&
    isShort(uuid) &&
    isUndamaged(uuid) &&
    isMaybeNumber(id) &&
    isMaybeText(status) &&
    isMaybeNumber(amount) &&
    isMaybeText(creation) &&
    isMaybeText(creditDate)
  );
}

export function isReversal(value: unknown): boolean {
  if (!isObject(value)) return false;
  const {
    id,
    uuid,
    currency,
    originalAmount,
    reversedAmount,
    status,
    bankDetails,
    sale,
    creation,
    receipt,
    reason,
  } = value;
  return (
    typeof uuid === 'string' &&
    isNotEmpty(uuid) &&
    isShort(uuid) &&
    isUndamaged(uuid) &&
    typeof status === 'string' &&
    isShort(status) &&
    isUndamaged(status) &&
    isMaybeNumber(id) &&
    isMaybeText(currency) &&
    isMaybeNumber(originalAmount) &&
    isMaybeNumber(reversedAmount) &&
    (isBankDetails(bankDetails) || bankDetails === null || bankDetails === undefined) &&
    (isReversalSale(sale) || sale === null || sale === undefined) &&
    isMaybeText(creation) &&
    isMaybeText(receipt) &&
    isMaybeText(reason)
  );
}

function isReversalSale(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { id, uuid } = value;
  return isMaybeNumber(id) && isMaybeText(uuid);
}

export function isSale(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { saleToken, referenceCode, currency, amount, shopper, date, newStatus } = value;
  return (
    typeof saleToken === 'string' &&
    isNotEmpty(saleToken) &&
    isShort(saleToken) &&
    isUndamaged(saleToken) &&
    typeof newStatus === 'string' &&
    isShort(newStatus) &&
    isUndamaged(newStatus) &&
    isMaybeText(referenceCode) &&
    isMaybeText(currency) &&
    isMaybeNumber(amount) &&
    (isSaleShopper(shopper) || shopper === null || shopper === undefined) &&
    isMaybeText(date)
  );
}

function isSaleShopper(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { id, firstName, lastName, email, agency, account } = value;
  return (
    isMaybeText(id) &&
    isMaybeText(firstName) &&
    isMaybeText(lastName) &&
    isMaybeText(email) &&
    isMaybeText(agency) &&
    isMaybeText(account)
  );
}

export function isScheduledPaymentCancellation(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { status, message } = value;
  return Number.isFinite(status) && isMaybeText(message);
}

export function isRecurringCheckout(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { status, message, response } = value;
  return isRecurringCheckoutResponse(response) && isMaybeNumber(status) && isMaybeText(message);
}

function isRecurringCheckoutResponse(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { id, referenceCode, amount, saleCode, uuid, shopper, instructions } = value;
  return (
    typeof uuid === 'string' &&
    isNotEmpty(uuid) &&
    isRecurringCheckoutResponseInstructions(instructions) &&
    isMaybeNumber(id) &&
    isMaybeText(referenceCode) &&
    isMaybeNumber(amount) &&
    isMaybeText(saleCode) &&
    (isRecurringCheckoutResponseShopper(shopper) || shopper === null || shopper === undefined)
  );
}

function isRecurringCheckoutResponseShopper(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { id, name, email, document, phone } = value;
  return (
    isMaybeText(id) &&
    isMaybeText(name) &&
    isMaybeText(email) &&
    (isIdentityDocument(document) || document === null || document === undefined) &&
    (isPhone(phone) || phone === null || phone === undefined)
  );
}

function isIdentityDocument(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { type, number } = value;
  return isMaybeText(type) && isMaybeText(number);
}

function isPhone(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { type, number } = value;
  return isMaybeText(type) && isMaybeText(number);
}

function isRecurringCheckoutResponseInstructions(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { chosen, name, label, qrCode, steps } = value;
  return (
    isRecurringCheckoutResponseInstructionsQrCode(qrCode) &&
    isMaybeText(chosen) &&
    isMaybeText(name) &&
    isMaybeText(label) &&
    (isRecurringCheckoutResponseInstructionsSteps(steps) || steps === null || steps === undefined)
  );
}

function isRecurringCheckoutResponseInstructionsQrCode(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { url, base64, plain } = value;
  return isMaybeText(url) && isMaybeText(base64) && isMaybeText(plain) && isScannable(value);
}

function isRecurringCheckoutResponseInstructionsSteps(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { qrCode } = value;
  return (
    (isListOf(qrCode, (item) => typeof item === 'string') && qrCode.length <= 1000) ||
    qrCode === null ||
    qrCode === undefined
  );
}

export function isTransaction(value: unknown): boolean {
  if (!isObject(value)) return false;
  const {
    status,
    message,
    id,
    uuid,
    type,
    situation,
    currency,
    amount,
    shipping,
    discounts,
    total,
    appliedRate,
    referenceCode,
    creation,
    maxAge,
    shopper,
    beneficiary,
    refunds,
    serviceFee,
    has_return_error,
    return_error,
    track,
  } = value;
  return (
    isMaybeNumber(status) &&
    isMaybeText(message) &&
    isMaybeNumber(id) &&
    isMaybeText(uuid) &&
    isMaybeText(type) &&
    isMaybeText(situation) &&
    isMaybeText(currency) &&
    isMaybeNumber(amount) &&
    isMaybeNumber(shipping) &&
    isMaybeNumber(discounts) &&
    isMaybeNumber(total) &&
    isMaybeNumber(appliedRate) &&
    isMaybeText(referenceCode) &&
    isMaybeText(creation) &&
    isMaybeText(maxAge) &&
    (isTransactionShopper(shopper) || shopper === null || shopper === undefined) &&
    (isObject(beneficiary) || beneficiary === null || beneficiary === undefined) &&
    (isTransactionRefunds(refunds) || refunds === null || refunds === undefined) &&
    isMaybeNumber(serviceFee) &&
    (typeof has_return_error === 'boolean' || has_return_error === null || has_return_error === undefined) &&
    (isObject(return_error) || return_error === null || return_error === undefined) &&
    (isObject(track) || track === null || track === undefined)
  );
}

function isTransactionShopper(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { bankDetails, document, email, phone } = value;
  return (
    (isTransactionShopperBankDetails(bankDetails) || bankDetails === null || bankDetails === undefined) &&
    (isIdentityDocument(document) || document === null || document === undefined) &&
    isMaybeText(email) &&
    (isPhone(phone) || phone === null || phone === undefined)
  );
}

function isTransactionShopperBankDetails(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { account, branch } = value;
  return isMaybeText(account) && isMaybeText(branch);
}

function isTransactionRefunds(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { available, quantity, requested, transactions } = value;
  return (
    isMaybeNumber(available) &&
    isMaybeNumber(quantity) &&
    isMaybeNumber(requested) &&
    ((isListOf(transactions, (item) => isTransactionRefundsTransactionsItem(item)) &&
      transactions.length <= 1000) ||
      transactions === null ||
      transactions === undefined)
  );
}

function isTransactionRefundsTransactionsItem(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { bankDetails, creation, creditDate, creditTransferDetails, remark, status, total, uuid } = value;
  return (
    (isBankDetails(bankDetails) || bankDetails === null || bankDetails === undefined) &&
    isMaybeText(creation) &&
    isMaybeText(creditDate) &&
    (isTransactionRefundsTransactionsItemCreditTransferDetails(creditTransferDetails) ||
      creditTransferDetails === null ||
      creditTransferDetails === undefined) &&
    isMaybeText(remark) &&
    isMaybeText(status) &&
    isMaybeNumber(total) &&
    isMaybeText(uuid)
  );
}

function isTransactionRefundsTransactionsItemCreditTransferDetails(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { referenceCode, saleUUID, total } = value;
  return isMaybeText(referenceCode) && isMaybeText(saleUUID) && isMaybeNumber(total);
}
