import type { BankDetails } from '../../service/fields';
import {
  type PayoutErrorCode,
  type PayoutPayload,
  payoutErrorMeanings,
} from '../../service/notifications/payout';
import { queryFlags, type SandboxNotification, type SandboxPayout } from './records';
import { SandboxError } from './sandbox-error';
import { dateTime, type ServiceState } from './state';

/** What is paid out, and whether it fails. */
export interface PayOutOptions {
  /** In the currency's main unit. */
  amount: number;
  /** Default: `BRL`. */
  currency?: string | undefined;
  /** Your reference, if you gave one. */
  referenceCode?: string | undefined;
  /** Where the money goes. Default: the payer's account of the table of inventions. */
  bankDetails?: BankDetails | undefined;
  /** Makes it fail with this code (document section 7.1). */
  fail?: PayoutErrorCode | undefined;
  /** The bank's reason, for `PE0003` and `PE0004`. Where it goes is invented: `failedPayoutMessage`. */
  reason?: string | undefined;
}

/** The codes that a payout can fail with. */
export const payoutErrorCodes = Object.keys(payoutErrorMeanings) as PayoutErrorCode[];

/** Makes a payout, or a failed one, and sends its notification. */
export function payOut(state: ServiceState, options: PayOutOptions): SandboxPayout {
  const { amount, currency = 'BRL', referenceCode, fail, reason } = options;
  if (!Number.isFinite(amount) || amount <= 0) {
    throw new SandboxError('invalid', 'Expected `amount` above 0.', 'É preciso um valor acima de 0.');
  }
  if (fail !== undefined && !payoutErrorCodes.includes(fail)) {
    throw new SandboxError('invalid', `Expected \`fail\` to be one of ${payoutErrorCodes.join(', ')}.`);
  }
  const id = state.ids.number();
  const payout: SandboxPayout = {
    id,
    uuid: state.ids.uuid(),
    currency,
    amount,
    referenceCode,
    bankDetails: options.bankDetails ?? state.inventions.payerAccount,
    creation: dateTime(state, state.now()),
    success: fail === undefined,
    status: fail === undefined ? 'PAID' : state.inventions.failedPayoutStatus,
    errorCode: fail,
    message: fail === undefined ? 'success' : failureMessage(state, fail, reason),
    receipt: fail === undefined ? state.inventions.receiptPrefix + id : undefined,
  };
  state.notify(payoutNotification(state, payout));
  return payout;
}

/** The row `failedPayoutMessage`. */
function failureMessage(
  { inventions }: ServiceState,
  code: PayoutErrorCode,
  reason: string | undefined,
): string {
  const meaning = payoutErrorMeanings[code];
  if (reason === undefined) return meaning;
  const values: Readonly<Record<string, string>> = { code, meaning, reason };
  return inventions.failedPayoutMessage.replace(/\{(\w+)\}/g, (mark, name) => values[name] ?? mark);
}

/** Section 6.5. */
function payoutNotification({ inventions }: ServiceState, payout: SandboxPayout): SandboxNotification {
  const { success, message, errorCode, id, uuid, currency, amount, status } = payout;
  const { referenceCode, bankDetails, creation, receipt } = payout;
  const details = { id, uuid, currency, amount, status, referenceCode, bankDetails, creation, receipt };
  const payload: PayoutPayload = success
    ? { success: true, message, ...details }
    : { success: false, message, error_code: errorCode, ...details };
  return {
    kind: 'payout',
    query: success ? queryFlags.payout : inventions.failedPayoutQuery,
    payload,
  };
}
