// Made by `npm run generate` out of the schemas. Do not edit: change the schema, and run it again.
//
// A quick yes for a value that is exactly as documented, which its schema would give out as it is. A guard says no
// where it is not sure, and the schema then has the last word. A property test holds the two together.

import { isScannable, isUndamaged, readReceipt } from './checks';

/** zod copies an object of a class, and leaves out a field called `__proto__`: both are left to the schema. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.getPrototypeOf(value) === Object.prototype &&
    !Object.hasOwn(value, '__proto__')
  );
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  if (!Array.isArray(value)) return false;
  // Not `every`, which skips what is missing.
  for (const item of value) if (!isItem(item)) return false;
  return true;
}

export function isSale(value: unknown): boolean {
  if (!isPlain(value)) return false;
  const { saleToken, referenceCode, currency, amount, shopper, date, newStatus } = value;
  return (
    Object.hasOwn(value, 'saleToken') &&
    typeof saleToken === 'string' &&
    saleToken.length >= 1 &&
    saleToken.length <= 512 &&
    isUndamaged(saleToken) &&
    Object.hasOwn(value, 'newStatus') &&
    typeof newStatus === 'string' &&
    newStatus.length <= 512 &&
    isUndamaged(newStatus) &&
    (typeof referenceCode === 'string' || referenceCode === null || referenceCode === undefined) &&
    (typeof currency === 'string' || currency === null || currency === undefined) &&
    (Number.isFinite(amount) || amount === null || amount === undefined) &&
    (isSaleShopper(shopper) || shopper === null || shopper === undefined) &&
    (typeof date === 'string' || date === null || date === undefined)
  );
}

function isSaleShopper(value: unknown): boolean {
  if (!isPlain(value)) return false;
  const { id, firstName, lastName, email, agency, account } = value;
  return (
    (typeof id === 'string' || id === null || id === undefined) &&
    (typeof firstName === 'string' || firstName === null || firstName === undefined) &&
    (typeof lastName === 'string' || lastName === null || lastName === undefined) &&
    (typeof email === 'string' || email === null || email === undefined) &&
    (typeof agency === 'string' || agency === null || agency === undefined) &&
    (typeof account === 'string' || account === null || account === undefined)
  );
}

export function isReversal(value: unknown): boolean {
  if (!isPlain(value)) return false;
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
    Object.hasOwn(value, 'uuid') &&
    typeof uuid === 'string' &&
    uuid.length >= 1 &&
    uuid.length <= 512 &&
    isUndamaged(uuid) &&
    Object.hasOwn(value, 'status') &&
    typeof status === 'string' &&
    status.length <= 512 &&
    isUndamaged(status) &&
    (Number.isFinite(id) || id === null || id === undefined) &&
    (typeof currency === 'string' || currency === null || currency === undefined) &&
    (Number.isFinite(originalAmount) || originalAmount === null || originalAmount === undefined) &&
    (Number.isFinite(reversedAmount) || reversedAmount === null || reversedAmount === undefined) &&
    (isBankDetails(bankDetails) || bankDetails === null || bankDetails === undefined) &&
    (isReversalSale(sale) || sale === null || sale === undefined) &&
    (typeof creation === 'string' || creation === null || creation === undefined) &&
    ((readReceipt(receipt) === receipt && (typeof receipt === 'string' || receipt === null)) ||
      receipt === null ||
      receipt === undefined) &&
    (typeof reason === 'string' || reason === null || reason === undefined)
  );
}

function isBankDetails(value: unknown): boolean {
  if (!isPlain(value)) return false;
  const { bank, branch, account } = value;
  return (
    (typeof bank === 'string' || bank === null || bank === undefined) &&
    (typeof branch === 'string' || branch === null || branch === undefined) &&
    (typeof account === 'string' || account === null || account === undefined)
  );
}

function isReversalSale(value: unknown): boolean {
  if (!isPlain(value)) return false;
  const { id, uuid } = value;
  return (
    (Number.isFinite(id) || id === null || id === undefined) &&
    (typeof uuid === 'string' || uuid === null || uuid === undefined)
  );
}

export function isRefund(value: unknown): boolean {
  if (!isPlain(value)) return false;
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
    Object.hasOwn(value, 'saleToken') &&
    typeof saleToken === 'string' &&
    saleToken.length >= 1 &&
    saleToken.length <= 512 &&
    isUndamaged(saleToken) &&
    Object.hasOwn(value, 'status') &&
    typeof status === 'string' &&
    status.length <= 512 &&
    isUndamaged(status) &&
    Object.hasOwn(value, 'refund') &&
    isRefundRefund(refund) &&
    (typeof referenceCode === 'string' || referenceCode === null || referenceCode === undefined) &&
    (typeof currency === 'string' || currency === null || currency === undefined) &&
    (Number.isFinite(originalAmount) || originalAmount === null || originalAmount === undefined) &&
    (Number.isFinite(reversedAmount) || reversedAmount === null || reversedAmount === undefined) &&
    (Number.isFinite(amountRefunded) || amountRefunded === null || amountRefunded === undefined) &&
    (isBankDetails(bankDetails) || bankDetails === null || bankDetails === undefined) &&
    ((readReceipt(receipt) === receipt && (typeof receipt === 'string' || receipt === null)) ||
      receipt === null ||
      receipt === undefined) &&
    (typeof reason === 'string' || reason === null || reason === undefined) &&
    (typeof date === 'string' || date === null || date === undefined)
  );
}

function isRefundRefund(value: unknown): boolean {
  if (!isPlain(value)) return false;
  const { id, uuid, status, amount, creation, creditDate } = value;
  return (
    Object.hasOwn(value, 'uuid') &&
    typeof uuid === 'string' &&
    uuid.length >= 1 &&
    uuid.length <= 512 &&
    isUndamaged(uuid) &&
    (Number.isFinite(id) || id === null || id === undefined) &&
    (typeof status === 'string' || status === null || status === undefined) &&
    (Number.isFinite(amount) || amount === null || amount === undefined) &&
    (typeof creation === 'string' || creation === null || creation === undefined) &&
    (typeof creditDate === 'string' || creditDate === null || creditDate === undefined)
  );
}

export function isPayout(value: unknown): boolean {
  return isPayout1(value) || isPayout2(value);
}

function isPayout1(value: unknown): boolean {
  if (!isPlain(value)) return false;
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
  } = value;
  return (
    Object.hasOwn(value, 'success') &&
    success === true &&
    Object.hasOwn(value, 'uuid') &&
    typeof uuid === 'string' &&
    uuid.length >= 1 &&
    uuid.length <= 512 &&
    isUndamaged(uuid) &&
    Object.hasOwn(value, 'status') &&
    typeof status === 'string' &&
    status.length <= 512 &&
    isUndamaged(status) &&
    (typeof message === 'string' || message === null || message === undefined) &&
    (Number.isFinite(id) || id === null || id === undefined) &&
    (typeof currency === 'string' || currency === null || currency === undefined) &&
    (Number.isFinite(amount) || amount === null || amount === undefined) &&
    (typeof referenceCode === 'string' || referenceCode === null || referenceCode === undefined) &&
    (isBankDetails(bankDetails) || bankDetails === null || bankDetails === undefined) &&
    (typeof creation === 'string' || creation === null || creation === undefined) &&
    ((readReceipt(receipt) === receipt && (typeof receipt === 'string' || receipt === null)) ||
      receipt === null ||
      receipt === undefined)
  );
}

function isPayout2(value: unknown): boolean {
  if (!isPlain(value)) return false;
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
    Object.hasOwn(value, 'success') &&
    success === false &&
    Object.hasOwn(value, 'uuid') &&
    typeof uuid === 'string' &&
    uuid.length >= 1 &&
    uuid.length <= 512 &&
    isUndamaged(uuid) &&
    Object.hasOwn(value, 'status') &&
    typeof status === 'string' &&
    status.length <= 512 &&
    isUndamaged(status) &&
    (typeof message === 'string' || message === null || message === undefined) &&
    (Number.isFinite(id) || id === null || id === undefined) &&
    (typeof currency === 'string' || currency === null || currency === undefined) &&
    (Number.isFinite(amount) || amount === null || amount === undefined) &&
    (typeof referenceCode === 'string' || referenceCode === null || referenceCode === undefined) &&
    (isBankDetails(bankDetails) || bankDetails === null || bankDetails === undefined) &&
    (typeof creation === 'string' || creation === null || creation === undefined) &&
    ((readReceipt(receipt) === receipt && (typeof receipt === 'string' || receipt === null)) ||
      receipt === null ||
      receipt === undefined) &&
    (typeof error_code === 'string' || error_code === null || error_code === undefined)
  );
}

export function isRecurringCheckout(value: unknown): boolean {
  if (!isPlain(value)) return false;
  const { status, message, response } = value;
  return (
    Object.hasOwn(value, 'response') &&
    isRecurringCheckoutResponse(response) &&
    (Number.isFinite(status) || status === null || status === undefined) &&
    (typeof message === 'string' || message === null || message === undefined)
  );
}

function isRecurringCheckoutResponse(value: unknown): boolean {
  if (!isPlain(value)) return false;
  const { id, referenceCode, amount, saleCode, uuid, shopper, instructions } = value;
  return (
    Object.hasOwn(value, 'uuid') &&
    typeof uuid === 'string' &&
    uuid.length >= 1 &&
    Object.hasOwn(value, 'instructions') &&
    isRecurringCheckoutResponseInstructions(instructions) &&
    (Number.isFinite(id) || id === null || id === undefined) &&
    (typeof referenceCode === 'string' || referenceCode === null || referenceCode === undefined) &&
    (Number.isFinite(amount) || amount === null || amount === undefined) &&
    (typeof saleCode === 'string' || saleCode === null || saleCode === undefined) &&
    (isRecurringCheckoutResponseShopper(shopper) || shopper === null || shopper === undefined)
  );
}

function isRecurringCheckoutResponseShopper(value: unknown): boolean {
  if (!isPlain(value)) return false;
  const { id, name, email, document, phone } = value;
  return (
    (typeof id === 'string' || id === null || id === undefined) &&
    (typeof name === 'string' || name === null || name === undefined) &&
    (typeof email === 'string' || email === null || email === undefined) &&
    (isIdentityDocument(document) || document === null || document === undefined) &&
    (isPhone(phone) || phone === null || phone === undefined)
  );
}

function isIdentityDocument(value: unknown): boolean {
  if (!isPlain(value)) return false;
  const { type, number } = value;
  return (
    (typeof type === 'string' || type === null || type === undefined) &&
    (typeof number === 'string' || number === null || number === undefined)
  );
}

function isPhone(value: unknown): boolean {
  if (!isPlain(value)) return false;
  const { type, number } = value;
  return (
    (typeof type === 'string' || type === null || type === undefined) &&
    (typeof number === 'string' || number === null || number === undefined)
  );
}

function isRecurringCheckoutResponseInstructions(value: unknown): boolean {
  if (!isPlain(value)) return false;
  const { chosen, name, label, qrCode, steps } = value;
  return (
    Object.hasOwn(value, 'qrCode') &&
    isRecurringCheckoutResponseInstructionsQrCode(qrCode) &&
    (typeof chosen === 'string' || chosen === null || chosen === undefined) &&
    (typeof name === 'string' || name === null || name === undefined) &&
    (typeof label === 'string' || label === null || label === undefined) &&
    (isRecurringCheckoutResponseInstructionsSteps(steps) || steps === null || steps === undefined)
  );
}

function isRecurringCheckoutResponseInstructionsQrCode(value: unknown): boolean {
  if (!isPlain(value)) return false;
  const { url, base64, plain } = value;
  return (
    (typeof url === 'string' || url === null || url === undefined) &&
    (typeof base64 === 'string' || base64 === null || base64 === undefined) &&
    (typeof plain === 'string' || plain === null || plain === undefined) &&
    isScannable(value)
  );
}

function isRecurringCheckoutResponseInstructionsSteps(value: unknown): boolean {
  if (!isPlain(value)) return false;
  const { qrCode } = value;
  return isListOf(qrCode, (item) => typeof item === 'string') || qrCode === null || qrCode === undefined;
}

export function isTransaction(value: unknown): boolean {
  if (!isPlain(value)) return false;
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
    (Number.isFinite(status) || status === null || status === undefined) &&
    (typeof message === 'string' || message === null || message === undefined) &&
    (Number.isFinite(id) || id === null || id === undefined) &&
    (typeof uuid === 'string' || uuid === null || uuid === undefined) &&
    (typeof type === 'string' || type === null || type === undefined) &&
    (typeof situation === 'string' || situation === null || situation === undefined) &&
    (typeof currency === 'string' || currency === null || currency === undefined) &&
    (Number.isFinite(amount) || amount === null || amount === undefined) &&
    (Number.isFinite(shipping) || shipping === null || shipping === undefined) &&
    (Number.isFinite(discounts) || discounts === null || discounts === undefined) &&
    (Number.isFinite(total) || total === null || total === undefined) &&
    (Number.isFinite(appliedRate) || appliedRate === null || appliedRate === undefined) &&
    (typeof referenceCode === 'string' || referenceCode === null || referenceCode === undefined) &&
    (typeof creation === 'string' || creation === null || creation === undefined) &&
    (typeof maxAge === 'string' || maxAge === null || maxAge === undefined) &&
    (isTransactionShopper(shopper) || shopper === null || shopper === undefined) &&
    (isPlain(beneficiary) || beneficiary === null || beneficiary === undefined) &&
    (isTransactionRefunds(refunds) || refunds === null || refunds === undefined) &&
    (Number.isFinite(serviceFee) || serviceFee === null || serviceFee === undefined) &&
    (typeof has_return_error === 'boolean' || has_return_error === null || has_return_error === undefined) &&
    (isPlain(return_error) || return_error === null || return_error === undefined) &&
    (isPlain(track) || track === null || track === undefined)
  );
}

function isTransactionShopper(value: unknown): boolean {
  if (!isPlain(value)) return false;
  const { bankDetails, document, email, phone } = value;
  return (
    (isTransactionShopperBankDetails(bankDetails) || bankDetails === null || bankDetails === undefined) &&
    (isIdentityDocument(document) || document === null || document === undefined) &&
    (typeof email === 'string' || email === null || email === undefined) &&
    (isPhone(phone) || phone === null || phone === undefined)
  );
}

function isTransactionShopperBankDetails(value: unknown): boolean {
  if (!isPlain(value)) return false;
  const { account, branch } = value;
  return (
    (typeof account === 'string' || account === null || account === undefined) &&
    (typeof branch === 'string' || branch === null || branch === undefined)
  );
}

function isTransactionRefunds(value: unknown): boolean {
  if (!isPlain(value)) return false;
  const { available, quantity, requested, transactions } = value;
  return (
    (Number.isFinite(available) || available === null || available === undefined) &&
    (Number.isFinite(quantity) || quantity === null || quantity === undefined) &&
    (Number.isFinite(requested) || requested === null || requested === undefined) &&
    (isListOf(transactions, (item) => isTransactionRefundsTransactionsItem(item)) ||
      transactions === null ||
      transactions === undefined)
  );
}

function isTransactionRefundsTransactionsItem(value: unknown): boolean {
  if (!isPlain(value)) return false;
  const { bankDetails, creation, creditDate, creditTransferDetails, remark, status, total, uuid } = value;
  return (
    (isBankDetails(bankDetails) || bankDetails === null || bankDetails === undefined) &&
    (typeof creation === 'string' || creation === null || creation === undefined) &&
    (typeof creditDate === 'string' || creditDate === null || creditDate === undefined) &&
    (isTransactionRefundsTransactionsItemCreditTransferDetails(creditTransferDetails) ||
      creditTransferDetails === null ||
      creditTransferDetails === undefined) &&
    (typeof remark === 'string' || remark === null || remark === undefined) &&
    (typeof status === 'string' || status === null || status === undefined) &&
    (Number.isFinite(total) || total === null || total === undefined) &&
    (typeof uuid === 'string' || uuid === null || uuid === undefined)
  );
}

function isTransactionRefundsTransactionsItemCreditTransferDetails(value: unknown): boolean {
  if (!isPlain(value)) return false;
  const { referenceCode, saleUUID, total } = value;
  return (
    (typeof referenceCode === 'string' || referenceCode === null || referenceCode === undefined) &&
    (typeof saleUUID === 'string' || saleUUID === null || saleUUID === undefined) &&
    (Number.isFinite(total) || total === null || total === undefined)
  );
}

export function isScheduledPaymentCancellation(value: unknown): boolean {
  if (!isPlain(value)) return false;
  const { status, message } = value;
  return (
    Object.hasOwn(value, 'status') &&
    Number.isFinite(status) &&
    (typeof message === 'string' || message === null || message === undefined)
  );
}
