import { documentedKinds } from '../../service/kinds';
import type { PayoutPayload } from '../../service/kinds/payout';
import type { RefundPayload } from '../../service/kinds/refund';
import type { ReversalPayload } from '../../service/kinds/reversal';
import type { SalePayload } from '../../service/kinds/sale';
import type {
  SandboxNotification,
  SandboxPayout,
  SandboxRefund,
  SandboxReversal,
  TransactionRecord,
} from './records';
import { dateTime, type ServiceState } from './state';

/** The payloads of section 6, each in the order of its table, with its query flags. */

/** The flags of each kind. Those of a payout that failed are in the table of inventions. */
export const queryFlags = Object.fromEntries([
  ...documentedKinds.map(({ kind, query }) => [kind, query]),
  ['custom', ''],
]) as Readonly<Record<SandboxNotification['kind'], string>>;

/** Section 6.2. */
export function saleNotification(
  state: ServiceState,
  transaction: TransactionRecord,
  newStatus: 'PAID' | 'REVERSAL',
): SandboxNotification {
  const { shopper } = transaction;
  const { branch, account } = state.inventions.payerAccount;
  const [firstName, ...otherNames] = (shopper.name ?? '').split(' ').filter((name) => name !== '');
  const payload: SalePayload = {
    saleToken: transaction.uuid,
    referenceCode: transaction.referenceCode,
    currency: transaction.currency,
    amount: transaction.amount,
    shopper: {
      id: shopper.id,
      firstName,
      lastName: otherNames.join(' ') || undefined,
      email: shopper.email,
      agency: branch,
      account,
    },
    date: dateTime(state, state.now()),
    newStatus,
  };
  const kind = newStatus === 'PAID' ? 'payment' : 'saleStatus';
  return { kind, query: queryFlags[kind], payload };
}

/** Section 6.3. */
export function reversalNotification(
  transaction: TransactionRecord,
  reversal: SandboxReversal,
): SandboxNotification {
  const payload: ReversalPayload = {
    id: reversal.id,
    uuid: reversal.uuid,
    currency: transaction.currency,
    originalAmount: transaction.amount,
    reversedAmount: reversal.amount,
    status: reversal.status,
    bankDetails: reversal.bankDetails,
    sale: { id: transaction.id, uuid: transaction.uuid },
    creation: reversal.creation,
    receipt: reversal.receipt,
    reason: reversal.reason,
  };
  return { kind: 'reversal', query: queryFlags.reversal, payload };
}

/** Section 6.4. */
export function refundNotification(
  state: ServiceState,
  transaction: TransactionRecord,
  refund: SandboxRefund,
): SandboxNotification {
  const { refundAmountFields } = state.inventions;
  const payload: RefundPayload = {
    saleToken: transaction.uuid,
    referenceCode: transaction.referenceCode,
    currency: transaction.currency,
    originalAmount: transaction.amount,
    reversedAmount: refundAmountFields === 'amountRefunded' ? undefined : refund.amount,
    amountRefunded: refundAmountFields === 'reversedAmount' ? undefined : refund.amount,
    bankDetails: refund.bankDetails,
    receipt: refund.receipt,
    status: refund.status,
    refund: {
      id: refund.id,
      uuid: refund.uuid,
      status: refund.status,
      amount: refund.amount,
      creation: refund.creation,
      creditDate: refund.creditDate,
    },
    reason: refund.reason,
    date: dateTime(state, state.now()),
  };
  return { kind: 'refund', query: queryFlags.refund, payload };
}

/** Section 6.5. */
export function payoutNotification({ inventions }: ServiceState, payout: SandboxPayout): SandboxNotification {
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
